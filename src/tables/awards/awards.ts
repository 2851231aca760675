import type { AwardRecord } from '../../core/decision/award-record.js'
import type { ViewSource } from '../source.js'
import type { AwardOrder } from './award-order.js'
import { prepareAward } from './prepare-award.js'

/** Awards of the desk. */
export const awardViews = (source: ViewSource) => ({
  /** All awards of an RFQ, newest first. */
  rfqAwards: (rfq: { channel: string; rfqId: string }): Promise<AwardRecord[]> => source.store.awards(rfq),
  /** The workbook of an award; null if there is no such award. */
  awardFile: (id: number): Promise<Uint8Array | null> => source.store.awardFile(id),
  prepareAward: (order: AwardOrder) => prepareAward(source, order),
})

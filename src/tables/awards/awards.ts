import type { AwardRecord } from '../../core/decision/award-record.js'
import type { ViewSource } from '../source.js'
import { type AwardListQuery, awardPage, listAwards } from './award-list.js'
import type { AwardOrder } from './award-order.js'
import { prepareAward } from './prepare-award.js'

/** Awards of the desk. */
export const awardViews = (source: ViewSource) => ({
  /** All of them, or those of a channel or an RFQ, newest first. */
  awards: (query: AwardListQuery) => listAwards(source, query),
  awardPage: (query: Parameters<typeof awardPage>[1]) => awardPage(source, query),
  /** All awards of an RFQ, newest first. */
  rfqAwards: (rfq: { channel: string; rfqId: string }): Promise<AwardRecord[]> => source.store.awards(rfq),
  /** The workbook of an award; null if there is no such award. */
  awardFile: (id: number): Promise<Uint8Array | null> => source.store.awardFile(id),
  prepareAward: (order: AwardOrder) => prepareAward(source, order),
})

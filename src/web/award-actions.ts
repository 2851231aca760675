import type { AwardRecord } from '../core/decision/award-record.js'
import type { AwardOrder, PreparedAward } from '../views/awards/award-order.js'

/** What operators do with awards, on pages and over the API. */
export interface AwardActions {
  /** Compares the offers, and checks an award of some of them. */
  prepare(order: AwardOrder): Promise<PreparedAward>
  /**
   * Records a prepared award that was not refused, with its workbook.
   * @returns the award that stands, if another one was recorded meanwhile
   */
  record(order: AwardOrder, prepared: PreparedAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }>
  /** Withdraws an award of an RFQ. @returns null if it does not stand */
  withdraw(order: {
    channel: string
    rfqId: string
    award: number
    because: string
    by: string
  }): Promise<AwardRecord | null>
}

import type { AwardState } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import type { Settings } from '../../core/decision/settings.js'

/** An award that a person wants to record. */
export interface AwardOrder {
  channel: string
  rfqId: string
  /** Offers by id, or as a person names them: by number or id. */
  offers: { ids: readonly string[] } | { names: readonly string[] }
  because: string | null
  by: string
  /** The moment of the comparison. */
  asOf: Date
  now: Date
  /** What the comparison is made with. */
  settings: Settings
}

/** What would be recorded, as plain data. */
export interface PreparedAward {
  /** The award as every surface would show it; null if its figures cannot be computed. */
  state: AwardState | null
  /** Why it cannot be recorded; empty if it can. */
  refusals: string[]
  rfqNumber: number | null
}

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

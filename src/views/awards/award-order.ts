import type { AwardState } from '../../compare/decision/award-state.js'
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

import type { Timestamp } from '../time/clock.js'

/** Scenarios of an RFQ, so that they can be compared on one page. */
export const MAX_SCENARIOS = 20
/** Of the name of a scenario, in characters. */
export const MAX_SCENARIO_NAME = 80

/** Settings of a comparison that the desk saved under a name, for one RFQ. */
export interface Scenario {
  channel: string
  rfqId: string
  /** Unique among the scenarios of the RFQ, in whatever case. */
  name: string
  /** The settings that it replaces: values as text by name, as in an address: `{"awardRule": "lowest-cost", "volume": "8000"}`. */
  settings: Readonly<Record<string, string>>
  /** Who saved it. */
  by: string
  at: Timestamp
}

import type { Scenario } from '../../core/decision/scenario.js'

type RfqId = Pick<Scenario, 'channel' | 'rfqId'>

/** Named settings of what-if comparisons. */
export interface Scenarios {
  /**
   * Saves a scenario.
   * @param options.replace whether a scenario with this name, in whatever case, is replaced. Default false
   * @returns `existing`: the scenario that has the name, if nothing was saved because of it; `full`: the RFQ has `MAX_SCENARIOS` already
   */
  saveScenario(
    scenario: Scenario,
    options?: { replace?: boolean },
  ): Promise<{ saved: Scenario } | { existing: Scenario } | { full: true }>
  /** @returns the deleted scenario; null if there is none with this name, in whatever case */
  deleteScenario(rfq: RfqId, name: string): Promise<Scenario | null>
  /** Those of an RFQ, by name. */
  scenarios(rfq: RfqId): Promise<Scenario[]>
}

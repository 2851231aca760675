import type { WantedBasis } from '../../core/settings.js'
import { type AwardScenario, isExact } from '../awards/award-model.js'
import type { RfqReport } from '../report/rfq-report-model.js'
import { maskOf } from './award-solver.js'
import type { ScenarioName } from './decision-model.js'
import { requirementsOf, solutionWords } from './decision-scenarios.js'
import { keyOf } from './switch-table.js'

/** Scenarios that need a search; they are solved for each of the RFQ's volumes. */
export const SOLVED_SCENARIOS = [
  'cheapest-combination',
  'two-developers',
  'only-compliant',
  'every-requirement',
  'cheapest-regardless',
] as const satisfies readonly ScenarioName[]
export type SolvedScenario = (typeof SOLVED_SCENARIOS)[number]
export const isSolved = (scenario: ScenarioName | AwardScenario): scenario is SolvedScenario =>
  SOLVED_SCENARIOS.some((solved) => solved === scenario)

/** The award of a scenario for one of the RFQ's volumes. */
export interface SolvedSet {
  offerIds: ReadonlySet<string>
  exact: boolean
  lowerBound: number | null
  /** How it was solved, or why there is no award. */
  words: string
}

/** The award of a scenario that was solved ahead for one of the RFQ's volumes; null if it was not. */
export function solvedSet(report: RfqReport, scenario: SolvedScenario, basis: WantedBasis): SolvedSet | null {
  const { rfq, decision, awardsByWanted, settings, offers, currency } = report
  const isSame = (other: WantedBasis) => rfq.wanted[other] === rfq.wanted[basis]
  if (rfq.wanted[basis] === rfq.wanted.volume) {
    const current = decision.scenarios.find((each) => each.scenario === scenario)
    const ids = current?.award?.offers.map(({ offerId }) => offerId)
    return setOf(new Set(ids), current?.award, current?.words ?? rfq.wanted.words)
  }
  if (isExact(scenario)) {
    const award = awardsByWanted.find((each) => isSame(each.basis))?.awards[scenario]
    const ids = award?.winners.map(({ offerId }) => offerId)
    return award === undefined ? null : setOf(new Set(ids), award, award.words)
  }
  const { switches } = decision
  const names = maskOf(switches.names)
  const key = keyOf(requirementsOf(scenario as 'only-compliant', settings.requirements) & names, names, basis)
  const entry =
    scenario === 'cheapest-regardless'
      ? switches.regardless.find((each) => isSame(each.basis))
      : switches.entries.find((each) => each.key === key)
  if (entry === undefined) return null
  const award = switches.awards[entry.award ?? -1]
  const sequences = new Set(award?.sequences)
  const ids = offers.flatMap(({ id, sequence }) => (sequences.has(sequence) ? [id] : []))
  const context = { currency: currency.comparison ?? '', wanted: rfq.wanted[basis] ?? 0 }
  return setOf(new Set(ids), award, solutionWords(award ?? null, context))
}

const setOf = (
  offerIds: ReadonlySet<string>,
  award: Pick<SolvedSet, 'exact' | 'lowerBound'> | null | undefined,
  words: string,
): SolvedSet => ({ offerIds, exact: award?.exact ?? true, lowerBound: award?.lowerBound ?? null, words })

import type { AwardScenario, ExactScenario } from '../../src/domain/comparison/awards/award-model.js'
import { isExact } from '../../src/domain/comparison/awards/award-model.js'
import { SCENARIOS, type Scenario, type ScenarioName } from '../../src/domain/comparison/decision/decision-model.js'
import { SCENARIO_TEXT, solutionWords } from '../../src/domain/comparison/decision/decision-scenarios.js'
import type { SolvedAward } from '../../src/domain/comparison/decision/switch-table-model.js'
import type { RfqReport } from '../../src/domain/comparison/report/rfq-report-model.js'
import type { RequirementName, WantedBasis } from '../../src/domain/comparison/settings.js'

/** The scenarios on `Award`, each a column of tonnes: those of the decision, and the reader's own. */
export const SHEET_SCENARIOS = [...SCENARIOS, 'own'] as const
export type SheetScenario = (typeof SHEET_SCENARIOS)[number]

export const BASELINES = 3
/** Rows of the savings below the scenarios: title, headers, one for each baseline, and an empty row. */
export const SAVINGS_ROWS = BASELINES + 3

/** One scenario with its figures. */
export interface ScenarioRow {
  scenario: SheetScenario
  title: string
  rule: string
  words: string
  reached: boolean
  exact: boolean
  lowerBound: number | null
  tonnes: number
  total: number
  pricePerTonne: number | null
  excessTonnes: number
  excessCost: number
  developers: number
  difference: number | null
  constraint: Scenario['constraint']
  /** Tonnes by offer id. */
  awarded: ReadonlyMap<string, number>
}

/** The rows of the table of scenarios. */
export function scenarioRows(report: RfqReport): ScenarioRow[] {
  const found = new Map(report.decision.scenarios.map((each) => [each.scenario, each]))
  return [...SCENARIOS.map((name) => rowOf(found.get(name) ?? emptyScenario(report, name))), ownRow(report)]
}

/** Without a wanted volume, a scenario has no award. */
function emptyScenario({ awards, rfq }: RfqReport, scenario: ScenarioName): Scenario {
  const known = awards.find((award) => award.scenario === scenario) ?? SCENARIO_TEXT[scenario as 'recommended']
  const { title, rule } = known
  return { scenario, title, rule, award: null, waived: [], difference: null, constraint: null, words: rfq.wanted.words }
}

function rowOf({ scenario, title, rule, words, award, difference, constraint }: Scenario): ScenarioRow {
  return {
    ...{ scenario, title, rule, words, difference, constraint },
    reached: award?.reached ?? false,
    exact: award?.exact ?? true,
    lowerBound: award?.lowerBound ?? null,
    tonnes: award?.tonnes ?? 0,
    total: award?.total ?? 0,
    pricePerTonne: award?.pricePerTonne ?? null,
    excessTonnes: award?.excessTonnes ?? 0,
    excessCost: award?.excessCost ?? 0,
    developers: award?.developers ?? 0,
    awarded: new Map(award?.offers.map(({ offerId, tonnes }) => [offerId, tonnes])),
  }
}

function ownRow({ awards, decision }: RfqReport): ScenarioRow {
  const own = awards.find(({ scenario }) => scenario === 'own') as RfqReport['awards'][number]
  const { title, rule, words, reached, exact, lowerBound, tonnes, total, blendedPrice, developers, wanted } = own
  const excessTonnes = reached ? Math.max(0, tonnes - (wanted ?? tonnes)) : 0
  const recommended = decision.recommendation.award
  return {
    ...{ scenario: 'own', title, rule, words, reached, exact, lowerBound, tonnes, total, developers, excessTonnes },
    pricePerTonne: blendedPrice,
    excessCost: excessTonnes * (blendedPrice ?? 0),
    difference: reached && recommended?.reached ? total - recommended.total : null,
    constraint: null,
    awarded: new Map(own.winners.map((line) => [line.offerId, line.tonnes])),
  }
}

/**
 * Scenarios that are looked up among awards solved ahead by the wanted volume. The others are formulas, the reader's, or
 * (`recommended`) those of recommendation-block.ts.
 */
export const SOLVED_SCENARIOS = [
  'cheapest-combination',
  'two-developers',
  'only-compliant',
  'every-requirement',
  'cheapest-regardless',
] as const satisfies readonly ScenarioName[]
export type SolvedScenario = (typeof SOLVED_SCENARIOS)[number]
export const isSolved = (scenario: SheetScenario): scenario is SolvedScenario =>
  SOLVED_SCENARIOS.some((solved) => solved === scenario)

/** The award of a scenario for one of the RFQ's volumes. */
export interface SolvedSet {
  offerIds: ReadonlySet<string>
  exact: boolean
  lowerBound: number | null
  words: string
}

/** The award of a scenario that was solved ahead for one of the RFQ's volumes; null if it was not. */
export function solvedSet(report: RfqReport, scenario: SolvedScenario, basis: WantedBasis): SolvedSet | null {
  const { rfq, decision, awardsByWanted } = report
  const isSame = (other: WantedBasis) => rfq.wanted[other] === rfq.wanted[basis]
  if (rfq.wanted[basis] === rfq.wanted.volume) return currentSet(report, scenario)
  if (isExact(scenario as AwardScenario)) {
    const award = awardsByWanted.find((each) => isSame(each.basis))?.awards[scenario as ExactScenario]
    return award === undefined ? null : { ...award, offerIds: new Set(award.winners.map(({ offerId }) => offerId)) }
  }
  const { switches } = decision
  const hard = hardRequirements(report, scenario)
  const digits = switches.names.map((name) => (hard.has(name) ? '1' : '0')).join('')
  const entry =
    scenario === 'cheapest-regardless'
      ? switches.regardless.find((each) => isSame(each.basis))
      : switches.entries.find((each) => each.key.startsWith(`${digits}|`) && isSame(each.basis))
  if (entry === undefined) return null
  return solvedAward(report, entry.award === null ? null : (switches.awards[entry.award] ?? null), basis)
}

function currentSet(report: RfqReport, scenario: SolvedScenario): SolvedSet {
  const { awarded, ...row } = scenarioRows(report).find((each) => each.scenario === scenario) as ScenarioRow
  return { ...row, offerIds: new Set(awarded.keys()) }
}

function solvedAward(report: RfqReport, award: SolvedAward | null, basis: WantedBasis): SolvedSet {
  const { offers, rfq, currency } = report
  const sequences = new Set(award?.sequences)
  const context = { currency: currency.comparison ?? '', wanted: rfq.wanted[basis] ?? 0 }
  return {
    offerIds: new Set(offers.filter(({ sequence }) => sequences.has(sequence)).map(({ id }) => id)),
    exact: award?.exact ?? true,
    lowerBound: award?.lowerBound ?? null,
    words: solutionWords(award, context),
  }
}

/** The requirements that every offer of a scenario meets. */
function hardRequirements({ decision }: RfqReport, scenario: SolvedScenario): ReadonlySet<RequirementName> {
  const advisory = scenario === 'every-requirement'
  return new Set(
    decision.requirements
      .filter(
        ({ name, level }) => level === 'hard' || name === 'reviewNotRejected' || (advisory && level === 'advisory'),
      )
      .map(({ name }) => name),
  )
}

/** Titles of the hard requirements that offers do not meet, by offer id; a rejected review is one at any level. */
export const unmetByOffer = ({ decision }: RfqReport): ReadonlyMap<string, string> =>
  new Map(
    decision.offers.map(({ offerId, unmet }) => [
      offerId,
      unmet
        .filter(({ name, level }) => level === 'hard' || name === 'reviewNotRejected')
        .map(({ title }) => title)
        .join(', '),
    ]),
  )

import { formatChange, formatPercent, formatTonnes, formatTotal } from '../../core/number-format.js'
import type { RequirementLevels } from '../../core/settings.js'
import type { Award, AwardScenario } from '../awards/award-model.js'
import { type AwardContext, amountsText, awardOf, isBinding, offersText, partsAward } from './award-figures.js'
import { REQUIREMENT_TITLES } from './award-requirements.js'
import { type AwardSolver, bitOf, type Candidate, namesIn, type RequirementMask, withLevel } from './award-solver.js'
import { relevantBits } from './closest-award.js'
import {
  type DecisionAward,
  type RequirementCost,
  SCENARIOS,
  type Scenario,
  type ScenarioName,
} from './decision-model.js'

export interface ScenarioInput {
  solver: AwardSolver
  context: AwardContext
  hard: RequirementMask
  /** The awards of the scenarios that take ranked offers. */
  awards: readonly Award[]
  recommended: DecisionAward | null
}

/** Of the scenarios that are not among `RfqReport.awards`. */
export const SCENARIO_TEXT: Record<Exclude<ScenarioName, AwardScenario>, Pick<Scenario, 'title' | 'rule'>> = {
  recommended: { title: 'Recommended', rule: 'The award of the chosen rule, with the requirements as set.' },
  'only-compliant': {
    title: 'Only compliant offers',
    rule: 'The cheapest combination of whole offers that meet every hard requirement, none with a rejected review.',
  },
  'every-requirement': {
    title: 'Every requirement, advisory ones too',
    rule: 'Like only compliant offers, but advisory requirements are met too.',
  },
  'cheapest-regardless': {
    title: 'Cheapest regardless of requirements',
    rule: 'The cheapest combination of all offers with a volume and a price, even rejected, withdrawn or expired ones.',
  },
}

/** What a scenario gives up compared with another one. */
const CONSTRAINTS: Partial<Record<ScenarioName, { words: string; without: ScenarioName }>> = {
  recommended: { words: 'Cost of the rule and the requirements', without: 'cheapest-regardless' },
  'cheapest-single': { words: 'Cost of a single offer', without: 'cheapest-combination' },
  'cheapest-combination': { words: 'Cost of taking offers whole', without: 'cheapest-divisible' },
  'two-developers': { words: 'Cost of at most two developers', without: 'cheapest-combination' },
  'only-compliant': { words: 'Cost of the hard requirements', without: 'cheapest-combination' },
  'every-requirement': { words: 'Cost of the advisory requirements', without: 'only-compliant' },
  'best-score': { words: 'Cost of preferring the score', without: 'cheapest-combination' },
}

/** One row for each way to award, in the order of SCENARIOS. */
export function scenariosOf(input: ScenarioInput): Scenario[] {
  const { recommended } = input
  const rows = SCENARIOS.map((scenario) => ({ scenario, ...solve(scenario, input) }))
  const totalOf = (name: ScenarioName) => reachedTotal(rows.find(({ scenario }) => scenario === name)?.award)
  return rows.map((row) => {
    const constraint = CONSTRAINTS[row.scenario]
    return {
      ...row,
      waived: waivedText(row.award),
      difference: minus(reachedTotal(row.award), reachedTotal(recommended)),
      constraint:
        constraint === undefined
          ? null
          : { ...constraint, cost: minus(totalOf(row.scenario), totalOf(constraint.without)) },
    }
  })
}

const reachedTotal = (award: DecisionAward | null | undefined) => (award?.reached ? award.total : null)
const minus = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b)

/** The hard requirements an award does not meet, and a rejected review at any level, with the offers. */
export function waivedText(award: DecisionAward | null): string[] {
  if (award === null) return []
  const labels = new Map(award.offers.map((offer) => [offer.offerId, offer.sequence]))
  return award.unmet.filter(isBinding).map(({ title, offerIds }) => {
    const numbers = offerIds.map((id) => labels.get(id) ?? 0)
    const shown = numbers.slice(0, 6).join(', ')
    const more = numbers.length > 6 ? ` and ${numbers.length - 6} more` : ''
    return numbers.length === 0 ? title : `${title} (offer${numbers.length === 1 ? '' : 's'} ${shown}${more})`
  })
}

/** The scenarios that look for offers by the requirements they meet. */
type SearchedScenario = 'only-compliant' | 'every-requirement' | 'cheapest-regardless'

/** The requirements that every offer of a scenario meets. */
export function requirementsOf(scenario: SearchedScenario, levels: RequirementLevels): RequirementMask {
  if (scenario === 'cheapest-regardless') return 0
  const hard = scenario === 'every-requirement' ? withLevel(levels, 'hard', 'advisory') : withLevel(levels, 'hard')
  return hard | bitOf('reviewNotRejected')
}

type Solved = Pick<Scenario, 'title' | 'rule' | 'award' | 'words'>

function solve(scenario: ScenarioName, input: ScenarioInput): Solved {
  const { solver, context, recommended } = input
  switch (scenario) {
    case 'recommended':
      return { ...SCENARIO_TEXT[scenario], award: recommended, words: solutionWords(recommended, context) }
    case 'only-compliant':
    case 'every-requirement':
    case 'cheapest-regardless':
      return searched(scenario, input)
    default:
      return fromAward(input.awards, scenario, solver.candidates, context)
  }
}

function searched(scenario: SearchedScenario, { solver, context }: ScenarioInput): Solved {
  const award = awardOf(solver.cheapest(requirementsOf(scenario, context.levels), context.wanted), context)
  return { ...SCENARIO_TEXT[scenario], award, words: solutionWords(award, context) }
}

function fromAward(
  awards: readonly Award[],
  scenario: AwardScenario,
  candidates: readonly Candidate[],
  context: AwardContext,
): Solved {
  const found = awards.find((one) => one.scenario === scenario)
  const byId = new Map(candidates.map((candidate) => [candidate.offer.id, candidate]))
  const parts = (found?.winners ?? []).flatMap(({ offerId, tonnes }) => {
    const candidate = byId.get(offerId)
    return candidate === undefined ? [] : [{ candidate, tonnes }]
  })
  const award = found === undefined || parts.length === 0 ? null : partsAward(parts, found, context)
  return { title: found?.title ?? '', rule: found?.rule ?? '', award, words: found?.words ?? '' }
}

/** How an award was solved, or why there is none. */
export function solutionWords(
  award: Pick<DecisionAward, 'reached' | 'exact' | 'tonnes' | 'lowerBound'> | null,
  { currency, wanted }: Pick<AwardContext, 'currency' | 'wanted'>,
): string {
  if (award === null) return 'No award of whole offers satisfies this.'
  if (!award.reached)
    return `${formatTonnes(wanted)} cannot be reached; ${formatTonnes(award.tonnes)} is the maximum available.`
  return award.exact
    ? 'Proven optimal: no set of whole offers costs less.'
    : `Lowest cost found, not proven optimal. Lower bound on cost: ${formatTotal(award.lowerBound ?? 0, currency)}.`
}

/** What each hard requirement costs: the cheapest compliant award, compared with the cheapest one without it. */
export function requirementCosts(
  { solver, context, hard }: Omit<ScenarioInput, 'awards' | 'recommended'>,
  keyOf: (hard: RequirementMask) => string,
): RequirementCost[] {
  const { wanted, currency } = context
  const base = solver.cheapest(hard, wanted)
  return relevantBits(solver, hard).flatMap((bit) => {
    const [name] = namesIn(bit)
    if (name === undefined) return []
    const without = solver.cheapest(hard & ~bit, wanted)
    const award = awardOf(without, context)
    const cost = base.reached && without.reached ? base.cost - without.cost : null
    const title = REQUIREMENT_TITLES[name]
    return [
      {
        name,
        title,
        cost,
        award,
        key: keyOf(hard & ~bit),
        words: costWords(title, { cost, award, before: base.tonnes }, currency),
      },
    ]
  })
}

function costWords(
  title: string,
  { cost, award, before }: { cost: number | null; award: DecisionAward | null; before: number },
  currency: string,
): string {
  if (award === null || (cost === null && !award.reached && award.tonnes <= before)) {
    return `Waiving “${title}” alone does not help.`
  }
  const instead = `${offersText(award)}, ${amountsText(award, currency)}`
  if (cost === null) {
    const share = award.reached ? '' : `, which covers ${formatPercent(award.coverage ?? 0)} of the wanted volume`
    return `Waiving “${title}” alone: ${instead}${share}.`
  }
  if (cost <= 0) return `“${title}” costs nothing: the award is the same, or costs the same.`
  const share = formatChange(-cost / (award.total + cost))
  return `“${title}” costs ${formatTotal(cost, currency)}: without it, ${offersText(award)} for ${formatTotal(award.total, currency)} (${share}).`
}

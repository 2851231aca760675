import { ratio, sum } from '../../core/numbers.js'
import { WANTED_BASES } from '../../core/settings.js'
import { coverageOf } from '../offer/metrics.js'
import type { RankedOffer } from '../offer/ranking.js'
import type { RfqReport } from '../report/rfq-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import {
  type Candidate,
  type Choice,
  cheapestSet,
  developersOf,
  emptyChoice,
  FORMULA_SOLVERS,
  type FormulaScenario,
  NO_OFFER,
  onlyCompliant,
  ownChoice,
  reaches,
  twoDevelopers,
} from './award-choices.js'
import {
  AWARD_SCENARIOS,
  type Award,
  type AwardLine,
  type AwardScenario,
  type AwardsForVolume,
  type ExactScenario,
  isExact,
} from './award-model.js'

/** Input shared by all scenarios. */
interface AwardContext {
  /** Ranked offers in order of sequence. */
  candidates: readonly Candidate[]
  rfq: RfqTerms
  /** Code of the comparison currency; empty if there is none. */
  currency: string
  own: Readonly<Record<string, number>> | undefined
}

/**
 * Computes the awards of all scenarios: `AWARD_SCENARIOS` and `AwardsForVolume`.
 * @param own the reader's tonnes by offer ID; default: those of `best-score`
 */
export function awardsOf(
  ranked: readonly RankedOffer[],
  rfq: RfqTerms,
  currency: string | null,
  own: Readonly<Record<string, number>> | undefined,
): Pick<RfqReport, 'awards' | 'awardsByWanted'> {
  const context = { candidates: candidatesOf(ranked), rfq, currency: currency ?? '', own }
  const awardsByWanted = exactAwards(context)
  const solved = awardsByWanted.find(({ wanted }) => wanted === rfq.wanted.volume)?.awards
  const awards = AWARD_SCENARIOS.map((scenario) =>
    isExact(scenario) ? (solved?.[scenario] ?? noTargetAward(context, scenario)) : formulaAward(context, scenario),
  )
  return { awards, awardsByWanted }
}

function candidatesOf(ranked: readonly RankedOffer[]): Candidate[] {
  return [...ranked]
    .sort((a, b) => a.sequence - b.sequence)
    .map((offer) => {
      const [volume, cost] = [offer.metrics.volume ?? 0, offer.compared.total ?? 0]
      return { offer, volume, cost, developer: developerKey(offer), line: awardLine({ offer, volume, cost }, volume) }
    })
}

/** Identifies a developer: names are compared without case and surrounding blanks. */
export const developerKey = ({ developer, id }: { developer: string | null; id: string }): string =>
  developer?.trim().toLowerCase() ?? `\u0000${id}`

/** The scenarios that need a search, for each volume the RFQ states. */
function exactAwards(context: AwardContext): AwardsForVolume[] {
  return distinctVolumes(context.rfq).map(({ basis, wanted }) => ({ basis, wanted, awards: exactFor(context, wanted) }))
}

/** A proven unrestricted optimum is reused if it satisfies the restriction of a scenario. */
function exactFor(context: AwardContext, wanted: number): AwardsForVolume['awards'] {
  const { candidates, currency } = context
  const build = (scenario: ExactScenario, choice: Choice) => toAward(context, scenario, wanted, choice)
  const unrestricted = candidates.length === 0 ? NO_OFFER : cheapestSet(candidates, wanted, currency)
  return {
    'cheapest-combination': build('cheapest-combination', unrestricted),
    'two-developers': build('two-developers', twoDevelopers(candidates, wanted, currency, unrestricted)),
    'meets-requirements': build('meets-requirements', onlyCompliant(candidates, wanted, currency, unrestricted)),
  }
}

function distinctVolumes({ wanted }: RfqTerms): Pick<AwardsForVolume, 'basis' | 'wanted'>[] {
  const seen = new Set<number>()
  return WANTED_BASES.flatMap((basis) => {
    const volume = wanted[basis]
    if (volume === null || seen.has(volume)) return []
    seen.add(volume)
    return [{ basis, wanted: volume }]
  })
}

function formulaAward(context: AwardContext, scenario: FormulaScenario): Award {
  const { candidates, rfq, own } = context
  const wanted = rfq.wanted.volume
  const build = (choice: Choice) => toAward(context, scenario, wanted, choice)
  if (scenario === 'own' && own !== undefined) return build(ownChoice(candidates, own))
  if (wanted === null) return noTargetAward(context, scenario)
  return build(candidates.length === 0 ? NO_OFFER : FORMULA_SOLVERS[scenario](candidates, wanted))
}

const noTargetAward = (context: AwardContext, scenario: AwardScenario): Award =>
  toAward(context, scenario, null, emptyChoice(context.candidates, context.rfq.wanted.words))

const SCENARIO_TEXT: Record<AwardScenario, Pick<Award, 'title' | 'rule'>> = {
  'cheapest-single': {
    title: 'Cheapest single offer',
    rule: 'The offer with the lowest total among those that cover the wanted volume alone.',
  },
  'cheapest-combination': {
    title: 'Cheapest combination of whole offers',
    rule: 'Whole offers only: the set that reaches the wanted volume at the lowest total cost.',
  },
  'cheapest-divisible': {
    title: 'Cheapest with divisible offers',
    rule: 'Any part of an offer may be taken at its average price: the wanted volume is filled from the lowest price up.',
  },
  'two-developers': {
    title: 'At most two developers',
    rule: 'Like the cheapest combination, but from at most two developers.',
  },
  'meets-requirements': {
    title: 'Only offers that meet every requirement',
    rule: 'Like the cheapest combination, but only from offers that meet every requirement of the RFQ.',
  },
  'best-score': {
    title: 'Best score',
    rule: 'Whole offers in rank order until the wanted volume is reached.',
  },
  own: { title: 'Your own award', rule: "The tonnes you enter, at each offer's average price." },
}

function toAward({ rfq }: AwardContext, scenario: AwardScenario, wanted: number | null, choice: Choice): Award {
  const winners = choice.taken
    .toSorted((a, b) => a.candidate.offer.sequence - b.candidate.offer.sequence)
    .map(({ candidate, tonnes: part }) => (part === candidate.volume ? candidate.line : awardLine(candidate, part)))
  const awarded = sum(winners.map((line) => line.tonnes))
  const total = sum(winners.map((line) => line.total))
  const { considered, exact, lowerBound, words } = choice
  return {
    scenario,
    ...SCENARIO_TEXT[scenario],
    wanted,
    reached: wanted !== null && winners.length > 0 && reaches(awarded, wanted),
    winners,
    tonnes: awarded,
    coverage: coverageOf(awarded, wanted),
    total,
    blendedPrice: ratio(total, awarded),
    ...budgetOf(rfq, awarded, total),
    developers: developersOf(choice),
    tonnesOverMaximum: rfq.maxVolume === null ? 0 : Math.max(0, awarded - rfq.maxVolume),
    considered,
    exact,
    lowerBound,
    words,
  }
}

function budgetOf(rfq: RfqTerms, awarded: number, total: number): Pick<Award, 'budget' | 'saving' | 'savingShare'> {
  const budget = rfq.comparedMaxUnitPrice === null ? null : rfq.comparedMaxUnitPrice * awarded
  const saving = budget === null ? null : budget - total
  return { budget, saving, savingShare: ratio(saving, budget) }
}

function awardLine({ offer, volume, cost }: Pick<Candidate, 'offer' | 'volume' | 'cost'>, part: number): AwardLine {
  const shareOfOffer = part / volume
  return {
    offerId: offer.id,
    label: offer.label,
    developer: offer.developer,
    tonnes: part,
    shareOfOffer,
    pricePerTonne: offer.compared.pricePerTonne ?? 0,
    total: shareOfOffer * cost,
  }
}

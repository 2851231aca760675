import { formatCount, formatMoney, formatTonnes } from '../number-format.js'
import { plausibleOrNull, ratio, round6, sum } from '../numbers.js'
import { coverageOf } from '../offer/metrics.js'
import type { RankedOffer } from '../offer/ranking.js'
import type { RfqReport } from '../report/rfq-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { WANTED_BASES } from '../settings.js'
import {
  AWARD_SCENARIOS,
  type Award,
  type AwardLine,
  type AwardScenario,
  type AwardsForVolume,
  type ExactScenario,
  isExact,
} from './award-model.js'
import {
  type Combination,
  cheapestCombination,
  EXACT_UP_TO,
  negligibleRest,
  reachedFrom,
} from './cheapest-combination.js'
import { cheapestOfTwo, largestTwoDevelopers } from './two-developers.js'

/** A ranked offer as a candidate for an award, in the comparison currency. */
interface Candidate {
  offer: RankedOffer
  volume: number
  cost: number
  developer: string
  /** The award line for the whole offer, shared by all scenarios. */
  line: AwardLine
}

/** The result of a scenario: tonnes per candidate, and how it was solved. */
interface Choice {
  taken: { candidate: Candidate; tonnes: number }[]
  considered: number
  exact: boolean
  lowerBound: number | null
  words: string
}
type Solve = (candidates: readonly Candidate[], wanted: number) => Choice

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

/** Whether a volume reaches the target, allowing for floating-point noise. */
const reaches = (volume: number, wanted: number): boolean => volume >= reachedFrom(wanted)

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

type FormulaScenario = Exclude<AwardScenario, ExactScenario>
const FORMULA_SOLVERS: Record<FormulaScenario, Solve> = {
  'cheapest-single': cheapestSingle,
  'cheapest-divisible': cheapestDivisible,
  'best-score': bestScore,
  own: (candidates, wanted) => ({
    ...bestScore(candidates, wanted),
    words: 'No tonnes entered: the same as the best-score award.',
  }),
}

const wholeOffer = (candidate: Candidate) => ({ candidate, tonnes: candidate.volume })

function emptyChoice(candidates: readonly Candidate[], words: string): Choice {
  return { taken: [], considered: candidates.length, exact: true, lowerBound: null, words }
}

const NO_OFFER = emptyChoice([], 'No offer is ranked, so there is no award.')

function exactChoice(taken: Choice['taken'], considered: number, words: string): Choice {
  return { taken, considered, exact: true, lowerBound: null, words }
}

function cheapestSingle(candidates: readonly Candidate[], wanted: number): Choice {
  const enough = candidates.filter(({ volume }) => reaches(volume, wanted))
  const cheapest = firstBy(enough, (a, b) => round6(a.cost) - round6(b.cost) || round6(b.volume) - round6(a.volume))
  if (cheapest !== undefined) {
    const words = `${enough.length} of ${formatCount(candidates.length, 'offer')} ${enough.length === 1 ? 'covers' : 'cover'} the wanted volume alone.`
    return exactChoice([wholeOffer(cheapest)], candidates.length, words)
  }
  const largest = firstBy(candidates, (a, b) => round6(b.volume) - round6(a.volume) || round6(a.cost) - round6(b.cost))
  const taken = largest === undefined ? [] : [wholeOffer(largest)]
  const words = `No single offer covers ${formatTonnes(wanted)}; the largest is shown.`
  return exactChoice(taken, candidates.length, words)
}

// The sort is stable: among equals, the lowest sequence comes first.
const firstBy = (candidates: readonly Candidate[], order: (a: Candidate, b: Candidate) => number) =>
  [...candidates].sort(order)[0]

function cheapestSet(candidates: readonly Candidate[], wanted: number, currency: string): Choice {
  const found = cheapestCombination(candidates, wanted)
  if (found === null) return unreachable(candidates, wanted, candidates)
  return combinationChoice(candidates, found, currency)
}

function unreachable(candidates: readonly Candidate[], wanted: number, taken: readonly Candidate[]): Choice {
  const available = sum(taken.map(({ volume }) => volume))
  const words = `${formatTonnes(wanted)} cannot be reached; ${formatTonnes(available)} is the maximum available.`
  return exactChoice(taken.map(wholeOffer), candidates.length, words)
}

function combinationChoice(candidates: readonly Candidate[], found: Combination, currency: string): Choice {
  const taken = found.picked.flatMap((at) => candidates.slice(at, at + 1)).map(wholeOffer)
  const { exact, lowerBound } = found
  const words = exact
    ? 'Proven optimal: no set of whole offers costs less.'
    : `Lowest cost found among ${formatCount(candidates.length, 'offer')}, not proven optimal. Lower bound on cost: ${formatMoney(lowerBound, currency)}. Optimality is guaranteed for up to ${EXACT_UP_TO} offers.`
  return { taken, considered: candidates.length, exact, lowerBound: exact ? null : lowerBound, words }
}

/** Lowest price per tonne at six decimals first, ties by sequence: the sort is stable. */
function byPrice(candidates: readonly Candidate[]): Candidate[] {
  const prices = new Map(candidates.map((candidate) => [candidate, round6(candidate.cost / candidate.volume)]))
  return [...candidates].sort((a, b) => (prices.get(a) ?? 0) - (prices.get(b) ?? 0))
}

function cheapestDivisible(candidates: readonly Candidate[], wanted: number): Choice {
  const cheapest = byPrice(candidates)
  const taken: Choice['taken'] = []
  let remaining = wanted
  for (const candidate of cheapest) {
    if (remaining <= negligibleRest(wanted)) break
    const part = Math.min(remaining, candidate.volume)
    taken.push({ candidate, tonnes: part })
    remaining -= part
  }
  if (remaining > negligibleRest(wanted)) return unreachable(candidates, wanted, candidates)
  return exactChoice(taken, candidates.length, 'Proven optimal: the lowest prices are taken first.')
}

function twoDevelopers(
  candidates: readonly Candidate[],
  wanted: number,
  currency: string,
  unrestricted: Choice,
): Choice {
  if (unrestricted.exact && developersOf(unrestricted) <= 2) return unrestricted
  const developers = candidates.map(({ developer }) => developer)
  const found = cheapestOfTwo(candidates, developers, wanted, costFloor(unrestricted))
  if (found !== null) return combinationChoice(candidates, found, currency)
  const largest = largestTwoDevelopers(candidates, developers).flatMap((at) => candidates.slice(at, at + 1))
  return unreachable(candidates, wanted, largest)
}

const developersOf = ({ taken }: Choice): number => new Set(taken.map(({ candidate }) => candidate.developer)).size
/** Lower bound on the cost of any restricted choice. */
const costFloor = ({ taken, lowerBound }: Choice): number =>
  lowerBound ?? sum(taken.map(({ candidate }) => candidate.cost))

function onlyCompliant(
  candidates: readonly Candidate[],
  wanted: number,
  currency: string,
  unrestricted: Choice,
): Choice {
  const meeting = candidates.filter(({ offer }) => offer.meetsRequirements)
  const kept = unrestricted.exact && unrestricted.taken.every(({ candidate }) => candidate.offer.meetsRequirements)
  if (kept) return { ...unrestricted, considered: meeting.length }
  if (meeting.length === 0) return emptyChoice([], 'No ranked offer meets every requirement of the RFQ.')
  return cheapestSet(meeting, wanted, currency)
}

function bestScore(candidates: readonly Candidate[], wanted: number): Choice {
  const taken: Choice['taken'] = []
  let before = 0
  for (const candidate of [...candidates].sort((a, b) => a.offer.rank - b.offer.rank)) {
    if (reaches(before, wanted)) break
    taken.push(wholeOffer(candidate))
    before += candidate.volume
  }
  if (!reaches(before, wanted)) return unreachable(candidates, wanted, candidates)
  return exactChoice(taken, candidates.length, 'Taken in rank order.')
}

function ownChoice(candidates: readonly Candidate[], own: Readonly<Record<string, number>>): Choice {
  const taken = candidates.flatMap((candidate) => {
    const part = Object.hasOwn(own, candidate.offer.id) ? plausibleOrNull(own[candidate.offer.id]) : null
    return part !== null && part > 0 ? [{ candidate, tonnes: part }] : []
  })
  const over = taken.filter(({ candidate, tonnes: part }) => !reaches(candidate.volume, part))
  const left = Object.values(own).filter((part) => part !== 0).length - taken.length
  const words = [
    'As entered.',
    ...over.map(({ candidate }) => `${candidate.offer.label} offers only ${formatTonnes(candidate.volume)}.`),
    ...(left > 0
      ? [`${formatCount(left, 'entry', 'entries')} ignored: offer not ranked, or invalid number of tonnes.`]
      : []),
  ]
  return exactChoice(taken, candidates.length, words.join(' '))
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

import { formatCount, formatMoney, formatTonnes } from '../../core/number-format.js'
import { plausibleOrNull, round6, sum } from '../../core/numbers.js'
import type { RankedOffer } from '../offer/ranking.js'
import type { AwardLine, AwardScenario, ExactScenario } from './award-model.js'
import { cheapestCombination, EXACT_UP_TO, negligibleRest, reachedFrom } from './cheapest-combination.js'
import type { Combination } from './subset-search.js'
import { cheapestOfTwo, largestTwoDevelopers } from './two-developers.js'

/** A ranked offer as a candidate for an award, in the comparison currency. */
export interface Candidate {
  offer: RankedOffer
  volume: number
  cost: number
  developer: string
  /** The award line for the whole offer, shared by all scenarios. */
  line: AwardLine
}

/** The result of a scenario: tonnes per candidate, and how it was solved. */
export interface Choice {
  taken: { candidate: Candidate; tonnes: number }[]
  considered: number
  exact: boolean
  lowerBound: number | null
  words: string
}
type Solve = (candidates: readonly Candidate[], wanted: number) => Choice

/** Whether a volume reaches the target, allowing for floating-point noise. */
export const reaches = (volume: number, wanted: number): boolean => volume >= reachedFrom(wanted)

export type FormulaScenario = Exclude<AwardScenario, ExactScenario>
export const FORMULA_SOLVERS: Record<FormulaScenario, Solve> = {
  'cheapest-single': cheapestSingle,
  'cheapest-divisible': cheapestDivisible,
  'best-score': bestScore,
  own: (candidates, wanted) => ({
    ...bestScore(candidates, wanted),
    words: 'No tonnes entered: the same as the best-score award.',
  }),
}

const wholeOffer = (candidate: Candidate) => ({ candidate, tonnes: candidate.volume })

export function emptyChoice(candidates: readonly Candidate[], words: string): Choice {
  return { taken: [], considered: candidates.length, exact: true, lowerBound: null, words }
}

export const NO_OFFER = emptyChoice([], 'No offer is ranked, so there is no award.')

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

/** The cheapest set of whole offers that reaches the volume; all of them if none does. */
export function cheapestSet(candidates: readonly Candidate[], wanted: number, currency: string): Choice {
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

/** @param unrestricted what `cheapestSet` found in the same candidates */
export function twoDevelopers(
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

export const developersOf = ({ taken }: Choice): number =>
  new Set(taken.map(({ candidate }) => candidate.developer)).size
/** Lower bound on the cost of any restricted choice. */
const costFloor = ({ taken, lowerBound }: Choice): number =>
  lowerBound ?? sum(taken.map(({ candidate }) => candidate.cost))

/** @param unrestricted what `cheapestSet` found in the same candidates */
export function onlyCompliant(
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

export function ownChoice(candidates: readonly Candidate[], own: Readonly<Record<string, number>>): Choice {
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

import { type Combination, cheapestCombination, EXACT_UP_TO, reachable } from './combination.js'
import { coverageOf } from './metrics.js'
import type { Award, AwardLine, AwardScenario, RfqTerms } from './model.js'
import { AWARD_SCENARIOS } from './model.js'
import { plausible, ratio, sum } from './numbers.js'
import type { RankedOffer } from './scores.js'
import { cheapestOfTwo, largestTwo } from './two-developers.js'
import { counted, money, tonnes } from './words.js'

/** A ranked offer as an award sees it, in the comparison currency. */
export interface Candidate {
  offer: RankedOffer
  volume: number
  cost: number
  developer: string
}

/** What a scenario takes: tonnes of each candidate, and how that was found. */
interface Choice {
  taken: { candidate: Candidate; tonnes: number }[]
  considered: number
  exact: boolean
  lowerBound: number | null
  words: string
}
type Solve = (candidates: readonly Candidate[], wanted: number, currency: string) => Choice

/** Ranked offers in order of sequence. */
export function candidatesOf(ranked: readonly RankedOffer[]): Candidate[] {
  return [...ranked]
    .sort((a, b) => a.sequence - b.sequence)
    .map((offer) => ({
      offer,
      volume: offer.metrics.volume ?? 0,
      cost: offer.compared.total ?? 0,
      developer: offer.developer?.trim().toLowerCase() ?? `\u0000${offer.id}`,
    }))
}

/**
 * Who would be awarded what: model.ts, `AWARD_SCENARIOS`.
 * @param own the reader's tonnes by offer id; absent: those of `best-score`
 */
export function awardsOf(
  ranked: readonly RankedOffer[],
  rfq: RfqTerms,
  currency: string | null,
  own: Readonly<Record<string, number>> | undefined,
): Award[] {
  const candidates = candidatesOf(ranked)
  const wanted = rfq.wanted.volume
  return AWARD_SCENARIOS.map((scenario) => {
    const { title, rule, solve } = SCENARIOS[scenario]
    const about = { scenario, title, rule, wanted }
    if (scenario === 'own' && own !== undefined) return award(about, ownChoice(candidates, own), rfq)
    if (wanted === null) return award(about, nothing(candidates, rfq.wanted.words), rfq)
    if (candidates.length === 0) return award(about, nothing([], 'No offer is ranked, so none can be awarded.'), rfq)
    return award(about, solve(candidates, wanted, currency ?? ''), rfq)
  })
}

/** The combination of whole offers that reaches a volume for least; all of them where they do not reach it. */
export function combinationFor(candidates: readonly Candidate[], wanted: number): Combination {
  return cheapestCombination(candidates, wanted) ?? everything(candidates)
}

function everything(candidates: readonly Candidate[]): Combination {
  const cost = sum(candidates.map((candidate) => candidate.cost))
  const volume = sum(candidates.map((candidate) => candidate.volume))
  return { picked: candidates.map((_, at) => at), volume, cost, exact: true, lowerBound: cost }
}

/** Whether tonnes reach a volume, but for the noise of sums. */
export const reaches = (volume: number, wanted: number): boolean => volume >= reachable(wanted)

const SCENARIOS: Record<AwardScenario, { title: string; rule: string; solve: Solve }> = {
  'cheapest-single': {
    title: 'Cheapest single offer',
    rule: 'The one offer of at least the wanted volume whose whole total is least.',
    solve: cheapestSingle,
  },
  'cheapest-combination': {
    title: 'Cheapest combination, all or nothing',
    rule: 'Whole offers only: the set that reaches the wanted volume for the least sum of totals.',
    solve: cheapestSet,
  },
  'cheapest-divisible': {
    title: 'Cheapest if divisible',
    rule: 'Any part of an offer may be taken at its average price: the wanted volume, filled from the lowest price up.',
    solve: divisible,
  },
  'two-developers': {
    title: 'At most two developers',
    rule: 'As the cheapest combination, from at most two developers.',
    solve: twoDevelopers,
  },
  'meets-requirements': {
    title: 'Only offers that meet every requirement',
    rule: 'As the cheapest combination, of offers that meet every requirement the RFQ states.',
    solve: onlyMeeting,
  },
  'best-score': {
    title: 'Best score',
    rule: 'Whole offers in order of rank, until the wanted volume is reached.',
    solve: bestScore,
  },
  own: {
    title: 'Your own',
    rule: 'The tonnes you choose, at the average price of each offer.',
    solve: (candidates, wanted) => ({
      ...bestScore(candidates, wanted),
      words: 'Nothing was chosen yet: it begins as the best score.',
    }),
  },
}

const whole = (candidate: Candidate) => ({ candidate, tonnes: candidate.volume })

function nothing(candidates: readonly Candidate[], words: string): Choice {
  return { taken: [], considered: candidates.length, exact: true, lowerBound: null, words }
}

function proven(taken: Choice['taken'], considered: number, words: string): Choice {
  return { taken, considered, exact: true, lowerBound: null, words }
}

function cheapestSingle(candidates: readonly Candidate[], wanted: number): Choice {
  const enough = candidates.filter(({ volume }) => reaches(volume, wanted))
  const cheapest = first(enough, (a, b) => a.cost - b.cost || b.volume - a.volume)
  if (cheapest !== undefined) {
    const words = `${counted(enough.length, 'offer')} of ${candidates.length} hold the wanted volume alone.`
    return proven([whole(cheapest)], candidates.length, words)
  }
  const largest = first(candidates, (a, b) => b.volume - a.volume || a.cost - b.cost)
  const taken = largest === undefined ? [] : [whole(largest)]
  const words = `No single offer holds ${tonnes(wanted)}: the largest is shown.`
  return proven(taken, candidates.length, words)
}

// Stable: the first of equals has the lowest sequence.
const first = (candidates: readonly Candidate[], order: (a: Candidate, b: Candidate) => number) =>
  [...candidates].sort(order)[0]

function cheapestSet(candidates: readonly Candidate[], wanted: number, currency: string): Choice {
  const found = cheapestCombination(candidates, wanted)
  if (found === null) return tooLittle(candidates, wanted, candidates)
  return chosen(candidates, found, currency)
}

function tooLittle(candidates: readonly Candidate[], wanted: number, taken: readonly Candidate[]): Choice {
  const most = sum(taken.map(({ volume }) => volume))
  const words = `${tonnes(wanted)} cannot be reached: ${tonnes(most)} is the most there is.`
  return proven(taken.map(whole), candidates.length, words)
}

function chosen(candidates: readonly Candidate[], found: Combination, currency: string): Choice {
  const taken = found.picked.flatMap((at) => candidates.slice(at, at + 1)).map(whole)
  const { exact, lowerBound } = found
  const words = exact
    ? 'Proven: no set of whole offers costs less.'
    : `The least found among ${counted(candidates.length, 'offer')}; none costs less than ${money(lowerBound, currency)}. Proof is certain up to ${EXACT_UP_TO} offers.`
  return { taken, considered: candidates.length, exact, lowerBound: exact ? null : lowerBound, words }
}

function divisible(candidates: readonly Candidate[], wanted: number): Choice {
  const cheapest = [...candidates].sort((a, b) => a.cost / a.volume - b.cost / b.volume)
  const taken: Choice['taken'] = []
  let open = wanted
  for (const candidate of cheapest) {
    if (open <= 0) break
    const part = Math.min(open, candidate.volume)
    taken.push({ candidate, tonnes: part })
    open -= part
  }
  if (open > wanted - reachable(wanted)) return tooLittle(candidates, wanted, candidates)
  return proven(taken, candidates.length, 'Proven: the lowest prices are taken first.')
}

function twoDevelopers(candidates: readonly Candidate[], wanted: number, currency: string): Choice {
  const developers = candidates.map(({ developer }) => developer)
  const found = cheapestOfTwo(candidates, developers, wanted)
  if (found !== null) return chosen(candidates, found, currency)
  const largest = largestTwo(candidates, developers).flatMap((at) => candidates.slice(at, at + 1))
  return tooLittle(candidates, wanted, largest)
}

function onlyMeeting(candidates: readonly Candidate[], wanted: number, currency: string): Choice {
  const meeting = candidates.filter(({ offer }) => offer.meetsRequirements)
  if (meeting.length === 0) return nothing([], 'No ranked offer meets every requirement of the RFQ.')
  return cheapestSet(meeting, wanted, currency)
}

function bestScore(candidates: readonly Candidate[], wanted: number): Choice {
  const taken: Choice['taken'] = []
  let before = 0
  for (const candidate of [...candidates].sort((a, b) => a.offer.rank - b.offer.rank)) {
    if (reaches(before, wanted)) break
    taken.push(whole(candidate))
    before += candidate.volume
  }
  if (!reaches(before, wanted)) return tooLittle(candidates, wanted, candidates)
  return proven(taken, candidates.length, 'In order of rank.')
}

function ownChoice(candidates: readonly Candidate[], own: Readonly<Record<string, number>>): Choice {
  const taken = candidates.flatMap((candidate) => {
    const part = Object.hasOwn(own, candidate.offer.id) ? plausible(own[candidate.offer.id]) : null
    return part !== null && part > 0 ? [{ candidate, tonnes: part }] : []
  })
  const over = taken.filter(({ candidate, tonnes: part }) => !reaches(candidate.volume, part))
  const left = Object.values(own).filter((part) => part !== 0).length - taken.length
  const words = [
    'As chosen.',
    ...over.map(({ candidate }) => `${candidate.offer.label} offers no more than ${tonnes(candidate.volume)}.`),
    ...(left > 0 ? [`${counted(left, 'entry', 'entries')} left aside: not ranked, or no tonnage.`] : []),
  ]
  return proven(taken, candidates.length, words.join(' '))
}

function award(about: Pick<Award, 'scenario' | 'title' | 'rule' | 'wanted'>, choice: Choice, rfq: RfqTerms): Award {
  const winners = choice.taken
    .sort((a, b) => a.candidate.offer.sequence - b.candidate.offer.sequence)
    .map(({ candidate, tonnes: part }) => awardLine(candidate, part))
  const awarded = sum(winners.map((line) => line.tonnes))
  const total = sum(winners.map((line) => line.total))
  const budget = rfq.comparedMaxUnitPrice === null ? null : rfq.comparedMaxUnitPrice * awarded
  const saving = budget === null ? null : budget - total
  return {
    ...about,
    reached: about.wanted !== null && winners.length > 0 && reaches(awarded, about.wanted),
    winners,
    tonnes: awarded,
    coverage: coverageOf(awarded, about.wanted),
    total,
    blendedPrice: ratio(total, awarded),
    budget,
    saving,
    savingShare: ratio(saving, budget),
    developers: new Set(choice.taken.map(({ candidate }) => candidate.developer)).size,
    tonnesOverMaximum: rfq.maxVolume === null ? 0 : Math.max(0, awarded - rfq.maxVolume),
    considered: choice.considered,
    exact: choice.exact,
    lowerBound: choice.lowerBound,
    words: choice.words,
  }
}

function awardLine({ offer, volume, cost }: Candidate, part: number): AwardLine {
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

import { round6, sum } from '../../core/numbers.js'
import type { AwardRule, RequirementLevels, RequirementName } from '../../core/settings.js'
import { cheapestWithin, largestWithin } from '../awards/bounded-combination.js'
import { reachedFrom } from '../awards/cheapest-combination.js'
import type { VolumeBounds } from '../awards/subset-search.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import {
  AWARD_REQUIREMENT,
  type FailedRequirement,
  failedRequirements,
  maxAwardOf,
  OFFER_REQUIREMENTS,
  upTo,
} from './award-requirements.js'

/** An awardable offer, in the comparison currency. */
export interface Candidate {
  offer: OfferReport
  volume: number
  cost: number
  /** What it does not meet, whatever the levels. */
  failed: FailedRequirement[]
  /** The same as bits: a `RequirementMask`. */
  failedMask: RequirementMask
  reviewRejected: boolean
}

/** A set of requirements: bit i is OFFER_REQUIREMENTS[i]; the bit after them is `volumeMax`. */
export type RequirementMask = number

export const AWARD_BIT: RequirementMask = 1 << OFFER_REQUIREMENTS.length
export const maskOf = (names: readonly RequirementName[]): RequirementMask =>
  names.reduce((mask, name) => mask | bitOf(name), 0)
export const bitOf = (name: RequirementName): RequirementMask =>
  name === AWARD_REQUIREMENT ? AWARD_BIT : 1 << OFFER_REQUIREMENTS.indexOf(name)
/** In the order of the digits of a switch key. */
export const namesIn = (mask: RequirementMask): RequirementName[] =>
  [...OFFER_REQUIREMENTS, AWARD_REQUIREMENT].filter((name) => (mask & bitOf(name)) !== 0)

/** The requirements at a level. */
export const withLevel = (levels: RequirementLevels, ...wanted: RequirementLevels[RequirementName][]) =>
  maskOf((Object.keys(levels) as RequirementName[]).filter((name) => wanted.includes(levels[name])))

/** Exclusions from ranking that a requirement covers; others mean that the offer cannot be awarded at all. */
export const COVERED_BY_REQUIREMENTS: ReadonlySet<string> = new Set(['rejected', 'withdrawn', 'expired'])

/** The awardable offers, by sequence. */
export function candidatesOf(offers: readonly OfferReport[], rfq: RfqTerms, asOfDate: string): Candidate[] {
  return offers
    .flatMap((offer) => {
      const { volume } = offer.metrics
      const { total, price } = offer.compared
      const isComparable = offer.eligibility.exclusions.every(({ code }) => COVERED_BY_REQUIREMENTS.has(code))
      if (!isComparable || volume === null || total === null || price === null) return []
      const failed = failedRequirements(offer, rfq, asOfDate)
      const failedMask = maskOf(failed.map(({ name }) => name))
      return [{ offer, volume, cost: total, failed, failedMask, reviewRejected: isReviewRejected(offer) }]
    })
    .sort((a, b) => a.offer.sequence - b.offer.sequence)
}

/** A set of whole offers. */
export interface Solution {
  /** By sequence; empty if there is no award. */
  members: readonly Candidate[]
  tonnes: number
  cost: number
  reached: boolean
  /** Proven optimal under its rule; if it does not reach the volume, proven that none does and that none has more tonnes. */
  exact: boolean
  /** Lower bound on cost; null if exact. */
  lowerBound: number | null
  /** Not reached although enough tonnes are eligible: every set that reaches the volume exceeds the RFQ's maximum. */
  exceedsMaximum: boolean
}

export type AwardSolver = ReturnType<typeof createAwardSolver>

/**
 * Solves awards of whole offers for any set of hard requirements and any wanted volume. Solutions are remembered by the
 * set of eligible offers, and depend on nothing but that set, the volume and the maximum: the same choice of switches
 * always gives the same award.
 *
 * Ties: lower cost, then more tonnes; then the order of the search, in which lower prices, larger volumes and lower
 * sequences come first.
 */
export function createAwardSolver(candidates: readonly Candidate[], rfq: RfqTerms) {
  const rfqMax = maxAwardOf(rfq)
  /** Volume of the candidates by what they fail: few groups, however many offers. */
  const volumes = new Map<RequirementMask, number>()
  for (const { failedMask, volume } of candidates) volumes.set(failedMask, (volumes.get(failedMask) ?? 0) + volume)
  const groups = [...volumes]
  const solved = new Map<string, Solution>()
  let solves = 0

  const eligible = (hard: RequirementMask) => candidates.filter(({ failedMask }) => (failedMask & hard) === 0)
  /** Equal for sets of requirements with the same eligible offers. */
  const eligibleKey = (hard: RequirementMask) => groups.map(([mask]) => ((mask & hard) === 0 ? '1' : '0')).join('')
  /** Tonnes of all eligible offers. */
  const available = (hard: RequirementMask) => sum(groups.map(([mask, volume]) => ((mask & hard) === 0 ? volume : 0)))
  /** The tonnes of an award: they reach the wanted volume and, if `volumeMax` is hard, stay within the maximum. */
  const boundsFor = (hard: RequirementMask, wanted: number): VolumeBounds => ({
    min: reachedFrom(wanted),
    max: rfqMax !== null && hard & AWARD_BIT ? upTo(rfqMax) : Number.POSITIVE_INFINITY,
  })
  const keyFor = (hard: RequirementMask, wanted: number) =>
    `${eligibleKey(hard)} ${boundsFor(hard, wanted).max} ${wanted}`

  /** The cheapest set of eligible offers that reaches the volume and, if `volumeMax` is hard, stays within the maximum. */
  function cheapest(hard: RequirementMask, wanted: number): Solution {
    const key = keyFor(hard, wanted)
    const known = solved.get(key)
    if (known !== undefined) return known
    const solution = solveCheapest(hard, wanted)
    solved.set(key, solution)
    return solution
  }

  function solveCheapest(hard: RequirementMask, wanted: number): Solution {
    const members = eligible(hard)
    const bounds = boundsFor(hard, wanted)
    // The optimum without requirements is reused if it satisfies them: most combinations of switches need no search.
    if (hard !== 0) {
      const free = cheapest(0, wanted)
      const satisfies = free.members.every(({ failedMask }) => (failedMask & hard) === 0) && free.tonnes <= bounds.max
      if (free.reached && free.exact && satisfies) return free
    }
    return cheapestOf(members, bounds)
  }

  /**
   * As `cheapest`, for any offers and bounds. If no set of them lies within the bounds, the one with the most tonnes
   * below; of equal volumes, the cheapest.
   */
  function cheapestOf(members: readonly Candidate[], bounds: VolumeBounds): Solution {
    const { min, max } = bounds
    const total = sum(members.map(({ volume }) => volume))
    if (total < min && total <= max) return shortOf(members, true, false)
    solves++
    const items = members.map(({ volume, cost }) => ({ volume, cost }))
    const pick = (indexes: readonly number[] = []) => indexes.flatMap((at) => members.slice(at, at + 1))
    const { found, exact } = cheapestWithin(items, bounds)
    if (found !== null) {
      const lowerBound = exact ? null : found.lowerBound
      return solutionOf(pick(found.picked), { reached: true, exact, lowerBound, exceedsMaximum: false })
    }
    const largest = largestWithin(items, max)
    return shortOf(pick(largest.found?.picked), exact && largest.exact, total >= min)
  }

  const shortOf = (members: readonly Candidate[], exact: boolean, exceedsMaximum: boolean) =>
    solutionOf(members, { reached: false, exact, lowerBound: null, exceedsMaximum })

  /** As `cheapest`, if one offer were not available. */
  function cheapestWithout(candidate: Candidate, hard: RequirementMask, wanted: number): Solution {
    const award = cheapest(hard, wanted)
    if (award.reached && award.exact && !award.members.includes(candidate)) return award
    const key = `${keyFor(hard, wanted)} without ${candidate.offer.id}`
    const known = solved.get(key)
    if (known !== undefined) return known
    const others = eligible(hard).filter((one) => one !== candidate)
    const solution = cheapestOf(others, boundsFor(hard, wanted))
    solved.set(key, solution)
    return solution
  }

  /**
   * Whole offers by rank until the volume is reached; an offer that would exceed the maximum is skipped. Offers that are
   * not ranked have no score: they come last, by price per tonne, then sequence.
   * @param ranks other ranks by offer ID, for sensitivity
   */
  function bestScore(
    members: readonly Candidate[],
    hard: RequirementMask,
    wanted: number,
    ranks?: ReadonlyMap<string, number>,
  ): Solution {
    const bounds = boundsFor(hard, wanted)
    const steps = takeByScore(members, bounds, ranks)
    const taken = steps.flatMap(({ candidate, isTaken }) => (isTaken ? [candidate] : []))
    const reached = taken.length > 0 && (steps.at(-1)?.tonnes ?? 0) >= bounds.min
    const exceedsMaximum = !reached && taken.length < members.length
    return solutionOf(taken.sort(bySequence), { reached, exact: true, lowerBound: null, exceedsMaximum })
  }

  /** The award that a rule chooses; `without`: if this offer were not available. */
  function byRule(rule: AwardRule, hard: RequirementMask, wanted: number, without?: Candidate): Solution {
    const applied = rule === 'cheapest-regardless' ? 0 : hard
    if (rule === 'best-score-compliant') {
      const members = eligible(applied).filter((candidate) => candidate !== without)
      return bestScore(members, applied, wanted)
    }
    return without === undefined ? cheapest(applied, wanted) : cheapestWithout(without, applied, wanted)
  }

  return {
    candidates,
    /** The RFQ's maximum volume: `maxAwardOf`. */
    max: rfqMax,
    eligible,
    eligibleKey,
    available,
    boundsFor,
    cheapest,
    cheapestOf,
    cheapestWithout,
    bestScore,
    byRule,
    /** Number of searches so far. */
    solves: () => solves,
  }
}

/** The price per tonne that offers without a rank are ordered by. */
export const priceOf = ({ cost, volume }: Candidate) => round6(cost / volume)

/** One offer in the order of the rule `best-score-compliant`. */
export interface ScoreStep {
  candidate: Candidate
  isTaken: boolean
  /** Tonnes taken so far, with this offer. */
  tonnes: number
}

/**
 * Offers by rank, unranked ones last, and which of them are taken: those that do not exceed the maximum, until the volume
 * is reached.
 */
export function takeByScore(
  members: readonly Candidate[],
  { min, max }: VolumeBounds,
  ranks?: ReadonlyMap<string, number>,
): ScoreStep[] {
  const rankOf = ({ offer }: Candidate) => ranks?.get(offer.id) ?? offer.rank ?? Number.POSITIVE_INFINITY
  const order = [...members].sort((a, b) => {
    const [first, second] = [rankOf(a), rankOf(b)]
    return first === second ? priceOf(a) - priceOf(b) : first - second
  })
  let tonnes = 0
  return order.map((candidate) => {
    const isTaken = tonnes < min && tonnes + candidate.volume <= max
    if (isTaken) tonnes += candidate.volume
    return { candidate, isTaken, tonnes }
  })
}

const bySequence = (a: Candidate, b: Candidate) => a.offer.sequence - b.offer.sequence

function solutionOf(
  members: readonly Candidate[],
  result: Pick<Solution, 'reached' | 'exact' | 'lowerBound' | 'exceedsMaximum'>,
): Solution {
  const tonnes = sum(members.map(({ volume }) => volume))
  const cost = sum(members.map(({ cost }) => cost))
  return { members, tonnes, cost, ...result }
}

import type { AwardRule } from '../../core/decision/settings.js'
import { round6, sum } from '../../core/numbers.js'
import { type AwardSet, atLeast, dividedAward, efficientAwards, type Lot, upTo } from './efficient-awards.js'

/** The tonnes that an award may have; `upper` is infinite if nothing limits them. */
export interface TonnesRange {
  lower: number
  upper: number
  /** Whether `upper` is a maximum of the RFQ. If not, a single larger offer may be taken if nothing else reaches `lower`. */
  isUpperStated: boolean
}

/** A whole offer with its score. */
export interface ScoredLot extends Lot {
  score: number
}

/** The award that a rule chooses. */
export interface ChosenAward<L extends Lot> extends AwardSet<L> {
  /** Whether it has at least `lower` tonnes. */
  reached: boolean
  /**
   * By how much less than its cost per tonne an award could cost at most, as a share; null if it is proven to be the best. 0 below the range,
   * if another award may have more tonnes.
   */
  gap: number | null
}

/** The awards among which rules choose. */
export interface AwardSearch<L extends Lot> {
  lots: readonly L[]
  range: TonnesRange
  /** Within `upper`, ascending. */
  efficient: readonly AwardSet<L>[]
  exact: boolean
}

/** Finds the efficient awards of offers within a range. Lots are in the order of their numbers. */
export function searchAwards<L extends Lot>(lots: readonly L[], range: TonnesRange): AwardSearch<L> {
  const all = sum(lots.map(({ tonnes }) => tonnes))
  const { awards, exact } = efficientAwards(lots, Math.min(range.upper, all))
  return { lots, range, efficient: awards, exact }
}

/** The efficient awards that reach the lower end. */
export const reaching = <L extends Lot>({ efficient, range }: AwardSearch<L>): AwardSet<L>[] =>
  efficient.filter(({ tonnes }) => tonnes >= atLeast(range.lower))

export const costPerTonne = ({ cost, tonnes }: Lot): number => cost / tonnes

/** Prices per tonne that differ by a smaller share are equal. */
const SAME_PRICE = 1e-9

/**
 * The award that a rule chooses; null without offers. If nothing reaches the lower end, the efficient award with the most tonnes.
 * - `lowest-price`: the lowest cost per tonne within the range; of equal ones, the most tonnes.
 * - `lowest-cost`: the lowest cost within the range.
 * - `best-score`: offers by score, whole, skipping what does not fit, until the lower end is reached.
 */
export function chooseAward<L extends ScoredLot>(search: AwardSearch<L>, rule: AwardRule): ChosenAward<L> | null {
  if (rule === 'best-score') return byScore(search)
  const within = reaching(search)
  const best = rule === 'lowest-cost' ? within[0] : cheapestPerTonne(within)
  if (best !== undefined) return { ...best, reached: true, gap: search.exact ? null : gapOf(best, search, rule) }
  const single = singleLarger(search, rule)
  if (single !== null) return single
  const most = search.efficient.at(-1)
  if (most === undefined) return null
  // Nothing has more tonnes than all offers together.
  const isProven = search.exact || most.tonnes >= atLeast(sum(search.lots.map(({ tonnes }) => tonnes)))
  return { ...most, reached: false, gap: isProven ? null : 0 }
}

/** Of equal prices, the last, which has the most tonnes. */
export function cheapestPerTonne<S extends Lot>(sets: readonly S[]): S | undefined {
  let best: S | undefined
  for (const set of sets) {
    if (best === undefined || costPerTonne(set) <= costPerTonne(best) * (1 + SAME_PRICE)) best = set
  }
  return best
}

/** Less is shown as 0 %. */
const NO_GAP = 5e-4

/** How far the award may be from the best, measured by what the same tonnes would cost if offers could be divided. */
function gapOf<L extends Lot>(award: Lot, { lots, range }: AwardSearch<L>, rule: AwardRule): number | null {
  const bound = dividedAward(lots, range.lower)?.cost ?? 0
  const own = rule === 'lowest-cost' ? award.cost : costPerTonne(award) * range.lower
  const gap = own > 0 ? 1 - bound / own : 0
  return gap > NO_GAP ? gap : null
}

/** If the RFQ states no maximum, one offer larger than the range is better than none. */
function singleLarger<L extends Lot>({ lots, range }: AwardSearch<L>, rule: AwardRule): ChosenAward<L> | null {
  const larger = range.isUpperStated ? [] : lots.filter(({ tonnes }) => tonnes > upTo(range.upper))
  const measure = (lot: L) => (rule === 'lowest-cost' ? lot.cost : costPerTonne(lot))
  const [first, ...others] = larger
  if (first === undefined) return null
  const best = others.reduce((one, other) => (measure(other) < measure(one) ? other : one), first)
  return { tonnes: best.tonnes, cost: best.cost, lots: () => [best], reached: true, gap: null }
}

function byScore<L extends ScoredLot>(search: AwardSearch<L>): ChosenAward<L> | null {
  const { lots, range } = search
  const order = lots
    .map((lot, at) => ({ lot, at }))
    .sort((a, b) => round6(b.lot.score) - round6(a.lot.score) || a.at - b.at)
  const taken: typeof order = []
  let tonnes = 0
  for (const each of order) {
    if (tonnes >= atLeast(range.lower)) break
    if (tonnes + each.lot.tonnes > upTo(range.upper)) continue
    taken.push(each)
    tonnes += each.lot.tonnes
  }
  const reached = tonnes > 0 && tonnes >= atLeast(range.lower)
  if (!reached) {
    const single = reaching(search).length === 0 ? singleLarger(search, 'lowest-price') : null
    if (single !== null) return single
  }
  if (taken.length === 0) return null
  const members = taken.sort((a, b) => a.at - b.at).map(({ lot }) => lot)
  return { tonnes, cost: sum(members.map(({ cost }) => cost)), lots: () => members, reached, gap: null }
}

/** The range that is left to the others if an offer, or what is accepted, is part of the award. */
export const without = ({ lower, upper, isUpperStated }: TonnesRange, tonnes: number): TonnesRange => ({
  lower: tonnes >= atLeast(lower) ? 0 : lower - tonnes,
  upper: upTo(upper) - tonnes,
  isUpperStated,
})

/**
 * The highest cost of an offer at which the rule awards it, with all others unchanged. For `lowest-price`: with a₀ the lowest cost per
 * tonne without it and v its tonnes, the largest a₀ (v + t) − c over the efficient awards (t, c) of the others with v + t in the range.
 * For `lowest-cost`: the largest C₀ − c, with C₀ the lowest cost without it.
 * @param tonnes of the offer
 * @param lots the other offers; `range` is the whole one
 * @returns `any` if nothing reaches the range without it; null if it can never be part of an award within the range
 */
export function breakEvenCost<L extends Lot>(
  tonnes: number,
  { lots, range }: Pick<AwardSearch<L>, 'lots' | 'range'>,
  rule: Exclude<AwardRule, 'best-score'>,
): number | 'any' | null {
  const rest = without(range, tonnes)
  if (rest.upper < 0) return null
  // Not those of the whole range: what is beaten there by an award that is too large beside this offer counts here.
  const beside = [...(rest.lower === 0 ? [{ tonnes: 0, cost: 0 }] : []), ...reaching(searchAwards(lots, rest))]
  if (beside.length === 0) return null
  const within = reaching(searchAwards(lots, range))
  const best = rule === 'lowest-cost' ? within[0] : cheapestPerTonne(within)
  if (best === undefined) return 'any'
  const limits = beside.map((other) =>
    rule === 'lowest-cost' ? best.cost - other.cost : costPerTonne(best) * (tonnes + other.tonnes) - other.cost,
  )
  const limit = limits.reduce((a, b) => Math.max(a, b))
  return limit > 0 ? limit : null
}

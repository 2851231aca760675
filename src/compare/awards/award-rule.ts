import { sum } from '../../core/numbers.js'
import { type AwardSet, atLeast, type EfficientAwards, efficientAwards, type Lot, upTo } from './efficient-awards.js'

/** The tonnes that an award may have; `upper` is infinite if nothing limits them. */
export interface TonnesRange {
  lower: number
  upper: number
  /** Whether `upper` is a maximum of the RFQ. If not, a single larger offer may be awarded too. */
  isUpperStated: boolean
}

/** By how much more a tonne may cost than at the lowest price, as a share; `unlimited`: by any amount. */
export type Tolerance = number | 'unlimited'

/** The award that the rule chooses. */
export interface ChosenAward<L extends Lot> extends AwardSet<L> {
  /** Whether it has at least `lower` tonnes. */
  reached: boolean
  /**
   * By how much less than its cost per tonne an award could cost at most, as a share; null if it is proven to be the best. 0 below the range,
   * if another award may have more tonnes.
   */
  gap: number | null
}

/** The awards among which the rule chooses. */
export interface AwardSearch<L extends Lot> extends Omit<EfficientAwards<L>, 'awards'> {
  lots: readonly L[]
  range: TonnesRange
  /** Within `upper`, ascending. */
  efficient: readonly AwardSet<L>[]
}

/** Finds the efficient awards of offers within a range. Lots are in the order of their submission. */
export function searchAwards<L extends Lot>(lots: readonly L[], range: TonnesRange): AwardSearch<L> {
  const all = sum(lots.map(({ tonnes }) => tonnes))
  const { awards, ...search } = efficientAwards(lots, Math.min(range.upper, all))
  return { lots, range, efficient: awards, ...search }
}

/** The efficient awards that reach the lower end. */
export const reaching = <L extends Lot>({ efficient, range }: AwardSearch<L>): AwardSet<L>[] =>
  efficient.filter(({ tonnes }) => tonnes >= atLeast(range.lower))

/** What the rule chooses among: the efficient awards that reach the lower end, and without a maximum each single larger offer. */
export const eligible = <L extends Lot>(search: AwardSearch<L>): AwardSet<L>[] => {
  const { lots, range } = search
  const larger = range.isUpperStated ? [] : lots.filter(({ tonnes }) => tonnes > upTo(range.upper))
  const single = (lot: L) => ({ tonnes: lot.tonnes, cost: lot.cost, lots: () => [lot] })
  return [...reaching(search), ...larger.map(single).sort((a, b) => a.tonnes - b.tonnes)]
}

export const costPerTonne = ({ cost, tonnes }: Lot): number => cost / tonnes

/** Prices and totals that differ by a smaller share are equal. */
const SLACK = 1e-9

/** The lowest cost per tonne; of equal ones, the first. */
export const cheapestPerTonne = <S extends Lot>(sets: readonly S[]): S | undefined =>
  firstBy(sets, costPerTonne, Number.POSITIVE_INFINITY)

/**
 * The rule: the lowest total of the awards whose cost per tonne is at most the tolerance above the lowest one.
 * @param sets by tonnes, ascending: of equal totals, the first
 */
export const bestOf = <S extends Lot>(sets: readonly S[], tolerance: Tolerance): S | undefined =>
  firstBy(sets, ({ cost }) => cost, mostPerTonne(lowestPrice(sets, NOTHING), tolerance))

const mostPerTonne = (lowest: number, tolerance: Tolerance): number =>
  tolerance === 'unlimited' ? Number.POSITIVE_INFINITY : lowest * (1 + tolerance) * (1 + SLACK)

/** The first with the lowest measure, of those that cost at most so much per tonne. */
function firstBy<S extends Lot>(sets: readonly S[], measure: (set: S) => number, most: number): S | undefined {
  let best: S | undefined
  for (const set of sets) {
    if (costPerTonne(set) > most) continue
    if (best === undefined || measure(set) < measure(best) * (1 - SLACK)) best = set
  }
  return best
}

/** The award that the rule chooses; null without offers. If nothing reaches the lower end, the efficient award with the most tonnes. */
export function chooseAward<L extends Lot>(search: AwardSearch<L>, tolerance: Tolerance): ChosenAward<L> | null {
  const best = bestOf(eligible(search), tolerance)
  if (best !== undefined) return { reached: true, gap: search.exact ? null : gapOf(best, search, tolerance), ...best }
  const most = search.efficient.at(-1)
  if (most === undefined) return null
  // Nothing has more tonnes than all offers together.
  const isProven = search.exact || most.tonnes >= atLeast(sum(search.lots.map(({ tonnes }) => tonnes)))
  return { reached: false, gap: isProven ? null : 0, ...most }
}

/** Less is shown as 0 %. */
const NO_GAP = 5e-4

/** How far the award may be from the best, measured by what the lower end would cost if parts of offers could be bought. */
function gapOf<L extends Lot>(award: Lot, { lots, range }: AwardSearch<L>, tolerance: Tolerance): number | null {
  const own = tolerance === 'unlimited' ? award.cost : costPerTonne(award) * range.lower
  const gap = own > 0 ? 1 - lowerBound(lots, range.lower) / own : 0
  return gap > NO_GAP ? gap : null
}

/** What so many tonnes cost if parts of offers could be bought, cheapest first: no whole offers cost less. */
export function lowerBound(lots: readonly Lot[], tonnes: number): number {
  let [rest, cost] = [tonnes, 0]
  for (const lot of [...lots].sort((a, b) => costPerTonne(a) - costPerTonne(b))) {
    const part = Math.min(rest, lot.tonnes)
    cost += part * costPerTonne(lot)
    rest -= part
  }
  return cost
}

/** The range that is left to the others if an offer, or what is accepted, is part of the award. */
export const without = ({ lower, upper, isUpperStated }: TonnesRange, tonnes: number): TonnesRange => ({
  lower: tonnes >= atLeast(lower) ? 0 : lower - tonnes,
  upper: upTo(upper) - tonnes,
  isUpperStated,
})

/**
 * The highest cost of an offer at which the rule awards it, with all others unchanged. A higher cost never makes an award
 * with it better: it raises the totals of those, puts the ones with few tonnes beyond the tolerance first, and never shuts out others.
 * @param tonnes of the offer
 * @param others the search among all other offers, within the whole range
 * @returns `any` if nothing reaches the range without it; null if it can never be part of an award within the range
 */
export function breakEvenCost<L extends Lot>(
  tonnes: number,
  others: AwardSearch<L>,
  tolerance: Tolerance,
): number | 'any' | null {
  const rest = without(others.range, tonnes)
  const isLarger = rest.upper < 0 && !rest.isUpperStated
  if (rest.upper < 0 && !isLarger) return null
  // Not those of the whole range: what is beaten there by an award that is too large beside this offer counts here.
  const complements = isLarger ? [] : others.awardsUpTo(rest.upper).filter((set) => set.tonnes >= atLeast(rest.lower))
  const beside: Lot[] = [...(rest.lower === 0 ? [{ tonnes: 0, cost: 0 }] : []), ...complements]
  if (beside.length === 0) return null
  const rivals = eligible(others)
  if (rivals.length === 0) return 'any'
  const lowestRival = lowestPrice(rivals, NOTHING)
  const isAwarded = (cost: number) => {
    const own = { tonnes, cost }
    const most = mostPerTonne(Math.min(lowestPrice(beside, own), lowestRival), tolerance)
    return lowestTotal(beside, own, most) <= lowestTotal(rivals, NOTHING, most) * (1 + SLACK)
  }
  if (!isAwarded(0)) return null
  const most = tonnes + (beside.at(-1)?.tonnes ?? 0)
  let low = 0
  let high = rivals.reduce((dearest, { cost }) => Math.max(dearest, cost), lowestRival * most) * (1 + 1e-6)
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2
    if (isAwarded(middle)) low = middle
    else high = middle
  }
  return low > 0 ? low : null
}
/** To twelve digits of the dearest award. */
const BISECTIONS = 40

const NOTHING: Lot = { tonnes: 0, cost: 0 }

/** The lowest cost per tonne of sets with an offer added to each; without building sets, since it is computed often. */
const lowestPrice = (sets: readonly Lot[], added: Lot): number =>
  sets.reduce(
    (lowest, { tonnes, cost }) => Math.min(lowest, (cost + added.cost) / (tonnes + added.tonnes)),
    Number.POSITIVE_INFINITY,
  )

/** The lowest total of those that cost at most so much per tonne. */
const lowestTotal = (sets: readonly Lot[], added: Lot, most: number): number =>
  sets.reduce((lowest, { tonnes, cost }) => {
    const total = cost + added.cost
    return total <= most * (tonnes + added.tonnes) ? Math.min(lowest, total) : lowest
  }, Number.POSITIVE_INFINITY)

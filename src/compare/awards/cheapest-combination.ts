/**
 * The cheapest set of whole offers that reaches a volume: the 0/1 covering knapsack problem. A greedy choice by price is
 * not optimal, so the search covers all sets that could be optimal and prunes the rest:
 * 1. a greedy heuristic finds a good set: the lowest prices, completed by each single offer;
 * 2. the LP bound (offers divisible) fixes offers that must or must not be in any better set;
 * 3. the remaining offers are split into halves; the undominated subsets of each half are listed and matched. If there
 *    are too many, undominated subsets are extended offer by offer and pruned by the LP bound.
 * Sources: Martello and Toth, Knapsack Problems (1990), ch. 2; Horowitz and Sahni, Computing partitions (1974).
 */
import {
  add,
  byUnitCost,
  type Combination,
  combinationOf,
  EMPTY_SUBSET,
  extendSubsets,
  fixVariables,
  greedySubset,
  halvesOf,
  type Item,
  indexesOf,
  isBetter,
  isProvenMinimum,
  lpBound,
  type ReducedProblem,
  type SortedItems,
  type Subset,
  TOLERANCE,
  union,
} from './subset-search.js'

/** Always exact up to this number of offers; usually exact beyond. */
export const EXACT_UP_TO = 36
/** Subsets listed before the search gives up the proof, and how many of the best it then continues with. */
export const MAX_SUBSETS = 500_000
const BEAM_WIDTH = 400

/** The volume from which a target counts as reached, given floating-point noise: wanted × (1 − 1E-9). */
export const reachedFrom = (wanted: number): number => wanted * (1 - TOLERANCE)
/** The remainder of a volume that counts as nothing: wanted × 1E-9. */
export const negligibleRest = (wanted: number): number => wanted * TOLERANCE

/**
 * @param wanted volume to reach, above 0
 * @returns null if all items together do not reach it
 */
export const cheapestCombination = (items: readonly Item[], wanted: number): Combination | null =>
  cheapestCover(items, reachedFrom(wanted))

/**
 * As `cheapestCombination`, for a target without tolerance.
 * @param target above 0
 */
export function cheapestCover(items: readonly Item[], target: number): Combination | null {
  const sorted = byUnitCost(items)
  if (sorted.total < target) return null
  const first = dropRedundant(greedySubset(sorted, { min: target, max: Number.POSITIVE_INFINITY }), sorted, target)
  const bound = lpBound(sorted, target)
  const { subset, complete } = isProvenMinimum(first, bound)
    ? { subset: first, complete: true }
    : search(sorted, target, first)
  return combinationOf(subset, complete || isProvenMinimum(subset, bound), bound)
}

function search(sorted: SortedItems, target: number, first: Subset): SearchResult {
  const core = fixVariables(sorted, target, first.cost)
  return core.free.items.length > EXACT_UP_TO ? prunedSearch(core, first) : matchHalves(core, first)
}

/** Removes items that are not needed to reach the target, most expensive first. */
function dropRedundant(subset: Subset | null, { items }: SortedItems, target: number): Subset {
  if (subset === null) throw new RangeError('the items do not reach the volume')
  const inside = new Set(indexesOf(subset))
  const kept = items.filter((item) => inside.has(item.index)).sort((a, b) => b.cost - a.cost)
  let volume = subset.volume
  const needed = kept.filter((item) => {
    if (volume - item.volume < target) return true
    volume -= item.volume
    return false
  })
  return needed.reduce(add, EMPTY_SUBSET)
}

interface SearchResult {
  subset: Subset
  complete: boolean
}

function matchHalves({ fixed, free, target }: ReducedProblem, best: Subset): SearchResult {
  const [firstHalf, secondHalf] = halvesOf(free.items)
  const left = firstHalf.reduce((sets, item) => extendSubsets(sets, item, target), [fixed])
  const right = secondHalf.reduce((sets, item) => extendSubsets(sets, item, target), [EMPTY_SUBSET])
  return { subset: match(left, right, target, best), complete: true }
}

/** The cheapest pair of a left and a right set that reaches the target; both lists ascend in volume and cost. */
function match(left: readonly Subset[], right: readonly Subset[], target: number, best: Subset): Subset {
  let pair: [Subset, Subset] | null = null
  let cost = best.cost
  let volume = best.volume
  let at = right.length - 1
  for (const one of left) {
    while (at > 0 && one.volume + (right[at - 1]?.volume ?? 0) >= target) at--
    const other = right[at]
    if (other === undefined || one.volume + other.volume < target) continue
    const sumCost = one.cost + other.cost
    const sumVolume = one.volume + other.volume
    if (sumCost > cost || (sumCost === cost && sumVolume <= volume)) continue
    pair = [one, other]
    cost = sumCost
    volume = sumVolume
  }
  return pair === null ? best : union(...pair)
}

/** Extends the subsets by all free items, lowest prices first, and prunes those that cannot improve. */
function prunedSearch({ fixed, free, target }: ReducedProblem, first: Subset): SearchResult {
  let sets: Subset[] = [fixed]
  let best = first
  let listed = 0
  for (const [at, item] of free.items.entries()) {
    const bound = (set: Subset) => set.cost + lpBound(free, target - set.volume, at + 1)
    sets = extendSubsets(sets, item, target, (set) => bound(set) <= best.cost * (1 + TOLERANCE))
    const last = sets.at(-1)
    if (last !== undefined && last.volume >= target && isBetter(last, best)) best = last
    listed += sets.length
    if (listed > MAX_SUBSETS) sets = mostPromising(sets, bound)
  }
  return { subset: best, complete: listed <= MAX_SUBSETS }
}

function mostPromising(sets: Subset[], bound: (set: Subset) => number): Subset[] {
  if (sets.length <= BEAM_WIDTH) return sets
  const limit = sets.map(bound).sort((a, b) => a - b)[BEAM_WIDTH - 1] ?? 0
  return sets.filter((set) => bound(set) <= limit).slice(0, BEAM_WIDTH)
}

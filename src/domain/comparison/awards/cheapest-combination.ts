/**
 * The cheapest set of whole offers that reaches a volume: the 0/1 covering knapsack problem. A greedy choice by price is
 * not optimal, so the search covers all sets that could be optimal and prunes the rest:
 * 1. a greedy heuristic finds a good set: the lowest prices, completed by each single offer;
 * 2. the LP bound (offers divisible) fixes offers that must or must not be in any better set;
 * 3. the remaining offers are split into halves; the undominated subsets of each half are listed and matched. If there
 *    are too many, undominated subsets are extended offer by offer and pruned by the LP bound.
 * Sources: Martello and Toth, Knapsack Problems (1990), ch. 2; Horowitz and Sahni, Computing partitions (1974).
 */

/** Both above 0. */
export interface Item {
  volume: number
  cost: number
}

export interface Combination {
  /** Indexes into the items, ascending. */
  picked: number[]
  volume: number
  cost: number
  /** Proven optimal. */
  exact: boolean
  /** Lower bound on cost; equals `cost` if exact. */
  lowerBound: number
}

/** Always exact up to this number of offers; usually exact beyond. */
export const EXACT_UP_TO = 36
/** Subsets listed before the search gives up the proof, and how many of the best it then continues with. */
export const MAX_SUBSETS = 500_000
const BEAM_WIDTH = 400

/** Relative floating-point noise of long sums. */
export const TOLERANCE = 1e-9

/** The volume from which a target counts as reached, given floating-point noise: wanted × (1 − 1E-9). */
export const reachedFrom = (wanted: number): number => wanted * (1 - TOLERANCE)
/** The remainder of a volume that counts as nothing: wanted × 1E-9. */
export const negligibleRest = (wanted: number): number => wanted * TOLERANCE

/** A set of items as a linked list: its newest item and the subset before it. */
export interface Subset {
  volume: number
  cost: number
  index: number
  before: Subset | null
}
export const EMPTY_SUBSET: Subset = { volume: 0, cost: 0, index: -1, before: null }

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

/** @param floor lower bound on cost, used if the subset is not proven optimal */
export function combinationOf(subset: Subset, exact: boolean, floor: number): Combination {
  const { volume, cost } = subset
  const picked = indexesOf(subset).sort((a, b) => a - b)
  return { picked, volume, cost, exact, lowerBound: exact ? cost : floor }
}

export const isProvenMinimum = (subset: Subset, bound: number) => subset.cost <= bound * (1 + TOLERANCE)

function search(sorted: SortedItems, target: number, first: Subset): SearchResult {
  const core = fixVariables(sorted, target, first.cost)
  return core.free.items.length > EXACT_UP_TO ? prunedSearch(core, first) : matchHalves(core, first)
}

function indexesOf(subset: Subset): number[] {
  const indexes: number[] = []
  for (let at: Subset | null = subset; at !== null && at.before !== null; at = at.before) indexes.push(at.index)
  return indexes
}

/** Costs less, or as much for more tonnes. */
export const isBetter = (a: Item, b: Item): boolean => a.cost < b.cost || (a.cost === b.cost && a.volume > b.volume)
export const add = (before: Subset, item: IndexedItem): Subset => ({
  volume: before.volume + item.volume,
  cost: before.cost + item.cost,
  index: item.index,
  before,
})

// --- sorted by unit cost, with prefix sums: the LP bound in O(log n) -------------------------------------------------------

export interface IndexedItem extends Item {
  index: number
}
export interface SortedItems {
  items: IndexedItem[]
  /** Sums of the first k items. */
  volumes: Float64Array
  costs: Float64Array
  total: number
}

export function byUnitCost(items: readonly Item[]): SortedItems {
  const indexed = items.map(({ volume, cost }, index) => ({ volume, cost, index }))
  indexed.sort((a, b) => a.cost / a.volume - b.cost / b.volume || b.volume - a.volume || a.index - b.index)
  return withSums(indexed)
}

function withSums(items: IndexedItem[]): SortedItems {
  const volumes = new Float64Array(items.length + 1)
  const costs = new Float64Array(items.length + 1)
  for (const [at, item] of items.entries()) {
    volumes[at + 1] = (volumes[at] ?? 0) + item.volume
    costs[at + 1] = (costs[at] ?? 0) + item.cost
  }
  return { items, volumes, costs, total: volumes[items.length] ?? 0 }
}

/** Minimum cost of a volume with divisible items from index `from` on; Infinity if they do not reach it. */
export function lpBound({ items, volumes, costs }: SortedItems, target: number, from = 0): number {
  if (target <= 0) return 0
  const goal = (volumes[from] ?? 0) + target
  const end = firstAtLeast(volumes, goal)
  const last = items[end - 1]
  if (end > items.length || last === undefined) return Number.POSITIVE_INFINITY
  const whole = (costs[end - 1] ?? 0) - (costs[from] ?? 0)
  return whole + ((goal - (volumes[end - 1] ?? 0)) / last.volume) * last.cost
}

function firstAtLeast(ascending: Float64Array, goal: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) >= goal) high = middle
    else low = middle + 1
  }
  return low
}

// --- 1. greedy ---------------------------------------------------------------------------------------------------

/** Tonnes, both inclusive; `max` may be infinite. */
export interface VolumeBounds {
  min: number
  max: number
}

/**
 * Fills up in order of price, skipping what exceeds the upper bound, and completes each stage with the cheapest single
 * item that leads within the bounds.
 * @returns null if no stage can be completed; never null if there is no upper bound and all items together reach `min`
 */
export function greedySubset({ items }: SortedItems, { min, max }: VolumeBounds): Subset | null {
  let best: Subset | null = null
  let filled = EMPTY_SUBSET
  for (const [at, item] of items.entries()) {
    for (let rest = at; rest < items.length; rest++) {
      const last = items[rest]
      if (last === undefined) continue
      const volume = filled.volume + last.volume
      if (volume < min || volume > max) continue
      if (best === null || filled.cost + last.cost < best.cost) best = add(filled, last)
    }
    if (filled.volume + item.volume <= max) filled = add(filled, item)
    if (filled.volume >= min) break
  }
  return best
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

// --- 2. variable fixing ----------------------------------------------------------------------------------

export interface ReducedProblem {
  /** Items in every set that could be better. */
  fixed: Subset
  /** Undecided items. */
  free: SortedItems
  target: number
}

export function fixVariables(sorted: SortedItems, target: number, best: number): ReducedProblem {
  const limit = best * (1 + TOLERANCE)
  let fixed = EMPTY_SUBSET
  const free: IndexedItem[] = []
  for (const [at, item] of sorted.items.entries()) {
    if (boundWithout(sorted, target, at) > limit) fixed = add(fixed, item)
    else if (boundWith(sorted, target, at) <= limit) free.push(item)
  }
  return { fixed, free: withSums(free), target }
}

function boundWithout(sorted: SortedItems, target: number, at: number): number {
  const { items, volumes } = sorted
  if ((volumes[at] ?? 0) >= target) return lpBound(sorted, target)
  const item = items[at]
  return item === undefined ? 0 : lpBound(sorted, target + item.volume) - item.cost
}

function boundWith(sorted: SortedItems, target: number, at: number): number {
  const { items, volumes } = sorted
  const item = items[at]
  if (item === undefined) return 0
  const rest = target - item.volume
  if (rest <= 0) return item.cost
  // The bound of the other items: this item takes only its own place among the lowest prices.
  const others = (volumes[at] ?? 0) >= rest ? lpBound(sorted, rest) : lpBound(sorted, rest + item.volume) - item.cost
  return item.cost + others
}

// --- 3. exact search ------------------------------------------------------------------------------------------------

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

/** Every other item each, so that both halves have prices of every height. */
export const halvesOf = (items: readonly IndexedItem[]): [IndexedItem[], IndexedItem[]] => [
  items.filter((_, at) => at % 2 === 0),
  items.filter((_, at) => at % 2 === 1),
]

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

/** The union of two disjoint subsets. */
export function union(one: Subset, other: Subset): Subset {
  const items: IndexedItem[] = []
  for (let at: Subset = other; at.before !== null; at = at.before) {
    items.push({ index: at.index, volume: at.volume - at.before.volume, cost: at.cost - at.before.cost })
  }
  return { ...items.reduce(add, one), volume: one.volume + other.volume, cost: one.cost + other.cost }
}

/**
 * All undominated subsets with or without one more item: no kept subset costs as much as another of at least its volume.
 * Of the subsets that reach the target, only the cheapest is kept.
 * @param sets ascending in volume and cost
 */
export function extendSubsets(
  sets: readonly Subset[],
  item: IndexedItem,
  target: number,
  keep?: (set: Subset) => boolean,
): Subset[] {
  const merged: Subset[] = []
  let best = Number.NEGATIVE_INFINITY
  let keptAt = 0
  let extendedAt = 0
  let extended = nextExtended(sets, extendedAt, item)
  while (best < target && (extended !== null || keptAt < sets.length)) {
    const kept = sets[keptAt]
    const takeKept = kept !== undefined && (extended === null || !isBetter(extended, kept))
    const next = takeKept ? kept : extended
    if (takeKept) keptAt++
    else extended = nextExtended(sets, ++extendedAt, item)
    if (next === null || next.volume <= best || keep?.(next) === false) continue
    best = next.volume
    merged.push(next)
  }
  return merged
}

function nextExtended(sets: readonly Subset[], at: number, item: IndexedItem): Subset | null {
  const base = sets[at]
  return base === undefined ? null : add(base, item)
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

/** What the searches for the cheapest set of items share: subsets, the LP bound, a greedy heuristic and variable fixing. */

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

/** Relative floating-point noise of long sums. */
export const TOLERANCE = 1e-9

/** A set of items as a linked list: its newest item and the subset before it. */
export interface Subset {
  volume: number
  cost: number
  index: number
  before: Subset | null
}
export const EMPTY_SUBSET: Subset = { volume: 0, cost: 0, index: -1, before: null }

export function indexesOf(subset: Subset): number[] {
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

/** @param floor lower bound on cost, used if the subset is not proven optimal */
export function combinationOf(subset: Subset, exact: boolean, floor: number): Combination {
  const { volume, cost } = subset
  const picked = indexesOf(subset).sort((a, b) => a - b)
  return { picked, volume, cost, exact, lowerBound: exact ? cost : floor }
}

export const isProvenMinimum = (subset: Subset, bound: number) => subset.cost <= bound * (1 + TOLERANCE)

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

// --- greedy heuristic ---------------------------------------------------------------------------------------------------

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

// --- variable fixing ----------------------------------------------------------------------------------

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

/** Every other item each, so that both halves have prices of every height. */
export const halvesOf = (items: readonly IndexedItem[]): [IndexedItem[], IndexedItem[]] => [
  items.filter((_, at) => at % 2 === 0),
  items.filter((_, at) => at % 2 === 1),
]

// --- lists of subsets ------------------------------------------------------------------------------------------

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

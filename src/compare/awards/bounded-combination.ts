/**
 * The cheapest set of whole offers whose volume lies between two bounds. Without the upper bound this is
 * cheapest-combination.ts, whose result is optimal if it stays within the bound. If it does not, more tonnes are no longer
 * better, so subsets cannot be discarded because another one is cheaper and larger. The search without an upper bound
 * discards them: it proves more and, for up to EXACT_UP_TO offers, takes less time. Here:
 * 1. a heuristic finds a good set within the bounds, if it can;
 * 2. the LP bound fixes offers, as without the upper bound;
 * 3. up to EXACT_UP_TO remaining offers are split into halves, all subsets of each half are listed by volume, and for each
 *    left one the cheapest right one that completes it within the bounds is found with a sliding window. With more offers,
 *    a depth-first search is pruned by the LP bound and gives up the proof after MAX_NODES.
 */
import { cheapestCover, EXACT_UP_TO } from './cheapest-combination.js'
import {
  add,
  byUnitCost,
  type Combination,
  combinationOf,
  EMPTY_SUBSET,
  fixVariables,
  greedySubset,
  halvesOf,
  type IndexedItem,
  type Item,
  isBetter,
  isProvenMinimum,
  lpBound,
  type ReducedProblem,
  type Subset,
  TOLERANCE,
  type VolumeBounds,
} from './subset-search.js'

export interface BoundedCombination {
  /** Null: no set within the bounds was found. */
  found: Combination | null
  /** `found` is proven optimal or, if it is null, it is proven that there is no such set. */
  exact: boolean
}

/** Nodes of the depth-first search before it gives up the proof. */
const MAX_NODES = 200_000

/** The cheapest set within the bounds; the empty set if `min` is not above 0. */
export function cheapestWithin(items: readonly Item[], { min, max }: VolumeBounds): BoundedCombination {
  if (min > max) return { found: null, exact: true }
  if (min <= 0) return { found: { picked: [], volume: 0, cost: 0, exact: true, lowerBound: 0 }, exact: true }
  const usable = itemsUpTo(items, max)
  const unbounded = cheapestCover(usable, min)
  if (unbounded === null) return { found: null, exact: true }
  const { found, exact } =
    unbounded.volume <= max
      ? { found: unbounded, exact: unbounded.exact }
      : searchWithin(usable, { min, max }, unbounded.lowerBound)
  if (found === null) return { found, exact }
  return { found: { ...found, picked: found.picked.map((at) => usable[at]?.index ?? 0) }, exact }
}

/** The items that do not exceed the upper bound alone. */
const itemsUpTo = (items: readonly Item[], max: number): IndexedItem[] =>
  items.flatMap(({ volume, cost }, index) => (volume <= max ? [{ volume, cost, index }] : []))

/** @param floor lower bound on the cost of any set that reaches `min` */
function searchWithin(items: readonly Item[], bounds: VolumeBounds, floor: number): BoundedCombination {
  const sorted = byUnitCost(items)
  const first = greedySubset(sorted, bounds)
  // By the second condition, more tonnes cost more.
  if (first !== null && isProvenMinimum(first, floor) && isProvenMinimum(first, lpBound(sorted, first.volume))) {
    return resultOf(first, true, floor)
  }
  const core = fixVariables(sorted, bounds.min, first?.cost ?? Number.POSITIVE_INFINITY)
  const { subset, complete } =
    core.free.items.length > EXACT_UP_TO ? depthFirst(core, bounds, first) : matchWindows(core, bounds, first)
  return resultOf(subset, complete || (subset !== null && isProvenMinimum(subset, floor)), floor)
}

function resultOf(subset: Subset | null, exact: boolean, floor: number): BoundedCombination {
  if (subset === null) return { found: null, exact }
  return { found: combinationOf(subset, exact, floor), exact }
}

// --- up to EXACT_UP_TO items ----------------------------------------------------------------------------------------

/** All subsets of some items, ascending in volume; `masks` has one bit per item. */
interface SubsetList {
  volumes: Float64Array
  costs: Float64Array
  masks: Uint32Array
}

function matchWindows({ fixed, free }: ReducedProblem, { min, max }: VolumeBounds, best: Subset | null) {
  const [leftItems, rightItems] = halvesOf(free.items)
  const left = allSubsets(leftItems, fixed)
  const right = allSubsets(rightItems, EMPTY_SUBSET)
  const pair = cheapestMatch(left, right, { min, max }, best)
  if (pair === null) return { subset: best, complete: true }
  const members = [...membersOf(leftItems, left.masks[pair[0]]), ...membersOf(rightItems, right.masks[pair[1]])]
  return { subset: members.reduce(add, fixed), complete: true }
}

const membersOf = (items: readonly IndexedItem[], mask = 0) => items.filter((_, at) => (mask >>> at) & 1)

/** Indexes of the cheapest pair within the bounds that improves on `best`, or null. */
function cheapestMatch(left: SubsetList, right: SubsetList, { min, max }: VolumeBounds, best: Subset | null) {
  let [cost, volume] = [best?.cost ?? Number.POSITIVE_INFINITY, best?.volume ?? 0]
  let pair: [number, number] | null = null
  // Right subsets in the window, cheapest first; the window moves to smaller volumes as left volumes grow.
  const window = new Int32Array(right.volumes.length)
  let [head, tail, next] = [0, 0, right.volumes.length - 1]
  for (let at = 0; at < left.volumes.length; at++) {
    const [ownVolume, ownCost] = [left.volumes[at] ?? 0, left.costs[at] ?? 0]
    for (; next >= 0 && ownVolume + (right.volumes[next] ?? 0) >= min; next--) {
      const added = right.costs[next] ?? 0
      while (tail > head && (right.costs[window[tail - 1] ?? 0] ?? 0) > added) tail--
      window[tail++] = next
    }
    while (head < tail && ownVolume + (right.volumes[window[head] ?? 0] ?? 0) > max) head++
    if (head === tail) continue
    const other = window[head] ?? 0
    const found = { cost: ownCost + (right.costs[other] ?? 0), volume: ownVolume + (right.volumes[other] ?? 0) }
    if (!isBetter(found, { cost, volume })) continue
    ;({ cost, volume } = found)
    pair = [at, other]
  }
  return pair
}

function allSubsets(items: readonly IndexedItem[], base: Pick<Subset, 'volume' | 'cost'>): SubsetList {
  let list: SubsetList = {
    volumes: Float64Array.of(base.volume),
    costs: Float64Array.of(base.cost),
    masks: new Uint32Array(1),
  }
  for (const [bit, item] of items.entries()) list = withItem(list, item, 2 ** bit)
  return list
}

/** Merges the subsets without and with an item; both are in order. */
function withItem({ volumes, costs, masks }: SubsetList, item: Item, bit: number): SubsetList {
  const size = volumes.length
  const merged = {
    volumes: new Float64Array(2 * size),
    costs: new Float64Array(2 * size),
    masks: new Uint32Array(2 * size),
  }
  for (let at = 0, without = 0, including = 0; at < 2 * size; at++) {
    const extended = (volumes[including] ?? 0) + item.volume
    const isOld = without < size && (including >= size || (volumes[without] ?? 0) <= extended)
    const from = isOld ? without++ : including++
    merged.volumes[at] = isOld ? (volumes[from] ?? 0) : extended
    merged.costs[at] = (costs[from] ?? 0) + (isOld ? 0 : item.cost)
    merged.masks[at] = (masks[from] ?? 0) + (isOld ? 0 : bit)
  }
  return merged
}

// --- more items -----------------------------------------------------------------------------------------------------

/** Takes or leaves one item after the other, lowest prices first, as long as the LP bound allows an improvement. */
function depthFirst({ fixed, free }: ReducedProblem, { min, max }: VolumeBounds, first: Subset | null) {
  let best = first
  let nodes = 0
  const open: { subset: Subset; at: number }[] = [{ subset: fixed, at: 0 }]
  while (open.length > 0) {
    const { subset, at } = open.pop() ?? { subset: fixed, at: 0 }
    if (subset.volume > max) continue
    if (subset.volume >= min) {
      if (best === null || isBetter(subset, best)) best = subset
      continue
    }
    if (++nodes > MAX_NODES) return { subset: best, complete: false }
    const item = free.items[at]
    const bound = subset.cost + lpBound(free, min - subset.volume, at)
    if (item === undefined || bound === Number.POSITIVE_INFINITY) continue
    if (best !== null && bound > best.cost * (1 + TOLERANCE)) continue
    open.push({ subset, at: at + 1 }, { subset: add(subset, item), at: at + 1 })
  }
  return { subset: best, complete: true }
}

// --- the most tonnes below a bound ----------------------------------------------------------------------------------

/**
 * The set with the most tonnes up to a bound; of equal volumes, the cheapest. Always exact up to EXACT_UP_TO items; beyond,
 * if it fills the bound. The empty set if every item exceeds the bound.
 */
export function largestWithin(items: readonly Item[], max: number): BoundedCombination {
  const usable = itemsUpTo(items, max)
  const { subset, complete } = usable.length <= EXACT_UP_TO ? largestMatch(usable, max) : largestDepthFirst(usable, max)
  return resultOf(subset, complete, subset.cost)
}

function largestMatch(usable: readonly IndexedItem[], max: number) {
  const [leftItems, rightItems] = halvesOf(usable)
  const left = allSubsets(leftItems, EMPTY_SUBSET)
  const right = allSubsets(rightItems, EMPTY_SUBSET)
  let best: [volume: number, cost: number, left: number, right: number] = [0, 0, 0, 0]
  let top = right.volumes.length - 1
  for (let at = 0; at < left.volumes.length; at++) {
    const [ownVolume, ownCost] = [left.volumes[at] ?? 0, left.costs[at] ?? 0]
    while (top >= 0 && ownVolume + (right.volumes[top] ?? 0) > max) top--
    for (let other = top; other >= 0 && right.volumes[other] === right.volumes[top]; other--) {
      const [volume, cost] = [ownVolume + (right.volumes[other] ?? 0), ownCost + (right.costs[other] ?? 0)]
      if (volume > best[0] || (volume === best[0] && cost < best[1])) best = [volume, cost, at, other]
    }
  }
  const members = [...membersOf(leftItems, left.masks[best[2]]), ...membersOf(rightItems, right.masks[best[3]])]
  return { subset: members.reduce(add, EMPTY_SUBSET), complete: true }
}

/** Takes or leaves one item after the other, largest first, as long as the rest can improve on the best set. */
function largestDepthFirst(usable: readonly IndexedItem[], max: number) {
  const items = [...usable].sort((a, b) => b.volume - a.volume || a.cost - b.cost || a.index - b.index)
  const rest = new Float64Array(items.length + 1)
  for (let at = items.length - 1; at >= 0; at--) rest[at] = (rest[at + 1] ?? 0) + (items[at]?.volume ?? 0)
  let best: Subset = EMPTY_SUBSET
  let nodes = 0
  const open: { subset: Subset; at: number }[] = [{ subset: EMPTY_SUBSET, at: 0 }]
  while (open.length > 0) {
    const { subset, at } = open.pop() ?? { subset: EMPTY_SUBSET, at: 0 }
    if (subset.volume > max) continue
    if (subset.volume > best.volume || (subset.volume === best.volume && subset.cost < best.cost)) best = subset
    if (++nodes > MAX_NODES) return { subset: best, complete: false }
    const item = items[at]
    if (item === undefined || subset.volume + (rest[at] ?? 0) < best.volume) continue
    open.push({ subset, at: at + 1 }, { subset: add(subset, item), at: at + 1 })
  }
  return { subset: best, complete: true }
}

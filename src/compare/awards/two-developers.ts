import { cheapestCombination, EXACT_UP_TO, reachedFrom } from './cheapest-combination.js'
import {
  type Combination,
  combinationOf,
  EMPTY_SUBSET,
  extendSubsets,
  type Item,
  isBetter,
  type Subset,
  union,
} from './subset-search.js'

/** Limits on subsets kept per developer and listed in all, before the search is narrowed. */
const MAX_SUBSETS_PER_DEVELOPER = 1 << 14
const MAX_SUBSETS = 500_000
const BEAM_WIDTH = 200

type DeveloperSubset = { subset: Subset; developer: string }
interface SubsetsByDeveloper {
  sets: DeveloperSubset[]
  complete: boolean
}

/**
 * The cheapest set of whole offers, from at most two developers, that reaches a volume: always exact up to
 * EXACT_UP_TO items, where every pair of developers is solved separately; usually exact beyond.
 * @param developers the developer of each item
 * @param floor lower bound on cost, if known: that of the unrestricted problem
 * @returns null if no two developers reach the volume
 */
export function cheapestOfTwo(
  items: readonly Item[],
  developers: readonly string[],
  wanted: number,
  floor?: number,
): Combination | null {
  return items.length <= EXACT_UP_TO
    ? solveEachPair(items, developers, wanted)
    : matchSubsets(items, developers, wanted, floor)
}

function solveEachPair(items: readonly Item[], developers: readonly string[], wanted: number): Combination | null {
  const names = [...new Set(developers)]
  let best: Combination | null = null
  for (const [at, one] of names.entries()) {
    for (const other of names.length === 1 ? names : names.slice(at + 1)) {
      const indexes = items.flatMap((_, index) => ([one, other].includes(developers[index] ?? '') ? [index] : []))
      const found = cheapestCombination(pick(items, indexes), wanted)
      if (found === null || (best !== null && !isBetter(found, best))) continue
      best = { ...found, picked: pick(indexes, found.picked) }
    }
  }
  return best
}

const pick = <T>(list: readonly T[], indexes: readonly number[]): T[] =>
  indexes.flatMap((index) => list.slice(index, index + 1))

/**
 * Lists the undominated subsets of each developer and looks up, for each, the cheapest subset of another developer that
 * completes it.
 */
function matchSubsets(
  items: readonly Item[],
  developers: readonly string[],
  wanted: number,
  floor?: number,
): Combination | null {
  const target = reachedFrom(wanted)
  const { sets, complete } = subsetsByDeveloper(items, developers, target)
  const best = cheapestPair(sets, target)
  if (best === null) return null
  // The unrestricted problem cannot cost more: it gives a lower bound if subsets were dropped.
  const lowerBound = complete ? best.cost : (floor ?? cheapestCombination(items, wanted)?.lowerBound ?? 0)
  return combinationOf(best, complete || best.cost <= lowerBound, lowerBound)
}

/** The two developers with the largest total volume; ties go to the first name in order. */
export function largestTwoDevelopers(items: readonly Item[], developers: readonly string[]): number[] {
  const volumes = new Map<string, number>()
  for (const [at, item] of items.entries()) {
    const developer = developers[at] ?? ''
    volumes.set(developer, (volumes.get(developer) ?? 0) + item.volume)
  }
  const order = [...volumes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const chosen = new Set(order.slice(0, 2).map(([developer]) => developer))
  return items.flatMap((_, at) => (chosen.has(developers[at] ?? '') ? [at] : []))
}

function subsetsByDeveloper(items: readonly Item[], developers: readonly string[], target: number): SubsetsByDeveloper {
  const lists = new Map<string, Subset[]>()
  let complete = true
  let listed = 0
  for (const [index, item] of items.entries()) {
    const developer = developers[index] ?? ''
    const sets = extendSubsets(lists.get(developer) ?? [EMPTY_SUBSET], { ...item, index }, target)
    const max = listed > MAX_SUBSETS ? BEAM_WIDTH : MAX_SUBSETS_PER_DEVELOPER
    if (sets.length > max) complete = false
    lists.set(developer, thinOut(sets, max))
    listed += sets.length
  }
  const sets = [...lists].flatMap(([developer, subsets]) => subsets.map((subset) => ({ subset, developer })))
  return { sets, complete }
}

/** Keeps an evenly spread selection, always with the last subset: the one that reaches the target, if any. */
function thinOut(sets: Subset[], max: number): Subset[] {
  if (sets.length <= max) return sets
  const step = Math.ceil(sets.length / max)
  return sets.filter((_, at) => (sets.length - 1 - at) % step === 0)
}

function cheapestPair(sets: DeveloperSubset[], target: number): Subset | null {
  const byVolume = sets.filter(({ subset }) => subset.volume > 0).sort((a, b) => b.subset.volume - a.subset.volume)
  const partners = cheapestTwoByPrefix(byVolume)
  let best: [Subset, Subset] | null = null
  for (const { subset, developer } of byVolume) {
    const partner =
      subset.volume >= target ? EMPTY_SUBSET : partnerOf(byVolume, partners, target - subset.volume, developer)
    const pair: [Subset, Subset] | null = partner === null ? null : [subset, partner]
    if (pair !== null && (best === null || isBetter(total(pair), total(best)))) best = pair
  }
  return best === null ? null : union(...best)
}

const total = ([one, other]: [Subset, Subset]) => ({ cost: one.cost + other.cost, volume: one.volume + other.volume })

/** The cheapest set, and the cheapest of any other developer, among the first k. */
type CheapestTwo = [DeveloperSubset | null, DeveloperSubset | null]

function cheapestTwoByPrefix(sets: DeveloperSubset[]): CheapestTwo[] {
  const result: CheapestTwo[] = []
  let [first, second]: CheapestTwo = [null, null]
  for (const set of sets) {
    if (first === null || set.subset.cost < first.subset.cost) {
      if (first !== null && first.developer !== set.developer) second = first
      first = set
    } else if (set.developer !== first.developer && (second === null || set.subset.cost < second.subset.cost)) {
      second = set
    }
    result.push([first, second])
  }
  return result
}

function partnerOf(sets: DeveloperSubset[], cheapest: CheapestTwo[], volume: number, developer: string): Subset | null {
  let low = 0
  let high = sets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sets[middle]?.subset.volume ?? 0) >= volume) low = middle + 1
    else high = middle
  }
  const [first, second] = cheapest[low - 1] ?? [null, null]
  const partner = first?.developer === developer ? second : first
  return partner?.subset ?? null
}

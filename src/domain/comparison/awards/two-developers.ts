import {
  type Chain,
  type Combination,
  cheapestCombination,
  EMPTY,
  EXACT_UP_TO,
  extend,
  type Item,
  indexesOf,
  isBetter,
  joined,
  reachable,
} from './cheapest-combination.js'

/** Undominated sets of one developer's offers kept, and listed in all, before the search is narrowed. */
const MOST_SETS_OF_ONE = 1 << 14
const MOST_SETS = 500_000
const NARROW = 200

type OwnedSet = { chain: Chain; developer: string }
interface Listed {
  sets: OwnedSet[]
  complete: boolean
}

/**
 * The cheapest set of whole offers, from at most two developers, that reaches a volume: always exact up to
 * EXACT_UP_TO items, where every pair of developers is solved by itself; beyond, usually.
 * @param developers of each item, by which it is grouped
 * @param floor what no set costs less than, if known: that of any number of developers
 * @returns null where no two developers reach the volume
 */
export function cheapestOfTwo(
  items: readonly Item[],
  developers: readonly string[],
  wanted: number,
  floor?: number,
): Combination | null {
  return items.length <= EXACT_UP_TO ? pairByPair(items, developers, wanted) : bySets(items, developers, wanted, floor)
}

function pairByPair(items: readonly Item[], developers: readonly string[], wanted: number): Combination | null {
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
 * Every undominated set of each developer is listed; for each, the cheapest that completes it is looked up among those
 * of the others.
 */
function bySets(
  items: readonly Item[],
  developers: readonly string[],
  wanted: number,
  floor?: number,
): Combination | null {
  const target = reachable(wanted)
  const { sets, complete } = setsByDeveloper(items, developers, target)
  const best = cheapestPair(sets, target)
  if (best === null) return null
  // Without the limit on developers it cannot cost more: a bound from below where sets had to be left out.
  const lowerBound = complete ? best.cost : (floor ?? cheapestCombination(items, wanted)?.lowerBound ?? 0)
  const exact = complete || best.cost <= lowerBound
  const picked = indexesOf(best).sort((a, b) => a - b)
  return { picked, volume: best.volume, cost: best.cost, exact, lowerBound: exact ? best.cost : lowerBound }
}

/** The two developers whose offers add up to most; ties to the name first in order. */
export function largestTwo(items: readonly Item[], developers: readonly string[]): number[] {
  const volumes = new Map<string, number>()
  for (const [at, item] of items.entries()) {
    const developer = developers[at] ?? ''
    volumes.set(developer, (volumes.get(developer) ?? 0) + item.volume)
  }
  const order = [...volumes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const chosen = new Set(order.slice(0, 2).map(([developer]) => developer))
  return items.flatMap((_, at) => (chosen.has(developers[at] ?? '') ? [at] : []))
}

function setsByDeveloper(items: readonly Item[], developers: readonly string[], target: number): Listed {
  const lists = new Map<string, Chain[]>()
  let complete = true
  let listed = 0
  for (const [index, item] of items.entries()) {
    const developer = developers[index] ?? ''
    const sets = extend(lists.get(developer) ?? [EMPTY], { ...item, index }, target)
    const most = listed > MOST_SETS ? NARROW : MOST_SETS_OF_ONE
    if (sets.length > most) complete = false
    lists.set(developer, thinned(sets, most))
    listed += sets.length
  }
  const sets = [...lists].flatMap(([developer, chains]) => chains.map((chain) => ({ chain, developer })))
  return { sets, complete }
}

/** At most so many, evenly spread, and always the last: the one that reaches the target, if any. */
function thinned(sets: Chain[], most: number): Chain[] {
  if (sets.length <= most) return sets
  const step = Math.ceil(sets.length / most)
  return sets.filter((_, at) => (sets.length - 1 - at) % step === 0)
}

function cheapestPair(sets: OwnedSet[], target: number): Chain | null {
  const byVolume = sets.filter(({ chain }) => chain.volume > 0).sort((a, b) => b.chain.volume - a.chain.volume)
  const partners = cheapestSoFar(byVolume)
  let best: [Chain, Chain] | null = null
  for (const { chain, developer } of byVolume) {
    const partner = chain.volume >= target ? EMPTY : partnerOf(byVolume, partners, target - chain.volume, developer)
    const pair: [Chain, Chain] | null = partner === null ? null : [chain, partner]
    if (pair !== null && (best === null || isBetter(total(pair), total(best)))) best = pair
  }
  return best === null ? null : joined(...best)
}

const total = ([one, other]: [Chain, Chain]) => ({ cost: one.cost + other.cost, volume: one.volume + other.volume })

/** The cheapest set, and the cheapest of any other developer, among the first k. */
type Cheapest = [OwnedSet | null, OwnedSet | null]

function cheapestSoFar(sets: OwnedSet[]): Cheapest[] {
  const result: Cheapest[] = []
  let [first, second]: Cheapest = [null, null]
  for (const set of sets) {
    if (first === null || set.chain.cost < first.chain.cost) {
      if (first !== null && first.developer !== set.developer) second = first
      first = set
    } else if (set.developer !== first.developer && (second === null || set.chain.cost < second.chain.cost)) {
      second = set
    }
    result.push([first, second])
  }
  return result
}

function partnerOf(sets: OwnedSet[], cheapest: Cheapest[], volume: number, developer: string): Chain | null {
  let low = 0
  let high = sets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sets[middle]?.chain.volume ?? 0) >= volume) low = middle + 1
    else high = middle
  }
  const [first, second] = cheapest[low - 1] ?? [null, null]
  const partner = first?.developer === developer ? second : first
  return partner?.chain ?? null
}

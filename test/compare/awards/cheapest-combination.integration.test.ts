import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cheapestCombination } from '../../../src/compare/awards/cheapest-combination.js'
import type { Item } from '../../../src/compare/awards/subset-search.js'
import { cheapestOfTwo, largestTwoDevelopers } from '../../../src/compare/awards/two-developers.js'
import { longIt, shareOf } from '../../helpers/long-tests.js'

/** Tries every subset. */
function bruteForce(items: readonly Item[], wanted: number, allowed: (picked: number[]) => boolean = () => true) {
  let best: { cost: number; volume: number } | null = null
  for (let mask = 1; mask < 1 << items.length; mask++) {
    const picked = items.flatMap((_, at) => (mask & (1 << at) ? [at] : []))
    const volume = picked.reduce((sum, at) => sum + (items[at]?.volume ?? 0), 0)
    const cost = picked.reduce((sum, at) => sum + (items[at]?.cost ?? 0), 0)
    if (volume < wanted || !allowed(picked)) continue
    if (best === null || cost < best.cost || (cost === best.cost && volume > best.volume)) best = { cost, volume }
  }
  return best
}

const outcome = (found: { cost: number; volume: number } | null) => found && { cost: found.cost, volume: found.volume }

/** Whole numbers, so that sums are exact. Prices are close together, so that a greedy choice is often wrong. */
const item = fc
  .record({ volume: fc.integer({ min: 1, max: 40 }), price: fc.integer({ min: 8, max: 12 }), extra: fc.nat(6) })
  .map(({ volume, price, extra }): Item => ({ volume, cost: volume * price + extra }))
const items = (most: number) => fc.array(item, { minLength: 1, maxLength: most })
const wanted = fc.integer({ min: 1, max: 200 })

const total = (list: readonly Item[], picked: readonly number[]) => ({
  cost: picked.reduce((sum, at) => sum + (list[at]?.cost ?? 0), 0),
  volume: picked.reduce((sum, at) => sum + (list[at]?.volume ?? 0), 0),
})

describe('the cheapest combination of whole offers', () => {
  it('is the cheapest of all subsets, with the most tonnes among equals', () => {
    fc.assert(
      fc.property(items(13), wanted, (list, need) => {
        const found = cheapestCombination(list, need)
        expect(outcome(found)).toEqual(bruteForce(list, need))
        if (found === null) return
        expect(total(list, found.picked)).toEqual(outcome(found))
        expect(found).toMatchObject({ exact: true, lowerBound: found.cost })
      }),
      { numRuns: shareOf(400) },
    )
  })

  it('costs less than a greedy choice by price', () => {
    const list = [
      { volume: 40_000, cost: 400_000 },
      { volume: 30_000, cost: 315_000 },
      { volume: 20_000, cost: 214_000 },
      { volume: 25_000, cost: 285_000 },
      { volume: 5_000, cost: 75_000 },
    ]
    const found = cheapestCombination(list, 65_000)
    expect(outcome(found)).toEqual(bruteForce(list, 65_000))
    expect(found).toMatchObject({ picked: [0, 3], cost: 685_000 })
  })

  it('agrees with another exact method if there are too many offers to try all subsets', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 37, maxLength: 70 }),
        fc.integer({ min: 100, max: 700 }),
        (list, need) => {
          const found = cheapestCombination(list, need)
          expect(found?.cost ?? null).toEqual(byVolume(list, need))
          expect(found?.exact ?? true).toBe(true)
        },
      ),
      { numRuns: shareOf(150) },
    )
  })

  it('is found even if every price per tonne is the same', () => {
    const list = Array.from({ length: 34 }, (_, at) => ({ volume: 1000 + at * at * 7, cost: 5 * (1000 + at * at * 7) }))
    const found = cheapestCombination(list, 30_001)
    expect(found?.exact).toBe(true)
    expect(found?.cost).toBe(byVolume(list, 30_001))
  })

  it('gives a lower bound on cost if it cannot be proven optimal', () => {
    const list = hard(400)
    const found = cheapestCombination(list, 2_500_000.5)
    expect(found?.volume).toBeGreaterThanOrEqual(2_500_000.5)
    expect(found?.lowerBound).toBeLessThanOrEqual(found?.cost ?? 0)
    expect((found?.cost ?? 0) / (found?.lowerBound ?? 1)).toBeLessThan(1.001)
  })

  it('reaches a volume that a sum misses by floating-point noise', () => {
    const list = [0.1, 0.2].map((volume) => ({ volume, cost: volume }))
    expect(cheapestCombination(list, 0.3)?.picked).toEqual([0, 1])
    expect(
      cheapestCombination(
        [
          { volume: 0.7, cost: 1 },
          { volume: 0.1, cost: 1 },
        ],
        0.8,
      )?.picked,
    ).toEqual([0, 1])
  })

  it('does not exist if all offers together do not reach the volume', () => {
    expect(cheapestCombination([{ volume: 5, cost: 1 }], 6)).toBeNull()
    expect(cheapestCombination([], 6)).toBeNull()
  })
})

describe('at most two developers', () => {
  const developers = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 12, maxLength: 12 })

  it('is the cheapest of all subsets from at most two developers', () => {
    fc.assert(
      fc.property(items(12), developers, wanted, (list, names, need) => {
        const found = cheapestOfTwo(list, names, need)
        const few = (picked: number[]) => new Set(picked.map((at) => names[at])).size <= 2
        expect(outcome(found)).toEqual(bruteForce(list, need, few))
        if (found !== null) expect(few(found.picked)).toBe(true)
      }),
      { numRuns: shareOf(300) },
    )
  })

  it('is the cheapest of all pairs of developers if there are many offers', () => {
    const many = fc.array(fc.tuple(item, fc.integer({ min: 0, max: 11 })), { minLength: 40, maxLength: 60 })
    fc.assert(
      fc.property(many, wanted, (list, need) => {
        const [all, names] = [list.map(([one]) => one), list.map(([, name]) => `developer ${name}`)]
        const pairs = [...new Set(names)].flatMap((a) => [...new Set(names)].map((b) => [a, b]))
        const costs = pairs.map((pair) =>
          byVolume(
            all.filter((_, at) => pair.includes(names[at] ?? '')),
            need,
          ),
        )
        const least = costs.filter((cost) => cost !== null).sort((a, b) => a - b)[0] ?? null
        const found = cheapestOfTwo(all, names, need)
        expect(found?.cost ?? null).toEqual(least)
        expect(new Set(found?.picked.map((at) => names[at])).size).toBeLessThanOrEqual(2)
      }),
      { numRuns: shareOf(60) },
    )
  })

  it('finds the two developers with the largest volume', () => {
    const list = [3, 4, 2, 2].map((volume) => ({ volume, cost: 1 }))
    expect(largestTwoDevelopers(list, ['a', 'b', 'c', 'c'])).toEqual([1, 2, 3])
  })

  longIt('gives a lower bound if one developer makes very many offers', async () => {
    const list = hard(300)
    const found = cheapestOfTwo(
      list,
      list.map((_, at) => (at % 3 === 0 ? 'one' : 'other')),
      900_000.5,
    )
    expect(found?.volume).toBeGreaterThanOrEqual(900_000.5)
    expect((found?.cost ?? 0) / (found?.lowerBound ?? 1)).toBeLessThan(1.01)
  })
})

/** Dynamic programming over whole volumes: the lowest cost of each volume up to the wanted one. */
function byVolume(items: readonly Item[], wanted: number): number | null {
  const least = new Float64Array(wanted + 1).fill(Number.POSITIVE_INFINITY)
  least[0] = 0
  for (const { volume, cost } of items) {
    for (let at = wanted; at > 0; at--) {
      const before = least[Math.max(0, at - volume)] ?? Number.POSITIVE_INFINITY
      least[at] = Math.min(least[at] ?? Number.POSITIVE_INFINITY, before + cost)
    }
  }
  const cost = least[wanted] ?? Number.POSITIVE_INFINITY
  return Number.isFinite(cost) ? cost : null
}

/** Costs nearly proportional to volumes, so that very many subsets are not dominated by any other. */
function hard(count: number): Item[] {
  let state = 12_345
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  return Array.from({ length: count }, () => {
    const volume = 5_000 + random() * 20_000
    return { volume, cost: volume * 10 + random() * 3 }
  })
}

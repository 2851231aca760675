import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cheapestWithin, largestWithin } from '../../../src/compare/awards/bounded-combination.js'
import { EXACT_UP_TO } from '../../../src/compare/awards/cheapest-combination.js'
import type { Item } from '../../../src/compare/awards/subset-search.js'
import { seededNumbers } from '../../helpers/comparison-inputs.js'
import { shareOf } from '../../helpers/long-tests.js'

const itemsUpTo = (volume: number, cost: number) =>
  fc.array(fc.record({ volume: fc.integer({ min: 1, max: volume }), cost: fc.integer({ min: 1, max: cost }) }), {
    maxLength: 10,
  })
const items = itemsUpTo(60, 90)

function allSets(list: readonly Item[]): Item[] {
  return Array.from({ length: 2 ** list.length }, (_, mask) =>
    list
      .filter((_item, at) => mask & (2 ** at))
      .reduce((sum, item) => ({ volume: sum.volume + item.volume, cost: sum.cost + item.cost }), {
        volume: 0,
        cost: 0,
      }),
  )
}

/** The lowest cost for each volume up to `max`, by dynamic programming; infinite if no set has that volume. */
function cheapestByVolume(list: readonly Item[], max: number): number[] {
  const costs = new Array<number>(max + 1).fill(Number.POSITIVE_INFINITY)
  costs[0] = 0
  for (const { volume, cost } of list) {
    for (let total = max; total >= volume; total--) {
      costs[total] = Math.min(costs[total] ?? 0, (costs[total - volume] ?? 0) + cost)
    }
  }
  return costs
}

const sumOf = (list: readonly Item[], picked: readonly number[]) =>
  picked.reduce(
    (sum, at) => ({ volume: sum.volume + (list[at]?.volume ?? 0), cost: sum.cost + (list[at]?.cost ?? 0) }),
    { volume: 0, cost: 0 },
  )

describe('cheapestWithin', () => {
  it.each([
    ['any costs', items],
    ['many equal costs', itemsUpTo(12, 8)],
  ])(
    'finds the cheapest of all sets within the bounds, and of equal ones the one with the most tonnes: %s',
    (_, any) => {
      fc.assert(
        fc.property(any, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 12 }), (list, min, room) => {
          const max = min + room
          const [best] = allSets(list)
            .filter(({ volume }) => volume >= min && volume <= max)
            .sort((a, b) => a.cost - b.cost || b.volume - a.volume)
          const { found, exact } = cheapestWithin(list, { min, max })
          expect(exact).toBe(true)
          expect(found === null ? undefined : { volume: found.volume, cost: found.cost }).toEqual(best)
          if (found !== null) expect(sumOf(list, found.picked)).toEqual(best)
        }),
        { numRuns: shareOf(300) },
      )
    },
  )

  it('goes on searching for more tonnes at the lowest cost, when the first set found has that cost', () => {
    const list = [
      [2, 3],
      [7, 2],
      [4, 5],
      [4, 3],
      [8, 5],
      [2, 4],
    ].map(([volume = 0, cost = 0]) => ({ volume, cost }))
    expect(cheapestWithin(list, { min: 8, max: 10 }).found).toMatchObject({ picked: [0, 1], volume: 9, cost: 5 })
  })

  it('needs nothing for a volume of 0, and finds nothing between crossed bounds', () => {
    const list = [{ volume: 5, cost: 1 }]
    expect(cheapestWithin(list, { min: 0, max: 5 })).toMatchObject({ found: { picked: [], cost: 0 }, exact: true })
    expect(cheapestWithin(list, { min: 5, max: 4 })).toEqual({ found: null, exact: true })
    expect(cheapestWithin(list, { min: 5, max: Number.POSITIVE_INFINITY }).found?.picked).toEqual([0])
  })

  it('is exact for as many offers as it promises, where a cheaper set exceeds the upper bound', () => {
    const next = seededNumbers(3)
    const list = Array.from({ length: EXACT_UP_TO }, () => ({
      volume: 1_000 + 2 * Math.floor(next() * 5_000),
      cost: 10_000 + Math.floor(next() * 50_000),
    }))
    const even = cheapestWithin(list, { min: 60_000, max: 60_002 })
    expect(even.exact).toBe(true)
    expect(even.found?.volume).toBeGreaterThanOrEqual(60_000)
    expect(even.found?.volume).toBeLessThanOrEqual(60_002)
    // Every volume is even, so that no set lies between two odd neighbours.
    expect(cheapestWithin(list, { min: 60_001, max: 60_001 })).toEqual({ found: null, exact: true })
  })

  it('skips cheap offers that do not fit, among more offers than halves can be listed for', () => {
    const small = Array.from({ length: EXACT_UP_TO + 4 }, (_, at) => ({ volume: 10, cost: 500 + at }))
    const list = [...small, ...Array.from({ length: 5 }, (_, at) => ({ volume: 25, cost: 100 + at }))]
    const { found, exact } = cheapestWithin(list, { min: 30, max: 34 })
    expect({ picked: found?.picked, exact }).toEqual({ picked: [0, 1, 2], exact: true })
  })

  it('is right with more offers too, if it says that it is exact, and otherwise between its bounds', () => {
    const many = fc.array(
      fc.record({ volume: fc.integer({ min: 3, max: 60 }), cost: fc.integer({ min: 1, max: 500 }) }),
      {
        minLength: EXACT_UP_TO + 4,
        maxLength: 70,
      },
    )
    fc.assert(
      fc.property(many, fc.integer({ min: 20, max: 900 }), fc.integer({ min: 0, max: 2 }), (list, min, room) => {
        const max = min + room
        const costs = cheapestByVolume(list, max)
        const best = Math.min(...costs.slice(min))
        const { found, exact } = cheapestWithin(list, { min, max })
        if (exact) expect(found?.cost ?? Number.POSITIVE_INFINITY).toBe(best)
        else expect(best).toBeGreaterThanOrEqual(found?.lowerBound ?? 0)
        if (found !== null) expect(found.cost).toBeGreaterThanOrEqual(best)
        const largest = largestWithin(list, max)
        const volume = costs.findLastIndex(Number.isFinite)
        if (largest.exact) expect(largest.found).toMatchObject({ volume, cost: costs[volume] })
        expect(largest.found?.volume).toBeLessThanOrEqual(volume)
      }),
      { numRuns: shareOf(15) },
    )
  })

  it('says that a result is not proven if it gives up, and never returns a set outside the bounds', () => {
    const next = seededNumbers(5)
    const list = Array.from({ length: 300 }, () => ({
      volume: 1_000 + 2 * Math.floor(next() * 5_000),
      cost: 10_000 + Math.floor(next() * 50_000),
    }))
    const { found, exact } = cheapestWithin(list, { min: 60_001, max: 60_001 })
    expect({ found, exact }).toEqual({ found: null, exact: false })
    const near = cheapestWithin(list, { min: 60_000, max: 60_000 })
    if (near.found !== null) expect(sumOf(list, near.found.picked).volume).toBe(60_000)
    expect(near.found?.lowerBound ?? 0).toBeLessThanOrEqual(near.found?.cost ?? 0)
  })
})

describe('largestWithin', () => {
  it('finds the most tonnes up to a bound, and of equal volumes the cheapest', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 0, max: 200 }), (list, max) => {
        const [best] = allSets(list)
          .filter(({ volume }) => volume <= max)
          .sort((a, b) => b.volume - a.volume || a.cost - b.cost)
        const { found, exact } = largestWithin(list, max)
        expect(exact).toBe(true)
        expect(sumOf(list, found?.picked ?? [])).toEqual(best)
      }),
      { numRuns: shareOf(300) },
    )
  })

  it('stays within the bound with many offers', () => {
    const next = seededNumbers(8)
    const list = Array.from({ length: 400 }, () => ({ volume: 1_000 + Math.floor(next() * 5_000), cost: 1 }))
    const found = largestWithin(list, 77_777)
    expect(found.found?.volume).toBeLessThanOrEqual(77_777)
    expect(found.found?.volume).toBeGreaterThan(77_000)
  })
})

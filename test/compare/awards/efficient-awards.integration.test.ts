import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseAward, lowerBound, searchAwards } from '../../../src/compare/awards/award-rule.js'
import { efficientAwards } from '../../../src/compare/awards/efficient-awards.js'
import { runsLongTests } from '../../helpers/long-tests.js'
import { everySet, randomLots, type TestLot, unbeaten } from './award-sets.js'

describe('efficient awards', () => {
  it('equal those found by trying every set, in many small cases, a hundred thousand of them where long tests run', () => {
    fc.assert(
      fc.property(randomLots, ({ lots, range: { upper } }) => {
        const { awards, exact } = efficientAwards(lots, upper)
        const found = awards.map(({ tonnes, cost }) => [tonnes, cost])
        const areSums = awards.every((award) => {
          const members = award.lots()
          const sum = (of: 'tonnes' | 'cost') => members.reduce((total, lot) => total + lot[of], 0)
          const isSum = sum('tonnes') === award.tonnes && sum('cost') === award.cost
          return isSum && new Set(members).size === members.length
        })
        const expected = unbeaten(everySet(lots), upper).map(({ tonnes, cost }) => [tonnes, cost])
        return exact && areSums && JSON.stringify(found) === JSON.stringify(expected)
      }),
      { numRuns: runsLongTests ? 100_000 : 20_000 },
    )
  })

  it('prefer fewer offers, then those submitted first, where tonnes and costs are equal', () => {
    const lots = [4, 6, 10, 10].map((tonnes, id) => ({ id, tonnes, cost: 5 * tonnes }))
    const [last] = efficientAwards(lots, 10).awards.slice(-1)
    expect(last?.lots().map(({ id }) => id)).toEqual([2])
  })

  it('say that they are not exact once sums share cells, and stay feasible and near the bound of divided offers', () => {
    let state = 7
    const random = () => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
      return state / 2 ** 32
    }
    const lots = Array.from({ length: 120 }, () => {
      const tonnes = 1000 + random() * 90_000
      return { tonnes, cost: tonnes * (5 + 20 * random()) }
    })
    const { awards, exact } = efficientAwards(lots, 800_000)
    expect(exact).toBe(false)
    const largest = awards.at(-1)
    expect(largest?.tonnes).toBeLessThanOrEqual(800_000)
    expect(largest?.lots().reduce((sum, { tonnes }) => sum + tonnes, 0)).toBeCloseTo(largest?.tonnes ?? 0, 3)
    const bound = lowerBound(lots, largest?.tonnes ?? 0)
    expect(largest?.cost).toBeGreaterThanOrEqual(bound)
    expect((largest?.cost ?? 0) / bound).toBeLessThan(1.02)
  })

  it('take thousands of offers, alike or different', () => {
    const alike = Array.from({ length: 5000 }, () => ({ tonnes: 500, cost: 3500 }))
    expect(efficientAwards(alike, 20_000).awards).toHaveLength(40)
    const different = Array.from({ length: 5000 }, (_, at) => ({
      tonnes: 1 + (at % 97),
      cost: (1 + (at % 97)) * (5 + at),
    }))
    const { awards, exact } = efficientAwards(different, 20_000)
    expect(exact).toBe(true)
    expect(awards.at(-1)?.tonnes).toBe(20_000)
  })
})

describe('the lower bound', () => {
  it('is at most the cost of any set of whole offers with the same tonnes', () => {
    fc.assert(
      fc.property(randomLots, ({ lots }) => {
        for (const { tonnes, cost } of everySet(lots)) {
          expect(lowerBound(lots, tonnes)).toBeLessThanOrEqual(cost * (1 + 1e-9))
        }
      }),
    )
  })
})

describe('an award below the range, of more offers than every sum of which is kept', () => {
  // Uneven tonnes, so that sums share cells.
  const lots: TestLot[] = Array.from({ length: 500 }, (_, id) => {
    const tonnes = 1_000 + ((id * 7919) % 4999) / 7
    return { id, tonnes, cost: tonnes * (5 + (id % 13)) }
  })
  const all = lots.reduce((sum, { tonnes }) => sum + tonnes, 0)

  it('has all offers if they fit, and is then proven', () => {
    const search = searchAwards(lots, { lower: 2 * all, upper: 3 * all, isUpperStated: true })
    const award = chooseAward(search, 0.02)
    expect(search.exact).toBe(false)
    expect([award?.reached, award?.lots().length, award?.gap]).toEqual([false, 500, null])
  })

  it('is not proven to have the most tonnes if one is too large', () => {
    const tooLarge = { id: 500, tonnes: 4 * all, cost: 1 }
    const search = searchAwards([...lots, tooLarge], { lower: 2 * all, upper: 3 * all, isUpperStated: true })
    expect(chooseAward(search, 0.02)?.gap).toBe(0)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakEvenCost, chooseAward, searchAwards, type Tolerance } from '../../../src/compare/awards/award-rule.js'
import { allowedSets, bestOf, everySet, randomLots, type TestLot } from './award-sets.js'

/** Small differences that no rounding error of sums reaches. */
const LITTLE = 1e-7

describe.each<Tolerance>([0, 0.02, 0.1, 'unlimited'])('the rule with the tolerance %s', (tolerance) => {
  it('chooses the lowest total of all sets that are equal in price, with the fewest tonnes of equal totals', () => {
    fc.assert(
      fc.property(randomLots, ({ lots, range }) => {
        const sets = allowedSets(lots, range)
        if (sets.length === 0) return
        const [one, other] = [bestOf(sets, tolerance, 1e-12), bestOf(sets, tolerance, LITTLE)]
        // Whether such small differences count is not what this is about.
        if (one.length !== other.length) return
        const fewest = Math.min(...one.map(({ tonnes }) => tonnes))
        const chosen = chooseAward(searchAwards(lots, range), tolerance)
        expect([chosen?.reached, chosen?.tonnes, chosen?.cost]).toEqual([true, fewest, one[0]?.cost])
        const fewestOffers = Math.min(...one.filter(({ tonnes }) => tonnes === fewest).map(({ ids }) => ids.length))
        expect(chosen?.lots()).toHaveLength(fewestOffers)
      }),
      { numRuns: 5000 },
    )
  })

  it('takes the most tonnes below the range if nothing reaches it', () => {
    fc.assert(
      fc.property(randomLots, ({ lots, range }) => {
        if (allowedSets(lots, range).length > 0) return
        const chosen = chooseAward(searchAwards(lots, range), tolerance)
        const most = Math.max(0, ...everySet(lots).flatMap(({ tonnes }) => (tonnes <= range.upper ? [tonnes] : [])))
        expect([chosen?.reached ?? false, chosen?.tonnes ?? 0]).toEqual([false, most])
      }),
      { numRuns: 5000 },
    )
  })

  it('awards an offer at its break-even cost and at every lower one, and at none above it', () => {
    fc.assert(
      fc.property(randomLots, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), ({ lots, range }, pick, share) => {
        const own = lots[pick % lots.length] as TestLot
        const others = lots.filter((lot) => lot !== own)
        const limit = breakEvenCost(own.tonnes, searchAwards(others, range), tolerance)
        const isAwarded = (cost: number) =>
          bestOf(allowedSets([...others, { ...own, cost }], range), tolerance, 1e-9).some(({ ids }) =>
            ids.includes(own.id),
          )
        const all = lots.reduce((sum, { cost }) => sum + cost, 0)
        const little = 1e-6 * all
        if (limit === null) expect([0, 0.001, share].some((part) => isAwarded(little + part * all))).toBe(false)
        else if (limit === 'any') expect([little, all, 1e9 * all].every(isAwarded)).toBe(true)
        else {
          expect([limit - little, share * limit].every((cost) => cost <= 0 || isAwarded(cost))).toBe(true)
          expect([limit + little, limit + little + share * all, 1e9 * all].some(isAwarded)).toBe(false)
        }
      }),
      { numRuns: 5000 },
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

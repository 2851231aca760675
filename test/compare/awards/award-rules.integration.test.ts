import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  breakEvenCost,
  chooseAward,
  costPerTonne,
  searchAwards,
  type TonnesRange,
} from '../../../src/compare/awards/award-rules.js'
import { everySet, randomLots, type TestLot, within } from './award-sets.js'

const byPrice = { 'lowest-price': costPerTonne, 'lowest-cost': ({ cost }: { cost: number }) => cost } as const
type PriceRule = keyof typeof byPrice
const RULES = ['lowest-price', 'lowest-cost'] as const

/** The lowest measure of a rule among all sets within a range; null if there are none. */
function lowest(lots: readonly TestLot[], range: TonnesRange, rule: PriceRule): number | null {
  const all = everySet(lots).filter((set) => within(range, set))
  return all.length === 0 ? null : Math.min(...all.map(byPrice[rule]))
}

describe.each(RULES)('the rule %s', (rule) => {
  it('chooses the best of all sets within the range, with the most tonnes of equal ones', () => {
    fc.assert(
      fc.property(randomLots, ({ lots, range }) => {
        const chosen = chooseAward(searchAwards(lots, range), rule)
        const best = lowest(lots, range, rule)
        if (best === null) return
        expect(chosen?.reached).toBe(true)
        expect(chosen === null ? null : byPrice[rule](chosen)).toBeLessThanOrEqual(best * (1 + 1e-9))
        const measures = everySet(lots).filter((set) => within(range, set) && byPrice[rule](set) <= best * (1 + 1e-8))
        // Whether such small differences count is not what this is about.
        if (measures.some((set) => byPrice[rule](set) > best * (1 + 1e-12))) return
        expect(chosen?.tonnes).toBe(Math.max(...measures.map(({ tonnes }) => tonnes)))
      }),
      { numRuns: 5000 },
    )
  })

  it('takes the most tonnes below the range if nothing reaches it, or without a maximum one larger offer', () => {
    fc.assert(
      fc.property(randomLots, ({ lots, range }) => {
        if (lowest(lots, range, rule) !== null) return
        const chosen = chooseAward(searchAwards(lots, range), rule)
        const larger = range.isUpperStated ? [] : lots.filter(({ tonnes }) => tonnes > range.upper)
        if (larger.length > 0) {
          expect(chosen?.lots()).toHaveLength(1)
          expect(chosen && byPrice[rule](chosen)).toBe(Math.min(...larger.map(byPrice[rule])))
          return
        }
        const most = Math.max(0, ...everySet(lots).flatMap(({ tonnes }) => (tonnes <= range.upper ? [tonnes] : [])))
        expect([chosen?.reached ?? false, chosen?.tonnes ?? 0]).toEqual([false, most])
      }),
      { numRuns: 5000 },
    )
  })

  it('awards an offer up to its break-even cost, and not above it', () => {
    fc.assert(
      fc.property(randomLots, fc.nat(), ({ lots, range }, pick) => {
        const own = lots[pick % lots.length] as TestLot
        const others = lots.filter((lot) => lot !== own)
        const limit = breakEvenCost(own.tonnes, { lots: others, range }, rule)
        const isBest = (cost: number) => {
          const all = everySet([...others, { ...own, cost }]).filter((set) => within(range, set))
          const best = Math.min(...all.map(byPrice[rule]))
          return all.some((set) => set.ids.includes(own.id) && byPrice[rule](set) <= best * (1 + 1e-9))
        }
        // More than the rounding error of sums.
        const little = 1e-6 * lots.reduce((sum, { cost }) => sum + cost, 0)
        if (limit === null) expect(isBest(little)).toBe(false)
        else if (limit === 'any') expect(isBest(1e20)).toBe(true)
        else {
          expect(isBest(Math.max(limit / 2, limit - little))).toBe(true)
          expect(isBest(limit + little)).toBe(false)
        }
      }),
      { numRuns: 5000 },
    )
  })
})

describe('the rule best-score', () => {
  const lot = (id: number, tonnes: number, score: number, price = 5) => ({ id, tonnes, score, cost: tonnes * price })
  const range = { lower: 10, upper: 12, isUpperStated: true }
  const chosen = (...lots: TestLot[]) => {
    const found = chooseAward(searchAwards(lots, range), 'best-score')
    return [found?.reached, found?.lots().map(({ id }) => id)]
  }

  it('takes whole offers by score until the range is reached, and skips what does not fit', () => {
    expect(chosen(lot(1, 4, 50), lot(2, 7, 90), lot(3, 6, 80), lot(4, 3, 70))).toEqual([true, [2, 4]])
    expect(chosen(lot(1, 4, 50), lot(2, 20, 90))).toEqual([false, [1]])
  })

  it('prefers the offer submitted first where scores are equal', () => {
    expect(chosen(lot(1, 11, 80), lot(2, 11, 80, 4))).toEqual([true, [1]])
  })
})

describe('an award below the range, of more offers than every sum of which is kept', () => {
  // Uneven tonnes, so that sums share cells.
  const lots: TestLot[] = Array.from({ length: 500 }, (_, id) => {
    const tonnes = 1_000 + ((id * 7919) % 4999) / 7
    return { id, tonnes, score: 0, cost: tonnes * (5 + (id % 13)) }
  })
  const all = lots.reduce((sum, { tonnes }) => sum + tonnes, 0)

  it('has all offers if they fit, and is then proven', () => {
    const search = searchAwards(lots, { lower: 2 * all, upper: 3 * all, isUpperStated: true })
    const award = chooseAward(search, 'lowest-price')
    expect(search.exact).toBe(false)
    expect([award?.reached, award?.lots().length, award?.gap]).toEqual([false, 500, null])
  })

  it('is not proven to have the most tonnes if one is too large', () => {
    const tooLarge = { id: 500, tonnes: 4 * all, score: 0, cost: 1 }
    const search = searchAwards([...lots, tooLarge], { lower: 2 * all, upper: 3 * all, isUpperStated: true })
    expect(chooseAward(search, 'lowest-price')?.gap).toBe(0)
  })
})

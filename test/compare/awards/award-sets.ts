import fc from 'fast-check'
import type { TonnesRange } from '../../../src/compare/awards/award-rule.js'
import type { Lot } from '../../../src/compare/awards/efficient-awards.js'

export interface TestLot extends Lot {
  id: number
}

/** A set of lots, found by trying all of them. */
export interface TriedSet {
  ids: number[]
  tonnes: number
  cost: number
}

/** Every set of lots but the empty one. */
export function everySet(lots: readonly TestLot[]): TriedSet[] {
  const sets: TriedSet[] = []
  for (let mask = 1; mask < 2 ** lots.length; mask++) {
    const members = lots.filter((_, at) => (mask >> at) & 1)
    const tonnes = members.reduce((sum, lot) => sum + lot.tonnes, 0)
    sets.push({ ids: members.map(({ id }) => id), tonnes, cost: members.reduce((sum, lot) => sum + lot.cost, 0) })
  }
  return sets
}

/** The sets that no other one beats, up to a maximum, by tonnes: one of equal ones. */
export function unbeaten(sets: readonly TriedSet[], max: number): TriedSet[] {
  const allowed = sets.filter(({ tonnes }) => tonnes <= max).sort((a, b) => b.tonnes - a.tonnes || a.cost - b.cost)
  let lowest = Number.POSITIVE_INFINITY
  const kept: TriedSet[] = []
  for (const set of allowed) {
    // Sums of costs have errors of floating point.
    if (set.cost > lowest * (1 + 1e-12) || set.tonnes === kept.at(-1)?.tonnes) continue
    lowest = Math.min(lowest, set.cost)
    kept.push(set)
  }
  return kept.reverse()
}

/** Volumes of one kind: whole, fractional, huge, or of very different sizes; exact as binary numbers, so that sums are exact. */
const volumes = [
  { unit: 1, most: 12 },
  { unit: 1 / 4, most: 40 },
  { unit: 1e12, most: 20 },
  { unit: 1 / 64, most: 2 ** 20 },
].map(({ unit, most }) => ({ unit, tonnes: fc.integer({ min: 1, max: most }).map((units) => units * unit) }))

/** A few offers, often of equal prices or volumes, and a range that they may or may not reach. */
export const randomLots: fc.Arbitrary<{ lots: TestLot[]; range: TonnesRange }> = fc
  .constantFrom(...volumes)
  .chain(({ unit, tonnes }) =>
    fc.record({
      unit: fc.constant(unit),
      offers: fc.array(
        fc.record({
          tonnes,
          price: fc.oneof(fc.constant(5), fc.integer({ min: 1, max: 12 })),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      lower: fc.double({ min: 0.01, max: 1.1, noNaN: true }),
      width: fc.option(fc.double({ min: 0, max: 0.6, noNaN: true }), { nil: null }),
    }),
  )
  .map(({ unit, offers, lower, width }) => {
    const lots = offers.map(({ tonnes, price }, id) => ({ id, tonnes, cost: tonnes * price }))
    const all = lots.reduce((sum, { tonnes }) => sum + tonnes, 0)
    // Either equal to a sum of tonnes, or half a unit from it.
    const inHalves = (tonnes: number) => (Math.round((2 * tonnes) / unit) * unit) / 2
    const from = Math.max(unit / 2, inHalves(all * lower))
    const upper = width === null ? 2 * from : from + inHalves(all * width)
    return { lots, range: { lower: from, upper, isUpperStated: width !== null } }
  })

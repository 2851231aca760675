import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Choice } from '../../../src/compare/decision/decision-model.js'
import { REQUIREMENT_TITLES } from '../../../src/compare/offer/requirements.js'
import type { RequirementName } from '../../../src/core/decision/settings.js'
import { runsLongTests } from '../../helpers/long-tests.js'
import {
  bestAward,
  type Case,
  competing,
  costOf,
  dollarCents,
  efficientChoices,
  efficientSets,
  hardFailures,
  type InventedOffer,
  idOf,
  membersOf,
  randomCase,
  rangeOf,
  reportOf,
} from './decision-cases.js'

const ANY = randomCase({ maxOffers: 7 })
const always = (cases: typeof ANY, check: (of: Case) => void, runs = 100) =>
  fc.assert(fc.property(cases, check), { numRuns: runsLongTests ? 40 * runs : runs })

const decided = (of: Case) => reportOf(of).decision
const close = (value: number) => expect.closeTo(value, 6)
const offerAt = ({ offers }: Case, at: number) => offers[at] as InventedOffer

describe('the decision on random offers, compared with every set of them', () => {
  it('awards the lowest total of the sets that are equal in price, and the fewest tonnes of equal ones', () => {
    always(ANY, (of) => {
      const { recommendation } = decided(of)
      const range = rangeOf(of)
      if (range === null || range === 'settled') {
        expect(recommendation).toMatchObject({ status: range === null ? 'no-volume' : 'accepted', award: null })
        return
      }
      const best = bestAward(of, competing(of), range)
      expect(recommendation.status).toBe(best.status)
      const { award } = recommendation
      if (best.status === 'none' || award === null) {
        expect(award).toBeNull()
        return
      }
      expect(award.tonnes).toBe(best.tonnes)
      expect(costOf(award)).toBeCloseTo(best.cost, 4)
    })
  })

  it('never awards or offers to choose what is not open, cannot be converted or fails a hard requirement', () => {
    always(ANY, (of) => {
      const { recommendation, choices, excluded, awardedTonnes } = decided(of)
      const able = new Set(competing(of))
      const accepted = of.offers.flatMap(({ status }, at) => (status === 'accepted' ? [at] : []))
      expect(new Set(excluded.map(({ offerId }) => offerId))).toEqual(
        new Set(of.offers.flatMap((_, at) => (able.has(at) ? [] : [idOf(at)]))),
      )
      const awards = [recommendation.award, ...choices.flatMap(({ kind, award }) => (kind === 'waived' ? [] : [award]))]
      for (const award of awards) {
        for (const at of award === null ? [] : membersOf(award)) expect(able.has(at)).toBe(true)
      }
      const fixed = new Set([...accepted, ...able].map(idOf))
      expect(Object.keys(awardedTonnes).every((id) => fixed.has(id))).toBe(true)
      const { headline } = recommendation
      if (able.size < of.offers.length && of.offers.length > 1)
        expect(headline).toContain(`${able.size} of ${of.offers.length} offers compared`)
    })
  })

  it('shows efficient awards only, all of them if there are few, with the price of what each has more', () => {
    always(ANY, (of) => {
      const decision = decided(of)
      const range = rangeOf(of)
      if (range === null || range === 'settled') return
      const { award: recommended } = decision.recommendation
      // A single larger offer is shown after those within.
      const rows = efficientChoices(decision).filter(({ award }) => award.tonnes <= range.upper)
      for (const [at, { award, extra }] of rows.entries()) {
        const before = rows[at - 1]?.award
        if (before === undefined) continue
        expect(award.tonnes).toBeGreaterThan(before.tonnes)
        expect(costOf(award)).toBeGreaterThan(costOf(before) - 1e-6)
        const more = { tonnes: award.tonnes - before.tonnes, amount: award.total - before.total }
        expect(extra).toEqual({ tonnes: more.tonnes, pricePerTonne: close(more.amount / more.tonnes) })
      }
      const all = efficientSets(of, competing(of), range.upper)
      const reaching = all.filter(({ tonnes }) => tonnes >= range.lower)
      const shown = reaching.length > 0 ? reaching : all
      const ownTonnes = new Set(rows.map(({ award }) => award.tonnes))
      const same = shown.filter(({ tonnes }) => ownTonnes.has(tonnes))
      expect(rows.map(({ award }) => [award.tonnes, costOf(award)])).toEqual(
        same.map(({ tonnes, cost }) => [tonnes, expect.closeTo(cost, 4)]),
      )
      expect(rows).toHaveLength(Math.min(8, shown.length))
      const marked = decision.choices.filter(({ isRecommended }) => isRecommended)
      expect(marked.map(({ award }) => award)).toEqual(recommended === null ? [] : [recommended])
    })
  })

  it('shows what waiving one requirement buys: the best award of offers that meet all others', () => {
    always(ANY, (of) => {
      const { choices, recommendation } = decided(of)
      const others = choices.filter(({ kind }) => kind !== 'efficient')
      expect(others.length).toBeLessThanOrEqual(4)
      const { award } = recommendation
      const isReached = recommendation.status === 'award' && award !== null
      const own = isReached ? { cost: costOf(award), tonnes: award.tonnes } : null
      for (const { requirement, award: waived } of others.filter(({ kind }) => kind === 'waived')) {
        const failed = membersOf(waived).flatMap((at) => [...hardFailures(of, offerAt(of, at))])
        expect(failed.filter((name) => name !== requirement)).toEqual([])
        expect(membersOf(waived).every((at) => competing(of, requirement).includes(at))).toBe(true)
        const range = rangeOf(of, requirement)
        if (range === null || range === 'settled') expect.fail('nothing to award')
        const best = bestAward(of, competing(of, requirement), range)
        if (best.status !== 'award') expect.fail('no award')
        expect([waived.tonnes, costOf(waived)]).toEqual([best.tonnes, expect.closeTo(best.cost, 4)])
        expect(own === null || isCheaper(best, own, 1)).toBe(true)
      }
      if (others.length < 4) for (const name of worthWaiving(of, own)) expect(saysOfWaiving(choices, name)).toBe(true)
    })
  })

  it('says exactly up to which price each offer stays: a cent more or less decides', () => {
    const quoted = ANY.map((of): Case => ({ ...of, basis: 'quoted' }))
    always(
      quoted,
      (of) => {
        const { breakEven, award, status } = decided(of).recommendation
        if (status !== 'award') {
          expect(breakEven).toEqual([])
          return
        }
        for (const { id: offerId } of award?.offers ?? []) {
          const at = of.offers.findIndex((_, index) => idOf(index) === offerId)
          const stays = (dollars: number) => {
            const changed = reportOf(of, { at, dollars }).decision.recommendation
            return changed.award?.offers.some(({ id }) => id === offerId) ?? false
          }
          const stated = breakEven.find((one) => one.offerId === offerId)
          if (stated === undefined) {
            expect(stays(1e6)).toBe(true)
            continue
          }
          const { pricePerTonne, breakEvenPricePerTonne: limit } = stated
          expect(pricePerTonne).toBeCloseTo((dollarCents(offerAt(of, at)) ?? 0) / 100, 9)
          expect(limit).toBeGreaterThan(pricePerTonne - 1e-6)
          const isBelowMinimum = of.levels.priceMin === 'hard' && 100 * limit - 1 < of.minCents
          if (!isBelowMinimum) expect(stays(limit - 0.01)).toBe(true)
          expect(stays(limit + 0.01)).toBe(false)
        }
      },
      200,
    )
  })
})

type Costs = { cost: number; tonnes: number }
/** Per tonne or in total, by more than a share. */
const isCheaper = (one: Costs, other: Costs, share: number) =>
  one.cost / one.tonnes < (other.cost / other.tonnes) * share || one.cost < other.cost * share

/** Hard requirements that, if waived, lead to an award that costs clearly less. */
function worthWaiving(of: Case, own: Costs | null): RequirementName[] {
  return (Object.keys(of.levels) as RequirementName[]).filter((name) => {
    const [range, before] = [rangeOf(of, name), rangeOf(of)]
    if (of.levels[name] !== 'hard' || range === null || range === 'settled') return false
    if (before === null || before === 'settled') return false
    const best = bestAward(of, competing(of, name), range)
    return best.status === 'award' && (own === null || isCheaper(best, own, 0.999))
  })
}

const saysOfWaiving = (choices: readonly Choice[], name: RequirementName): boolean =>
  choices.some(
    ({ requirement, notes }) =>
      requirement === name || notes.some((note) => note.includes(`“${REQUIREMENT_TITLES[name]}” is waived`)),
  )

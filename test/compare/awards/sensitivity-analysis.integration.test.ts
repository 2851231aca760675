import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { CRITERIA, type SettingsInput } from '../../../src/core/settings.js'
import {
  comparisonInput,
  delivery,
  EURO_SETTINGS,
  manyResponses,
  response,
  sampleResponses,
  vintage,
} from '../../helpers/comparison-inputs.js'
import { runsLongTests } from '../../helpers/long-tests.js'

type Bodies = ReturnType<typeof sampleResponses>
const report = (responses: Bodies, settings: SettingsInput = EURO_SETTINGS, rfq = {}) =>
  compareOffers(comparisonInput({ responses, settings, rfq }))
const seeds = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1e6 }))

/** Ranks and totals, in another report, of the contenders of one report. */
function standingOf(base: RfqReport, played: RfqReport) {
  const byId = new Map(played.offers.map((offer) => [offer.id, offer]))
  const offers = base.sensitivity.contenders.map(({ offerId: id }) => byId.get(id))
  return { ranks: offers.map((offer) => offer?.rank), totals: offers.map((offer) => offer?.scores?.total) }
}

describe('sensitivity', () => {
  it('to weights equals a report with those weights', () => {
    const base = report(sampleResponses())
    expect(base.sensitivity.weightShifts).toHaveLength(CRITERIA.length * 4)
    for (const { criterion, shift, weights, ...standing } of base.sensitivity.weightShifts) {
      expect(weights[criterion]).toBe(Math.max(0, base.settings.weights[criterion] + shift))
      const played = report(sampleResponses(), { ...EURO_SETTINGS, weights })
      expect(standing).toMatchObject(standingOf(base, played))
      expect(standing.winner).toBe(played.summary.bestOffer?.id)
      expect(standing.changed).toBe(played.summary.bestOffer?.id !== base.summary.bestOffer?.id)
    }
  })

  it('to the discount rate equals a report at that rate', () => {
    const base = report(sampleResponses())
    expect(base.sensitivity.discountRates.map(({ rate }) => rate)).toEqual([0, 0.025, 0.05, 0.075, 0.1, 0.125, 0.15])
    for (const { rate, prices, priceRanks, ...standing } of base.sensitivity.discountRates) {
      const played = report(sampleResponses(), { ...EURO_SETTINGS, discountRate: rate })
      expect(standing).toMatchObject(standingOf(base, played))
      const byId = new Map(played.offers.map((offer) => [offer.id, offer]))
      expect(prices).toEqual(base.sensitivity.contenders.map(({ offerId: id }) => byId.get(id)?.compared.price))
      expect(priceRanks).toEqual(base.sensitivity.contenders.map(({ offerId: id }) => byId.get(id)?.priceRank))
    }
  })

  it('to the wanted volume equals a report for that volume, with its cheapest combination', () => {
    const base = report(sampleResponses())
    expect(base.sensitivity.wantedVolumes.map(({ wanted }) => wanted)).toEqual([10_000, 30_000, 50_000])
    for (const { basis, combination, ...standing } of base.sensitivity.wantedVolumes) {
      const played = report(sampleResponses(), { ...EURO_SETTINGS, wantedVolume: basis })
      expect({ ranks: standing.ranks, totals: standing.totals }).toEqual(standingOf(base, played))
      const award = played.awards.find(({ scenario }) => scenario === 'cheapest-combination')
      expect(combination.total).toBeCloseTo(award?.total ?? 0, 6)
      expect(combination).toMatchObject({ reached: award?.reached, exact: true })
    }
  })

  it('lists a wanted volume once if the RFQ states only one', () => {
    const { sensitivity } = report(sampleResponses(), EURO_SETTINGS, { maxVolume: null })
    expect(sensitivity.wantedVolumes.map(({ basis, wanted }) => [basis, wanted])).toEqual([['min', 10_000]])
  })

  it('has no ranking if all weights are 0', () => {
    const rest = { coverage: 0, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 }
    const { sensitivity } = report(sampleResponses(), { ...EURO_SETTINGS, weights: { price: 15, ...rest } })
    const down = sensitivity.weightShifts.find(({ criterion, shift }) => criterion === 'price' && shift === -20)
    expect(down).toMatchObject({
      totals: [null, null, null, null],
      ranks: [null, null, null, null],
      winner: null,
      changed: false,
    })
  })

  it('is limited to the best thirty offers, and states the limit', () => {
    const { sensitivity } = report(manyResponses(40, 1), {})
    expect(sensitivity).toMatchObject({ limit: 30, outOf: 40, words: expect.stringContaining('30 best of 40') })
    expect(sensitivity.contenders).toHaveLength(30)
    expect(sensitivity.weightShifts[0]?.ranks.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    )
  })
})

describe('the break-even price', () => {
  /** The same offers, with the unit prices of one multiplied. */
  const repriced = (responses: Bodies, id: string, factor: number): Bodies =>
    responses.map((body) => {
      if (body.id !== id) return body
      const scaled = structuredClone(body) as {
        offer: { scheduledDeliveries: { vintages: { unitPrice: number }[] }[]; totalPrice: number }
      }
      for (const line of scaled.offer.scheduledDeliveries.flatMap(({ vintages }) => vintages)) line.unitPrice *= factor
      scaled.offer.totalPrice *= factor
      return scaled as unknown as Record<string, unknown>
    })

  it('is the price at which an offer becomes first: just below it does, just above it does not', () => {
    fc.assert(
      fc.property(seeds, ([count, seed]) => {
        const responses = manyResponses(count, 2, seed)
        const base = report(responses, {})
        for (const { offerId: id, breakEvenPrice, price, change } of base.sensitivity.breakEven) {
          if (breakEvenPrice === null || breakEvenPrice < 0.01) continue
          expect(change).toBeCloseTo(breakEvenPrice / price - 1, 9)
          const first = (factor: number) => report(repriced(responses, id, factor), {}).summary.bestOffer?.id === id
          expect(first((breakEvenPrice / price) * 0.999)).toBe(true)
          expect(first((breakEvenPrice / price) * 1.001)).toBe(false)
        }
      }),
      { numRuns: runsLongTests ? 30 : 2 },
    )
  })

  it('is above the current price of the first offer and below that of the others', () => {
    const { breakEven } = report(sampleResponses()).sensitivity
    expect(breakEven.map(({ rank, change }) => [rank, Math.sign(change ?? 0)])).toEqual([
      [1, 1],
      [2, -1],
      [3, -1],
      [4, -1],
    ])
    for (const { breakEvenPrice, breakEvenPricePerTonne, change } of breakEven) {
      expect(breakEvenPrice).toBeGreaterThan(0)
      expect(breakEvenPricePerTonne).toBeGreaterThan(0)
      expect(change).not.toBeNull()
    }
  })

  it('is absent, with the reason, if price does not decide', () => {
    const rest = { coverage: 10, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 }
    const reasons = (responses: Bodies, price: number) =>
      report(responses, { weights: { price, ...rest } }).sensitivity.breakEven.map(({ reason }) => reason)
    const of = (number: number, volume: number) =>
      response(number, { offer: { scheduledDeliveries: [delivery({ vintages: [vintage({ volume })] })] } })
    expect(reasons([of(1, 10_000)], 10)).toEqual(['No other offer is ranked.'])
    expect(reasons([of(1, 10_000), of(2, 9_000)], 0)[0]).toContain('weight 0')
    const [leads, trails] = reasons([of(1, 10_000), of(2, 100)], 5)
    expect(leads).toBe('Ranks first at any price.')
    expect(trails).toContain('Cannot rank first at any price')
  })
})

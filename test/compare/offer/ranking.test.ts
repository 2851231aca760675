import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import {
  AWARD_RULES,
  CRITERIA,
  DEFAULT_SETTINGS,
  PRICE_BASES,
  type SettingsInput,
} from '../../../src/core/decision/settings.js'
import {
  comparisonInput,
  delivery,
  listing,
  listingId,
  manyResponses,
  offerId,
  response,
  storedDocument,
  vintage,
} from '../../helpers/data/comparison-inputs.js'
import { shareOf } from '../../helpers/long-tests.js'

const at = (unitPrice: number, of: Record<string, unknown> = {}) => ({
  scheduledDeliveries: [delivery({ vintages: [vintage({ unitPrice })] })],
  ...of,
})

describe('scores', () => {
  it('follow the documented formulas', () => {
    const responses = [
      response(1, { offer: at(10, { prePayments: [{ amount: 25_000, paymentDueDate: '2026-03-16' }] }) }),
      response(2, {
        offer: {
          scheduledDeliveries: [
            delivery({ fulfilmentDueDate: '2027-03-16', vintages: [vintage({ volume: 2_000, unitPrice: 8 })] }),
            delivery({
              fulfilmentDueDate: '2026-03-16',
              vintages: [
                vintage({
                  volume: 6_000,
                  unitPrice: 8,
                  reportingPeriodStart: '2020-01-01',
                  reportingPeriodEnd: '2020-12-31',
                }),
              ],
            }),
          ],
        },
      }),
    ]
    const listings = [listing(1, { certificationLabels: '', country: null }), listing(2)]
    const { offers } = compareOffers(comparisonInput({ responses, listings, settings: { discountRate: 0 } }))
    const [first, second] = [1, 2].map((number) => offers.find(({ id }) => id === offerId(number))?.scores)
    expect(first).toMatchObject({ price: 80, coverage: 100, delivery: 100, payment: 75, vintage: 70 })
    expect(first?.promptness).toBeCloseTo(100 / (1 + 198 / 365), 9)
    expect(first?.evidence).toBeCloseTo((100 * 4) / 6, 9)
    expect(second).toMatchObject({ price: 100, coverage: 80, delivery: 75, payment: 100, evidence: 100 })
    expect(second?.vintage).toBeCloseTo(100 - 10 * (2026 - (2_000 * 2023 + 6_000 * 2020) / 8_000), 9)
    expect(second?.promptness).toBeCloseTo(100 / (1 + 91.25 / 365), 9)
    const total = CRITERIA.reduce((sum, name) => sum + DEFAULT_SETTINGS.weights[name] * (first?.[name] ?? 0), 0) / 100
    expect(first?.total).toBeCloseTo(total, 6)
  })

  it('are 100 for every offer if the RFQ states no limits', () => {
    const rfq = { minVolume: null, maxVolume: null, fulfilmentDueDate: null }
    const [offer] = compareOffers(comparisonInput({ responses: [response(1)], rfq })).offers
    expect(offer?.scores).toMatchObject({ coverage: 100, delivery: 100 })
  })

  it('use the configured weights', () => {
    const none = { price: 0, coverage: 0, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 }
    const responses = [
      response(1, { offer: at(10) }),
      response(2, { offer: at(9, { prePayments: [{ amount: 9_000, paymentDueDate: null }] }) }),
    ]
    const best = (weights: Partial<typeof none>) => {
      const settings = { awardRule: 'best-score' as const, weights: { ...none, ...weights } }
      return compareOffers(comparisonInput({ responses, settings })).summary.bestOffer?.id
    }
    expect(best({ price: 1 })).toBe(offerId(2))
    expect(best({ payment: 1 })).toBe(offerId(1))
  })

  it('are those of open and accepted offers that can be compared, measured by the lowest price among them', () => {
    const responses = [
      response(1, { offer: at(10) }),
      response(2, { offer: at(8, { contractType: 'option' }) }),
      response(3, { status: 'accepted', offer: at(16) }),
      response(4, { status: 'rejected', offer: at(2) }),
      response(5, { status: 'paused', offer: at(2) }),
      response(6, { offer: at(2, { currency: 'EUR' }) }),
      response(7, { status: 'accepted', offer: at(2, { currency: 'EUR' }) }),
    ]
    const { offers } = compareOffers(comparisonInput({ responses, settings: { discountRate: 0 } }))
    const byNumber = [1, 2, 3, 4, 5, 6, 7].map((number) => offers.find(({ id }) => id === offerId(number)))
    expect(byNumber.map((offer) => offer?.scores?.price ?? null)).toEqual([80, 100, 50, null, null, null, null])
  })
})

describe('ranks', () => {
  it('break ties in favour of the lower number: the offer seen first, then the lower identifier', () => {
    const same = [3, 1, 2, 4].map((number) =>
      storedDocument(response(number, { listingId: response(1).listingId, offer: at(10) }), {
        firstObservedAt: `2026-03-0${number === 4 ? 1 : 2}T00:00:00.000Z`,
      }),
    )
    for (const awardRule of AWARD_RULES) {
      const { offers } = compareOffers(comparisonInput({ responses: same, settings: { awardRule } }))
      expect(offers.map(({ id }) => id)).toEqual([4, 1, 2, 3].map(offerId))
      expect(offers.map(({ rank, sequence }) => [rank, sequence])).toEqual([1, 2, 3, 4].map((n) => [n, n]))
    }
  })

  it('follow the cost per tonne by the price basis, or the score', () => {
    // The cheapest by quoted price is paid for at once; the first by score has the best documented project.
    const prepaid = { prePayments: [{ amount: 98_000, paymentDueDate: '2026-03-16' }] }
    const responses = [
      response(1, { listingId: listingId(99), offer: at(9.8, prepaid) }),
      response(2, { listingId: listingId(99), offer: at(10) }),
      response(3, { offer: at(10.2) }),
    ]
    const order = (of: SettingsInput) =>
      compareOffers(comparisonInput({ responses, settings: { discountRate: 0.2, ...of } })).offers.map(({ id }) => id)
    expect(order({})).toEqual([1, 2, 3].map(offerId))
    expect(order({ awardRule: 'lowest-cost' })).toEqual([1, 2, 3].map(offerId))
    expect(order({ priceBasis: 'present-value' })).toEqual([2, 3, 1].map(offerId))
    expect(order({ awardRule: 'best-score' })).toEqual([3, 2, 1].map(offerId))
  })

  it('come after accepted offers, and before those that do not compete, which are by sequence', () => {
    const responses = [
      response(1, { status: 'rejected', offer: at(2) }),
      response(2, { offer: at(12) }),
      response(3, { offer: at(3, { contractType: 'option' }) }),
      response(4, { status: 'accepted', offer: at(15) }),
      response(5, { offer: at(11) }),
      response(6, { status: 'accepted', offer: at(2, { currency: 'EUR' }) }),
    ]
    const { offers } = compareOffers(comparisonInput({ responses }))
    expect(offers.map(({ id, standing, rank }) => [id, standing, rank])).toEqual([
      [offerId(4), 'accepted', null],
      [offerId(6), 'accepted', null],
      [offerId(5), 'ranked', 1],
      [offerId(2), 'ranked', 2],
      [offerId(1), 'excluded', null],
      [offerId(3), 'not-compliant', null],
    ])
    expect(offers.map(({ why }) => why === null)).toEqual([false, false, true, true, false, false])
  })

  it('run from 1 without gaps by the measure of the rule, whatever the offers', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 1, max: 1e6 }),
        fc.constantFrom(...AWARD_RULES),
        fc.constantFrom(...PRICE_BASES),
        (count, seed, awardRule, priceBasis) => {
          const responses = manyResponses(count, 2, seed)
          const { offers } = compareOffers(comparisonInput({ responses, settings: { awardRule, priceBasis } }))
          const ranked = offers.filter(({ standing }) => standing === 'ranked')
          expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, index) => index + 1))
          expect(offers.slice(ranked.length).every(({ rank }) => rank === null)).toBe(true)
          const measures = ranked.map(({ scores, compared }) =>
            awardRule === 'best-score' ? -(scores?.total ?? 0) : (compared.costPerTonne ?? 0),
          )
          expect(measures).toEqual([...measures].sort((a, b) => a - b))
        },
      ),
      { numRuns: shareOf(40) },
    )
  })
})

it('counts, lowest, median, mean and spread are those of the ranked offers', () => {
  const responses = [10, 14, 11, 20].map((price, index) =>
    response(index + 1, { status: price === 20 ? 'rejected' : 'submitted', offer: at(price) }),
  )
  const { summary } = compareOffers(comparisonInput({ responses }))
  expect(summary).toMatchObject({
    offers: 4,
    ranked: 3,
    excluded: 1,
    byStatus: [
      { status: 'rejected', offers: 1 },
      { status: 'submitted', offers: 3 },
    ],
    price: { lowest: 10, median: 11, highest: 14, mean: 35 / 3, weightedMean: 35 / 3, spread: 4 },
    volume: 30_000,
    coverage: 1,
    bestOffer: { id: offerId(1), pricePerTonne: 10 },
  })
})

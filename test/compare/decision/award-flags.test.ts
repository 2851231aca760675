import { describe, expect, it } from 'vitest'
import { recommendationLines } from '../../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { SettingsInput } from '../../../src/core/settings.js'
import { comparisonInput, delivery, response, vintage } from '../../helpers/comparison-inputs.js'

type Body = Record<string, unknown>
const decided = (responses: Body[], settings: SettingsInput = {}, rfq: Body = {}) =>
  compareOffers(comparisonInput({ responses, settings, rfq })).decision
const conditions = (offer: Body, settings: SettingsInput = {}, of: Body = {}) =>
  decided([response(1, { ...of, offer })], settings).recommendation.conditions

describe('what to check of an award', () => {
  const lines = (...volumes: [volume: number, unitPrice: number][]) => [
    delivery({ vintages: volumes.map(([volume, unitPrice]) => vintage({ volume, unitPrice })) }),
  ]

  it.each<[string, Body, string, SettingsInput?]>([
    [
      'a stated total above the lines',
      { totalPrice: 300_000 },
      'The stated total is 300,000 USD, but the delivery lines add up to 120,000 USD.',
    ],
    [
      'a stated total of 0',
      { totalPrice: 0 },
      'The stated total is 0 USD, but the delivery lines add up to 120,000 USD.',
    ],
    [
      'a negative price',
      { scheduledDeliveries: lines([10_000, 12], [100, -7]), totalVolume: 10_100, totalPrice: 119_300 },
      'A number is negative or implausibly large: ',
    ],
    [
      'a total that is paid in advance',
      { prePayments: [{ amount: 120_000, paymentDueDate: '2026-04-01' }] },
      'Pre-payments are the whole total, 120,000 USD.',
    ],
    [
      'an offer that expired',
      { expiryDate: '2026-03-10' },
      'The offer expired on 2026-03-10, 6 days before the as-of date 2026-03-16.',
      { rankExpired: true, requirements: { notExpired: 'off' } },
    ],
  ])('begins with %s', (_, offer, words, settings) => {
    const found = conditions(offer, settings)
    expect(found[0]?.startsWith(words)).toBe(true)
    expect(found).toContain('The offer has not been reviewed yet.')
    const decision = decided([response(1, { offer })], settings)
    expect(recommendationLines(decision).at(-1)).toContain(`Check: ${words}`)
  })

  it('says once what is a high flag and a requirement, before what is not flagged', () => {
    const late = { submittedAt: '2026-03-22T09:00:00.000Z', listingId: 'another' }
    expect(conditions({}, {}, late).slice(0, 3)).toEqual([
      'Submitted late: on 2026-03-22, after the response due date, 2026-03-20.',
      'The offer is for a listing that the RFQ does not name.',
      'The offer has not been reviewed yet.',
    ])
    const off = conditions({}, { requirements: { submittedOnTime: 'off' } }, late)
    expect(off[0]).toMatch(/^The offer was submitted late: at 2026-03-22T09:00:00.000Z/)
    expect(off[1]).toBe('The offer is for a listing that the RFQ does not name.')
  })

  it('names offers by number, counts flags after the third, and keeps what else is to be checked', () => {
    const small = (number: number, offer: Body = {}) =>
      response(number, {
        offer: { scheduledDeliveries: lines([2_000 + number, 12]), totalPrice: 10 * number, ...offer },
      })
    const three = decided([small(1), small(2), response(3)], {}, { minVolume: 14_000 })
    expect(three.recommendation.award?.offers).toHaveLength(3)
    expect(three.recommendation.conditions.slice(0, 3)).toEqual([
      'Offer 1: The stated total is 10 USD, but the delivery lines add up to 24,012 USD.',
      'Offer 2: The stated total is 20 USD, but the delivery lines add up to 24,024 USD.',
      'Offers 1, 2 and 3: The offer has not been reviewed yet.',
    ])
    const five = decided([1, 2, 3, 4, 5].map((number) => small(number)))
    expect(five.recommendation.award?.offers).toHaveLength(5)
    expect(five.recommendation.conditions[2]).toMatch(
      /^Offer 3: The stated total is 30 USD, .* And 2 more high flags\.$/,
    )
    expect(five.recommendation.conditions.slice(3).join(' ')).toMatch(
      /not been reviewed yet.*First to expire, offer 1:/,
    )
  })

  it('does not say that an offer alone is smaller than the volume that the award reaches', () => {
    const { award, conditions: found } = decided([
      response(1, { offer: { scheduledDeliveries: lines([6_000, 12]) } }),
      response(2, { offer: { scheduledDeliveries: lines([6_000, 12]) } }),
    ]).recommendation
    expect(award?.coverage).toBe(1)
    expect(found.join(' ')).not.toContain('is below')
  })
})

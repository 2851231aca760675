import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { SettingsInput } from '../../../src/core/decision/settings.js'
import { comparisonInput, delivery, response, vintage } from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
const ACCEPTED = { status: 'accepted', createdAt: '2026-03-05T10:00:00.000Z', updatedAt: '2026-03-05T10:00:00.000Z' }
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
      'a total that is paid in advance',
      { prePayments: [{ amount: 120_000, paymentDueDate: '2026-04-01' }] },
      'Pre-payments of 120,000 USD are due before the first delivery, on 2026-09-30; the total is 120,000 USD.',
    ],
  ])('begins with %s', (_, offer, message, settings) => {
    const found = conditions(offer, settings)
    expect(found[0]?.startsWith(message)).toBe(true)
    expect(found).toContain('The offer has not been reviewed yet.')
  })

  it('says once that a price is far below the minimum', () => {
    expect(conditions({ scheduledDeliveries: lines([10_000, 2]) }).slice(0, 2)).toEqual([
      "The price, 2.00 USD/t, is 60 % below the RFQ's minimum of 5.00 USD/t.",
      'The offer has not been reviewed yet.',
    ])
  })

  it('says when the offer expires, if that is soon', () => {
    const last = (offer: Body) => conditions(offer).filter((message) => message.includes('expires'))
    expect(last({ expiryDate: '2026-03-16' })).toEqual(['The offer expires today, on 2026-03-16.'])
    expect(last({ expiryDate: '2026-03-17' })).toEqual(['The offer expires in 1 day, on 2026-03-17.'])
    expect(last({ expiryDate: '2026-06-30' })).toEqual([])
  })

  const small = (number: number, offer: Body = {}) =>
    response(number, {
      offer: { scheduledDeliveries: lines([2_000 + number, 12]), totalPrice: 10 * number, ...offer },
    })

  it('says of several offers by name what goes for some, and not what goes for every offer', () => {
    const { award, conditions: found } = decided(
      [small(1), small(2), response(3)],
      {},
      { minVolume: 14_000 },
    ).recommendation
    expect(award?.offers).toHaveLength(3)
    expect(found).toEqual([
      'Developer 1 · Project 1: The stated total is 10 USD, but the delivery lines add up to 24,012 USD.',
      'Developer 2 · Project 2: The stated total is 20 USD, but the delivery lines add up to 24,024 USD.',
      'The RFQ also asks, which is not checked here: “No double claiming.”',
    ])
    const two = [small(1, { review: ACCEPTED, totalPrice: 24_012 }), small(2), response(3)]
    const some = decided(two, {}, { minVolume: 14_000 }).recommendation.conditions
    expect(some).toContain('Developer 2 · Project 2 and Developer 3 · Project 3: The offer has not been reviewed yet.')
  })

  it('are at most three, the most severe, before what the RFQ asks besides', () => {
    const five = decided([1, 2, 3, 4, 5].map((number) => small(number))).recommendation
    expect(five.award?.offers).toHaveLength(5)
    expect(five.conditions).toHaveLength(4)
    expect(five.conditions.slice(0, 3).every((message) => message.includes('The stated total is'))).toBe(true)
  })

  it('are those of what is accepted, once nothing more is recommended, and of both before', () => {
    const accepted = (volume: number) =>
      response(1, { status: 'accepted', offer: { scheduledDeliveries: lines([volume, 12]), totalPrice: 10 } })
    const settled = decided([accepted(12_000), response(2, { offer: { totalPrice: 20 } })]).recommendation
    expect(settled.status).toBe('accepted')
    expect(settled.conditions.join(' ')).toContain('The stated total is 10 USD')
    expect(settled.conditions.join(' ')).not.toMatch(/20 USD|expire/)
    const more = decided([accepted(4_000), small(2), response(3)], {}, { minVolume: 15_000 }).recommendation
    expect(more.award?.offers.map(({ number }) => number)).toEqual([2, 3])
    expect(more.conditions.join(' ')).toMatch(/Developer 1 · Project 1: The stated total is 10 USD/)
    expect(more.conditions.join(' ')).toMatch(/Developer 2 · Project 2: The stated total is 20 USD/)
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

import { describe, expect, it } from 'vitest'
import { comparePrices } from '../../../src/tables/rfq/price-history.js'

const at = '2026-11-21T12:00:00.000Z'
const offer = (sequence: number) => ({ id: `o${sequence}`, sequence })
const view = (comparison: string | null, rates: Record<string, number | null>) =>
  ({
    currency: { comparison, rates: Object.entries(rates).map(([currency, rate]) => ({ currency, rate })) },
    offers: [1, 2, 3].map(offer),
  }) as unknown as Parameters<typeof comparePrices>[1]
const history = (offerId: string, ...points: readonly (readonly [price: number, currency: string | null])[]) =>
  points.map(([pricePerTonne, currency]) => ({ offerId, at, pricePerTonne, currency }))

describe('prices over time', () => {
  it('are in the currency of the comparison, also where an offer changed its currency', () => {
    const histories = [...history('o1', [10, 'EUR'], [12, 'USD']), ...history('o2', [9, 'USD'])]
    const compared = comparePrices(histories, view('USD', { EUR: 1.5 }))
    expect(compared.map(({ points }) => points.map(({ pricePerTonne }) => pricePerTonne))).toEqual([[15, 12], [9]])
  })

  it('are left out without an exchange rate', () => {
    const histories = [
      ...history('o1', [10, 'EUR']),
      ...history('o2', [9, 'USD'], [8, 'EUR']),
      ...history('o3', [7, null]),
    ]
    const compared = comparePrices(histories, view('USD', { EUR: null }))
    expect(compared.map(({ offer, points }) => [offer.sequence, points.length])).toEqual([[2, 1]])
    expect(comparePrices(histories, view(null, { USD: null }))).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import type { SettingsInput } from '../../src/core/decision/settings.js'
import { lines, offerId, reportOn, response } from '../helpers/data/comparison-inputs.js'

const priced = (number: number, currency: string | null, unitPrice: number) =>
  response(number, { offer: { currency, ...lines({ unitPrice }) } })

const MIXED = [priced(1, 'USD', 12), priced(2, 'EUR', 10.5), priced(3, 'GBP', 9)]
const EUR = { EUR: { rate: 1.1, date: '2026-03-13', source: 'ECB' } }

function report(settings: SettingsInput, rfqCurrency: string | null = 'USD', responses = MIXED) {
  const rfq = { pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: rfqCurrency } }
  return reportOn({ responses, settings, rfq })
}
const ranks = ({ offers }: ReturnType<typeof report>) =>
  MIXED.map((one) => offers.find(({ id }) => id === one.id)?.rank)

describe('offers in several currencies', () => {
  it('are ranked at the configured rate, shown with date and source; others are excluded with the reason', () => {
    const compared = report({ currency: 'USD', exchangeRates: EUR })
    expect(ranks(compared)).toEqual([2, 1, null])
    const unknown = { rate: null, date: null, source: null, offers: 1 }
    expect(compared.currency.rates).toEqual([
      { currency: 'EUR', ...EUR.EUR, offers: 1, message: '1 EUR = 1.1 USD (2026-03-13, ECB).' },
      { currency: 'GBP', ...unknown, message: 'No exchange rate into USD is configured.' },
      { currency: 'USD', ...unknown, rate: 1, message: 'The comparison currency.' },
    ])
    const pound = compared.offers.find(({ id }) => id === offerId(3))
    expect(pound?.exclusions[0]).toMatchObject({
      code: 'no-exchange-rate',
      message: expect.stringContaining('GBP'),
    })
    expect(compared.offers[0]?.compared).toMatchObject({
      rate: 1.1,
      pricePerTonne: expect.closeTo(11.55, 9),
      costPerTonne: 11.55,
    })
    expect(compared.decision.recommendation.award).toMatchObject({
      currency: 'USD',
      pricePerTonne: expect.closeTo(11.55, 9),
    })
  })

  it('are compared in the configured currency, as are the limits of the RFQ', () => {
    const compared = report({ currency: 'EUR', exchangeRates: { USD: { rate: 0.9 } } })
    expect(compared.currency.comparison).toBe('EUR')
    expect(compared.rfq).toMatchObject({ maxUnitPrice: 15, comparedMaxUnitPrice: 13.5, comparedMinUnitPrice: 4.5 })
    expect(ranks(compared).slice(0, 2)).toEqual([2, 1])
  })

  it("fall back on the RFQ's own currency if it cannot be converted into the configured one", () => {
    const compared = report({ currency: 'EUR', exchangeRates: { GBP: { rate: 1.2 } } })
    expect(compared.currency).toMatchObject({
      comparison: 'USD',
      reason: expect.stringContaining('no exchange rate for USD'),
    })
    expect(ranks(compared)).toEqual([1, null, null])
    expect(compared.currency.rates.find(({ currency }) => currency === 'GBP')?.message).toContain('quoted in EUR')
  })

  it('use no rate without a configured currency', () => {
    const compared = report({ exchangeRates: EUR })
    expect(ranks(compared)[1]).toBeNull()
    expect(compared.currency.rates[0]?.message).toContain('in a currency that is not configured')
  })

  it('are compared in their only currency if the RFQ states none, and not at all if they use several', () => {
    expect(report({}, null, [priced(1, 'CHF', 9), priced(2, 'chf', 8)]).currency.comparison).toBe('CHF')
    const several = report({}, null)
    expect(several.currency.comparison).toBeNull()
    expect(several.summary).toMatchObject({ ranked: 0, lowestPrice: null })
  })

  it('use rate 1 for the comparison currency, whatever is configured', () => {
    const compared = report({ currency: 'USD', exchangeRates: { USD: { rate: 7 } } })
    expect(compared.offers.find(({ id }) => id === offerId(1))?.compared.rate).toBe(1)
  })
})

it('a negative discount rate is refused', () => expect(() => report({ discountRate: -0.1 })).toThrow())

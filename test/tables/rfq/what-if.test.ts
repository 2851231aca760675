import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { SettingsInput } from '../../../src/core/decision/settings.js'
import { rfqView } from '../../../src/tables/rfq/rfq-view.js'
import { awardOf, whatIfChange } from '../../../src/tables/rfq/what-if.js'
import { comparisonInput, delivery, response, rfq, vintage } from '../../helpers/data/comparison-inputs.js'

const offered = (volume: number, unitPrice: number) => ({
  offer: { scheduledDeliveries: [delivery({ vintages: [vintage({ volume, unitPrice })] })] },
})

/** Offers of 4,000 t at 9, 6,000 t at 10 and 10,000 t at 9.80 USD/t, for an RFQ of 4,000 to 12,000 t, with other settings. */
const compared = (settings: SettingsInput = {}) =>
  rfqView(
    compareOffers(
      comparisonInput({
        rfq: rfq({
          minVolume: 4_000,
          maxVolume: 12_000,
          pricing: { currency: 'USD', minUnitPrice: 1, maxUnitPrice: 11 },
        }),
        responses: [response(1, offered(4_000, 9)), response(2, offered(6_000, 10)), response(3, offered(10_000, 9.8))],
        settings,
      }),
    ),
  )
const changeOf = (after: SettingsInput, before: SettingsInput = {}) => whatIfChange(compared(before), compared(after))

describe('what other settings change', () => {
  it('is nothing if the award stays, and says so', () => {
    const { message, moves, settings } = changeOf({ discountRate: 0.05 })
    expect(message).toBe('The award stays the same.')
    expect(moves).toEqual([])
    expect(settings.map((each) => each.message)).toEqual(['Discount rate: 8 % → 5 %'])
  })

  it('is another award, with a difference per tonne and of tonnes, never of totals', () => {
    expect(awardOf(compared({ volume: 8_000 }))?.tonnes).toBe(10_000)
    const change = changeOf({ volume: 8_000 })
    expect(change.message).toBe('Another award.')
    expect(change.moves.map(({ number, message }) => [number, message])).toEqual([[2, 'rank 3, now awarded']])
    expect(change.settings).toEqual([
      { setting: 'volume', message: 'Tonnes to award, at least: the minimum of the RFQ → 8,000 t' },
    ])
  })

  it('is another rank, or none, with the reason', () => {
    const strict = changeOf({ requirements: { reviewAccepted: 'hard' } })
    expect(strict.message).toBe('No award any more.')
    expect(strict.moves[0]?.message).toMatch(/^rank 1 → no rank \(.+\), no longer awarded$/)
    expect(strict.moves).toHaveLength(3)
    expect(changeOf({ without: '1' }).moves.at(-1)?.message).toMatch(/^rank 1 → no rank \(.*left out/)
  })

  it('names each setting in words, with its unit', () => {
    const settings = changeOf(
      {
        ...{ awardTolerance: 'unlimited', priceBasis: 'present-value', currency: 'USD' },
        exchangeRates: { EUR: { rate: 1.1 } },
        requirements: { priceMax: 'off' },
      },
      { currency: 'USD', exchangeRates: { EUR: { rate: 1.08 }, GBP: { rate: 1.3 } } },
    ).settings
    expect(settings.map(({ message }) => message).sort()).toEqual([
      'Compared by: quoted prices → present values',
      'Price at most the maximum: hard → off',
      'Prices are equal up to: 2 % → unlimited',
      'Value of 1 EUR: 1.08 USD → 1.1 USD',
      'Value of 1 GBP: 1.3 USD → not known',
    ])
  })

  it('leaves out rates that differ only because offers are compared in another currency', () => {
    const rates = { EUR: { rate: 1.08 } }
    const before = compared({ currency: 'USD', exchangeRates: rates })
    const after = compared({ currency: 'CHF', exchangeRates: { EUR: { rate: 0.95 }, USD: { rate: 0.9 } } })
    const messages = (named: Record<string, string>) =>
      whatIfChange(before, after, named).settings.map(({ setting }) => setting)
    expect(messages({ currency: 'CHF' })).toEqual(['currency'])
    expect(messages({ currency: 'CHF', 'exchangeRates.EUR': '0.95' })).toEqual(['currency', 'exchangeRates.EUR'])
  })
})

import { expect, it } from 'vitest'
import type { SettingsInput } from '../../../src/core/decision/settings.js'
import { rfqView } from '../../../src/tables/rfq/rfq-view.js'
import { awardOf, movesOf, settingTitle } from '../../../src/tables/rfq/what-if.js'
import { reportOn, rfq, sized } from '../../helpers/data/comparison-inputs.js'

/** Offers of 4,000 t at 9, 6,000 t at 10 and 10,000 t at 9.80 USD/t, for an RFQ of 4,000 to 12,000 t, with other settings. */
const compared = (settings: SettingsInput = {}) =>
  rfqView(
    reportOn({
      rfq: rfq({
        minVolume: 4_000,
        maxVolume: 12_000,
        pricing: { currency: 'USD', minUnitPrice: 1, maxUnitPrice: 11 },
      }),
      responses: [sized(1, 4_000, 9), sized(2, 6_000, 10), sized(3, 10_000, 9.8)],
      settings,
    }),
  )
const moves = (settings: SettingsInput) =>
  movesOf(compared(), compared(settings)).map(({ number, message }) => `${number}: ${message}`)

it('other settings move offers to another rank or to none, with the reason, and into the award or out of it', () => {
  expect(moves({ discountRate: 0.05 })).toEqual([])
  expect(awardOf(compared({ volume: 8_000 }))?.tonnes).toBe(10_000)
  expect(moves({ volume: 8_000 })).toEqual(['2: rank 3, now awarded'])
  const strict = moves({ requirements: { reviewAccepted: 'hard' } })
  expect(strict).toHaveLength(3)
  expect(strict[0]).toMatch(/^1: rank 1 → no rank \(.+\), no longer awarded$/)
  expect(moves({ without: '1' }).at(-1)).toMatch(/^1: rank 1 → no rank \(.*left out/)
})

it('each setting has a title', () => {
  const titles = ['requirements.priceMax', 'exchangeRates.EUR', 'without', 'awardTolerance'].map(settingTitle)
  expect(titles).toEqual(['Price at most the maximum', 'Value of 1 EUR', 'Offers left out', 'Prices are equal up to'])
})

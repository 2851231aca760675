import { expect, it } from 'vitest'
import { NO_FIGURES } from '../../src/read-models/rfq-figures.js'
import { offerWords } from '../../src/read-models/today-offers.js'

const figures = { ...NO_FIGURES, wanted: 1_000, volume: 1_000, coverage: 1, currency: 'EUR', bestPricePerTonne: 31.64 }
const award = { offers: ['2'], tonnes: 852, pricePerTonne: 31.64 }

it.each([
  ['award', '3 offers, best price 31.64 EUR/t, 100 % of the wanted volume covered.'],
  [
    'partial',
    '3 offers, but the best award that satisfies the hard requirements covers only 85.2 % of the wanted volume.',
  ],
  ['none', '3 offers, but no award satisfies the hard requirements; best price 31.64 EUR/t regardless of them.'],
] as const)('an RFQ that is due soon says first whether there is an award that covers it: %s', (status, words) => {
  expect(offerWords({ offers: 3, unreadOffers: 0 }, { ...figures, award: { ...award, status } })).toBe(words)
})

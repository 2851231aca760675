import { expect, it } from 'vitest'
import { NO_FIGURES } from '../../src/read-models/rfq-figures.js'
import { pastOverdueItems } from '../../src/read-models/today-closing.js'
import type { TodayContext } from '../../src/read-models/today-model.js'
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

it('an RFQ that is due soon says of how many offers only the summary was read', () => {
  const words =
    '3 offers (of 1 only the summary was read so far), best price 31.64 EUR/t, 100 % of the wanted volume covered.'
  expect(offerWords({ offers: 3, unreadOffers: 0 }, { ...figures, summaryOnly: 1 })).toBe(words)
  const none = '3 offers (of 2 only the summary was read so far), none can be ranked.'
  expect(offerWords({ offers: 3, unreadOffers: 0 }, { ...figures, summaryOnly: 2, bestPricePerTonne: null })).toBe(none)
})

it('names an accepted offer of an RFQ that is due soon or overdue, before what the award rule finds', async () => {
  const accepted = { offers: ['Verdant · Peat', 'Other'], tonnes: 852, pricePerTonne: 31.64 }
  const words = 'Accepted: Verdant · Peat and 1 other offer, 852 t at 31.64 EUR/t.'
  const own = { ...figures, award: { ...award, status: 'none' as const }, accepted }
  expect(offerWords({ offers: 3, unreadOffers: 0 }, own)).toBe(words)
  const rfq = { channel: 'acme/forest', name: '7', responseDueDate: '2026-03-09', overdue: true }
  const rows = [{ ...rfq, missingSince: null, listed: null }]
  const source = { rfqs: { figures: async () => [own] } }
  const [item] = await pastOverdueItems({ rows, source, now: new Date(0) } as unknown as TodayContext)
  expect(item?.words).toBe(`Past due since 2026-03-09 and open. ${words}`)
})

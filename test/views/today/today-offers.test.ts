import { expect, it } from 'vitest'
import { NO_FIGURES } from '../../../src/recommendations/rfq-figures.js'
import { offerText } from '../../../src/views/today/rfqs.js'

const figures = { ...NO_FIGURES, ranked: 2, wanted: 1_000, volume: 1_000, currency: 'EUR', bestPricePerTonne: 31.64 }
const award = {
  ...{ status: 'award' as const, offers: ['2'], tonnes: 1_000, pricePerTonne: 31.64, coverage: 1, conditions: 0 },
  message: 'Recommended: 2, 1,000 t at 31.64 EUR/t.',
}
const row = { offers: 3, unreadOffers: 0 }

it('says how many offers an RFQ has and whom to award, in the words of the comparison', () => {
  expect(offerText(row, { ...figures, award })).toBe('3 offers. Recommended: 2, 1,000 t at 31.64 EUR/t.')
})

it('says of how many offers only the summary was read', () => {
  expect(offerText(row, { ...figures, summaryOnly: 1, award })).toBe(
    '3 offers (of 1 only the summary was read so far). Recommended: 2, 1,000 t at 31.64 EUR/t.',
  )
})

it('says without an award, which the rule best-score has none of in lists, how many offers compete and the best price', () => {
  expect(offerText(row, figures)).toBe('3 offers, of which 2 can be awarded; the best price is 31.64 EUR/t.')
  expect(offerText(row, { ...figures, ranked: 0, bestPricePerTonne: null })).toBe('3 offers; none can be awarded.')
})

it('names an accepted offer before what the award rule finds', () => {
  const message = 'Accepted: Verdant · Peat: 852 t at 31.64 EUR/t.'
  const accepted = { offers: ['Verdant · Peat'], tonnes: 852, pricePerTonne: 31.64, message }
  expect(offerText(row, { ...figures, award: { ...award, status: 'none' }, accepted })).toBe(message)
})

import { describe, expect, it } from 'vitest'
import { OFFER_COLUMNS } from '../../../src/tables/offer/offer-view.js'
import { jsonRows } from '../../../src/tables/print/json.js'
import { printTerminal } from '../../../src/tables/print/terminal.js'
import { rfqView } from '../../../src/tables/rfq/rfq-view.js'
import { lines, reportOn, response, rfq } from '../../helpers/data/comparison-inputs.js'

const offer = (unitPrice: number, more: object = {}) => ({
  offer: {
    ...lines({ volume: 1_000, unitPrice }),
    review: { status: 'pending' },
    ...more,
  },
})

/** Offers at 9.256 USD/t, at 8 EUR/t, and one that was rejected, for 1,000 t at 10 USD/t at most. */
const { offers } = rfqView(
  reportOn({
    rfq: rfq({ minVolume: 1_000, pricing: { currency: 'USD', minUnitPrice: 1, maxUnitPrice: 10 } }),
    responses: [
      response(1, offer(9.256)),
      response(2, offer(8, { currency: 'EUR' })),
      response(3, { ...offer(5), status: 'rejected' }),
    ],
    settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.25 } } },
  }),
)
const rows = jsonRows(OFFER_COLUMNS, offers)

describe('the table of offers', () => {
  it('has the price in the currency of the comparison, and as offered where that is another', () => {
    expect(
      rows.map(({ number, price, ownPrice, ownPriceCurrency }) => [number, price, ownPrice, ownPriceCurrency]),
    ).toEqual([
      [1, 9.256, null, null],
      [2, 10, 8, 'EUR'],
      [3, 5, null, null],
    ])
    const { text } = printTerminal(OFFER_COLUMNS, offers, { width: null })
    expect(text).toMatch(/Price, USD\/t/)
    expect(text).toContain(' 9.26 ')
  })

  it('says in a few words what to check, advisory requirements in brackets, and that an offer was rejected', () => {
    const words = new Map(rows.map(({ number, doubts }) => [number, doubts]))
    expect(words.get(1)).toEqual(['(not yet accepted in review)'])
    expect(words.get(3)).toContain('rejected')
    expect(words.get(3)).not.toContain('rejected in review')
  })
})

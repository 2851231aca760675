import { describe, expect, it } from 'vitest'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparisonInput, delivery, response, vintage } from '../helpers/data/comparison-inputs.js'
import { manyAcceptedInput, partlyAcceptedInput } from './support/rfq-cases.js'

const report = compareOffers(partlyAcceptedInput())
/** The rows of each sheet as texts. */
const sheetsOf = (of: typeof report) =>
  Object.fromEntries(
    rfqSheets(of).map((make) => {
      const { name, rows } = make()
      return [name, [...rows()].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))]
    }),
  )
const formatsOf = (of: typeof report) => ({
  workbook: sheetsOf(of).Summary?.flat().join('\n') ?? '',
  json: JSON.stringify(of.decision.recommendation),
})

describe('an accepted offer that covers half of what is asked for', () => {
  it.each(Object.entries(formatsOf(report)))('leads with its coverage: %s', (_, text) => {
    expect(text).toMatch(
      /Accepted: Developer 1 · Project 1: 5,000 t at 12.00 USD\/t, 60,000 USD in total\. That is 50 % of the requested 10,000 t\./,
    )
  })

  it('is first, with its tonnes and no rank, and has its status in words', () => {
    const { Summary: summary = [], Offers: offers = [] } = sheetsOf(report)
    const head = summary.findIndex((row) => row[1] === 'Offer')
    const name = '1 · Developer 1 · Project 1 (Afforestation, reforestation and revegetation)'
    expect(summary[head + 1]?.slice(0, 4)).toEqual(['–', name, 'Accepted', '5,000'])
    expect(offers.find(([label]) => label === 'Accepted or recommended (t)')?.slice(2)).toEqual(['5,000', ''])
  })
})

describe('an accepted offer in a currency that cannot be converted', () => {
  const offer = {
    currency: 'EUR',
    scheduledDeliveries: [delivery({ fulfilmentDueDate: '2029-06-30', vintages: [vintage({ unitPrice: 9 })] })],
    prePayments: [{ amount: 90_000, paymentDueDate: '2026-04-15' }],
    review: { status: 'rejected', comment: 'Not additional.' },
  }
  const euros = compareOffers(comparisonInput({ responses: [response(1, { status: 'accepted', offer }), response(2)] }))

  it.each(Object.entries(formatsOf(euros)))('has its failures and high flags: %s', (_, text) => {
    for (const message of [
      'The review rejected the offer',
      'The last delivery, on 2029-06-30, is 912 days after the fulfilment due date, 2026-12-31.',
      'at 9.00 EUR/t, which cannot be compared',
      'Pre-payments are the whole total, 90,000 EUR.',
    ])
      expect(text).toContain(message)
  })
})

describe('figures of an award', () => {
  it('have the same text in the workbook and in JSON', () => {
    const compared = compareOffers(manyAcceptedInput(0, 400))
    for (const text of Object.values(formatsOf(compared)))
      expect(text).toContain('500.5 t at 10.205 USD/t, 5,108 USD in total')
  })

  it('below 1,000 have cents where they need them', () => {
    const offer = { scheduledDeliveries: [delivery({ vintages: [vintage({ volume: 50, unitPrice: 10.21 })] })] }
    const compared = compareOffers(comparisonInput({ rfq: { minVolume: 40 }, responses: [response(1, { offer })] }))
    for (const text of Object.values(formatsOf(compared)))
      expect(text).toContain('50 t at 10.21 USD/t, 510.5 USD in total')
  })
})

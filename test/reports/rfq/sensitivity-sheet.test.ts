import { expect, it } from 'vitest'
import { cellText } from '../../../reports/layout/cell-text.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses } from '../../helpers/comparison-inputs.js'

it('the sheet Sensitivity compares ranks by price with the current ones by price, not with those by score', () => {
  const weights = { price: 1, coverage: 99, delivery: 0, promptness: 0, vintage: 0, payment: 0, evidence: 0 }
  const input = comparisonInput({ responses: manyResponses(12, 2, 5), settings: { weights } })
  const report = compareOffers(input)
  const cheapest = report.offers.find(({ priceRank }) => priceRank === 1)
  expect(cheapest?.rank).not.toBe(1)
  const sheet = rfqSheets(report)
    .map((make) => make())
    .find(({ name }) => name === 'Sensitivity')
  const texts = [...(sheet?.rows() ?? [])].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))
  const from = texts.findIndex(([title]) => title === 'Discount rate: rank by risk-adjusted price') + 1
  const rows = texts.slice(from, from + report.sensitivity.discountRates.length)
  const name = `${cheapest?.sequence} · ${cheapest?.label}`
  expect(rows.map((row) => row[3])).toEqual(rows.map((row) => (row[2] === name ? 'no' : 'yes')))
  expect(rows.map((row) => row[3])).toContain('no')
})

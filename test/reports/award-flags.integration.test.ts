import { expect, it } from 'vitest'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { recommendationLines } from '../../src/views/rfq/rfq-view.js'
import { comparisonInput, response } from '../helpers/data/comparison-inputs.js'

it('every format names the high flags of the recommended offer before its expiry date', () => {
  const report = compareOffers(comparisonInput({ responses: [response(1, { offer: { totalPrice: 300_000 } })] }))
  const summary = rfqSheets(report).map((make) => make())[0]
  const cells = [...(summary?.rows() ?? [])].flatMap((row) => row.cells.map((cell) => (cell ? cellText(cell) : '')))
  const formats = {
    terminal: recommendationLines(report.decision).join('\n'),
    workbook: cells.slice(cells.indexOf('Check before signing')).join('\n'),
    json: JSON.stringify(report.decision.recommendation),
  }
  for (const [format, text] of Object.entries(formats)) {
    expect([format, text]).toEqual([
      format,
      expect.stringMatching(
        /The stated total is 300,000 USD, but the delivery lines add up to 120,000 USD\.[\s\S]*The offer expires in 106 days/,
      ),
    ])
  }
})

import { expect, it } from 'vitest'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { recommendationLines } from '../../src/views/rfq/rfq-view.js'
import { comparisonInput, response } from '../helpers/data/comparison-inputs.js'

it('every format says that an offer in the currency of the RFQ has no volume, and nothing of conversion', () => {
  const offer = { scheduledDeliveries: [], totalVolume: null, totalPrice: 100_000 }
  const report = compareOffers(comparisonInput({ responses: [response(1, { offer })] }))
  const rows = rfqSheets(report).flatMap((make) => [...make().rows()])
  const cells = rows.flatMap((row) => row.cells.map((cell) => (cell ? cellText(cell) : '')))
  const formats = {
    terminal: recommendationLines(report.decision).join('\n'),
    workbook: cells.join('\n'),
    json: JSON.stringify(report),
  }
  for (const [format, text] of Object.entries(formats)) {
    expect([format, text]).toEqual([format, expect.stringMatching(/(has|states) no volume/)])
    expect([format, text]).toEqual([
      format,
      expect.not.stringMatching(/cannot be converted into the RFQ|of the 1 offer /),
    ])
  }
})

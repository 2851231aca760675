import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { renderRfqReport } from '../../reports/formats.js'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { recommendationLines } from '../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparisonAnswer } from '../../src/mcp/comparison-answer.js'
import { toRfqPageModel } from '../../src/read-models/rfq-page-model.js'
import { RecommendationCard } from '../../src/web/pages/rfq-page.js'
import { comparisonInput, response } from '../helpers/comparison-inputs.js'

it('every format names the high flags of the recommended offer before its expiry date', () => {
  const report = compareOffers(comparisonInput({ responses: [response(1, { offer: { totalPrice: 300_000 } })] }))
  const summary = rfqSheets(report).map((make) => make())[0]
  const cells = [...(summary?.rows() ?? [])].flatMap((row) => row.cells.map((cell) => (cell ? cellText(cell) : '')))
  const model = toRfqPageModel(report)
  const formats = {
    terminal: recommendationLines(report.decision).join('\n'),
    page: render(h(RecommendationCard, { model, changed: false })),
    workbook: cells.slice(cells.indexOf('Conditions')).join('\n'),
    html: renderRfqReport(report, 'html').split('Conditions')[1],
    json: JSON.stringify(report.decision.recommendation),
    mcp: JSON.stringify(comparisonAnswer(report, []).recommendation),
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

import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { renderRfqReport } from '../../reports/formats.js'
import { recommendationLines } from '../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparedOffers, comparisonAnswer } from '../../src/mcp/comparison-answer.js'
import { toRfqPageModel } from '../../src/read-models/rfq-page-model.js'
import { RecommendationCard } from '../../src/web/pages/rfq-page.js'
import { comparisonInput, response } from '../helpers/comparison-inputs.js'

it('every format says that an offer in the currency of the RFQ has no volume, and nothing of conversion', () => {
  const offer = { scheduledDeliveries: [], totalVolume: null, totalPrice: 100_000 }
  const report = compareOffers(comparisonInput({ responses: [response(1, { offer })] }))
  const model = toRfqPageModel(report)
  const formats = {
    terminal: recommendationLines(report.decision).join('\n'),
    page: render(h(RecommendationCard, { model, changed: false })),
    'page, offers': JSON.stringify(model.offers),
    html: renderRfqReport(report, 'html'),
    csv: renderRfqReport(report, 'csv'),
    json: renderRfqReport(report, 'json'),
    mcp: JSON.stringify(comparisonAnswer(report, [])),
    'mcp, offers': JSON.stringify(comparedOffers(report)),
  }
  for (const [format, text] of Object.entries(formats)) {
    expect([format, text]).toEqual([format, expect.stringContaining('states no volume above 0')])
    expect([format, text]).toEqual([
      format,
      expect.not.stringMatching(/cannot be converted into the RFQ|of the 1 offer /),
    ])
  }
})

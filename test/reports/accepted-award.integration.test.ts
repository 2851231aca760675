import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import { renderRfqReport } from '../../reports/formats.js'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { recommendationLines } from '../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { comparedOffers, comparisonAnswer } from '../../src/mcp/comparison-answer.js'
import { toRfqPageModel } from '../../src/read-models/rfq-page-model.js'
import { RfqCharts } from '../../src/web/pages/rfq-charts.js'
import { RecommendationCard } from '../../src/web/pages/rfq-page.js'
import { offersTable, scenariosTable } from '../../src/web/pages/rfq-tables.js'
import { comparisonInput, delivery, response, vintage } from '../helpers/comparison-inputs.js'
import { manyAcceptedInput, partlyAcceptedInput } from './support/rfq-cases.js'

const report = compareOffers(partlyAcceptedInput())
/** The rows of each sheet as texts, without collapsed rows and columns. */
const sheetsOf = (of: typeof report) =>
  Object.fromEntries(
    rfqSheets(of).map((make) => {
      const { name, rows, workingColumns = [] } = make()
      const shown = [...rows()].filter(({ working }) => working !== true)
      const isShown = (column: number) => !workingColumns.includes(column)
      return [name, shown.map(({ cells }) => cells.map((cell, at) => (cell && isShown(at) ? cellText(cell) : '')))]
    }),
  )

describe('an accepted offer that covers half of what is wanted', () => {
  it('leads every format with its coverage, what is missing, and the tonnes that a difference in cost is for', () => {
    const model = toRfqPageModel(report)
    const workbook = sheetsOf(report).Summary?.flat().join('\n') ?? ''
    const formats = {
      page: render(h(RecommendationCard, { model, changed: false })),
      workbook,
      html: renderRfqReport(report, 'html'),
      json: JSON.stringify(report.decision.recommendation),
      mcp: JSON.stringify(comparisonAnswer(report, [])),
    }
    for (const [format, text] of Object.entries(formats)) {
      expect([format, text]).toEqual([
        format,
        expect.stringMatching(
          /It covers 50 % of the wanted 10,000 t: 5,000 t are missing\.[\s\S]*It costs 40,000 USD less[^.]*, for 5,000 t less, than what the/,
        ),
      ])
    }
  })

  it('is what is awarded in every table and chart, and the award of the rule is called so', () => {
    const model = toRfqPageModel(report)
    expect(model.offers.map(({ number, awardedTonnes }) => [number, awardedTonnes]).sort()).toEqual([
      [1, 5_000],
      [2, 0],
    ])
    const award = offersTable(model, '/rfqs/1', undefined).columns.find(({ key }) => key === 'awardedTonnes')
    expect(model.offers.map((offer) => award?.value(offer)).sort()).toEqual([0, 5_000])
    expect(scenariosTable(model).rows[0]?.title).toBe('By the award rule')
    const charts = render(h(RfqCharts, { model, prices: [] }))
    expect(charts).toContain('Accepted award')
    expect(charts).not.toContain('Recommended award')
    expect(
      comparedOffers(report)
        .map(({ number, awardedTonnes }) => [number, awardedTonnes])
        .sort(),
    ).toEqual([
      [1, 5_000],
      [2, 0],
    ])
    const { Summary: summary = [], ...others } = sheetsOf(report)
    const head = summary.findIndex((row) => row.includes('Accepted (t)'))
    const awarded = summary.slice(head + 1, head + 3).map(([number, , tonnes]) => [number, tonnes])
    expect(awarded.sort()).toEqual([
      ['1', '5,000'],
      ['2', ''],
    ])
    expect(summary.flat()).toContain('Offers by rank. Accepted offers are green.')
    expect(summary.flat()).toContain('By the award rule')
    expect(others.Negotiation?.flat().join('\n')).toContain('Accepted: 5,000 t.')
    for (const text of [...summary.flat(), ...Object.values(others).flat(2)])
      expect(text).not.toMatch(
        /Awarded (offers|\(t\))|Difference (to|from) recommended|the recommended (offer|award)|runner-up,/,
      )
  })

  it('is the same in the words of an RFQ of which every offer is accepted', () => {
    const all = compareOffers(partlyAcceptedInput('accepted'))
    const { About: definitions, ...sheets } = sheetsOf(all)
    expect(definitions?.flat()).toContain('Runner-up')
    const texts = Object.values(sheets).flat(2).join('\n')
    expect(texts).toContain('Accepted: Developer 1')
    expect(texts).not.toMatch(/[Rr]unner-up/)
    const open = compareOffers(comparisonInput())
    expect(Object.values(sheetsOf(open)).flat(2).join('\n')).toMatch(/[Rr]unner-up/)
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
  const sheets = sheetsOf(euros)
  const formats = {
    page: render(h(RecommendationCard, { model: toRfqPageModel(euros), changed: false })),
    workbook: sheets.Summary?.flat().join('\n') ?? '',
    html: renderRfqReport(euros, 'html'),
    json: JSON.stringify(euros.decision.accepted),
    mcp: JSON.stringify(comparisonAnswer(euros, []).accepted),
    lines: recommendationLines(euros.decision).join('\n'),
  }

  it.each(Object.entries(formats))('has its failures and high flags: %s', (_, text) => {
    for (const words of [
      'The review rejected the offer',
      'The last delivery, on 2029-06-30, is 912 days after the fulfilment due date, 2026-12-31.',
      'because it is priced in EUR. No exchange rate into USD is configured.',
      'Pre-payments are the whole total, 90,000 EUR.',
    ])
      expect(text).toContain(words)
    expect(text).not.toContain('every requirement is met')
  })
})

describe('figures of an award', () => {
  it('have the same text on the page, in the workbook, in HTML, JSON and for assistants', () => {
    const said = [1, 3].map((accepted) => {
      const compared = compareOffers(manyAcceptedInput(accepted, 500.5))
      const model = toRfqPageModel(compared)
      const formats = {
        page: render(h(RecommendationCard, { model, changed: false })),
        workbook: sheetsOf(compared).Summary?.flat().join('\n') ?? '',
        html: renderRfqReport(compared, 'html'),
        json: JSON.stringify(compared.decision.recommendation),
        mcp: JSON.stringify(comparisonAnswer(compared, [])),
      }
      const figures = Object.entries(formats).map(([format, text]) => {
        const accepted =
          /: ([\d,.]+ t at [\d,.]+ USD\/t, [\d,.]+ USD in total)\. It covers ([\d.]+ %) of the wanted ([\d,.]+ t)/
        return [format, ...(accepted.exec(text)?.slice(1) ?? [])]
      })
      const [first = []] = figures
      for (const each of figures) expect(each.slice(1)).toEqual(first.slice(1))
      return first.slice(1)
    })
    expect(said).toEqual([
      ['500.5 t at 10.205 USD/t, 5,108 USD in total', '100 %', '500.5 t'],
      ['1,500.5 t at 10.205 USD/t, 15,313 USD in total', '100 %', '500.5 t'],
    ])
  })

  it('have the same text where an award is recommended, in the workbook and in HTML', () => {
    const compared = compareOffers(manyAcceptedInput(0, 400))
    const { headline, reasons } = compared.decision.recommendation
    const summary = sheetsOf(compared).Summary?.flat().join('\n') ?? ''
    for (const text of [[headline, ...reasons].join('\n'), summary, renderRfqReport(compared, 'html')]) {
      expect(text).toContain('500.5 t at 10.205 USD/t, 5,108 USD in total')
      expect(text).toContain('Covers 100 % of the wanted 400 t')
    }
  })

  it('below 1,000 have cents where they need them', () => {
    const offer = { scheduledDeliveries: [delivery({ vintages: [vintage({ volume: 50, unitPrice: 10.21 })] })] }
    const compared = compareOffers(comparisonInput({ rfq: { minVolume: 40 }, responses: [response(1, { offer })] }))
    const summary = sheetsOf(compared).Summary?.flat().join('\n') ?? ''
    expect(compared.decision.recommendation.headline).toContain('50 t at 10.21 USD/t, 510.5 USD in total')
    expect(summary).toContain('50 t at 10.21 USD/t, 510.5 USD in total')
  })
})

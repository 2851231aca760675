import { describe, expect, it } from 'vitest'
import { renderRfqReport } from '../../reports/formats.js'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { recommendationLines } from '../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import type { ListedChanges } from '../../src/core/sources.js'
import { comparisonInput, response } from '../helpers/comparison-inputs.js'

const LISTED: ListedChanges = {
  ...{ at: '2026-03-16T11:00:00.000Z', readAt: '2026-03-15T09:30:00.000Z' },
  ...{ state: 'closed', responseDueDate: null, fulfilmentDueDate: null, contradicts: false, offersNew: [], fields: [] },
  offersGone: [],
}

describe('a report on an RFQ of which a newer list says something else', () => {
  it('says so above the recommendation, recommended offers first, and in a row of Checks for the RFQ and each offer', () => {
    const input = () => comparisonInput({ responses: [1, 2, 3].map((number) => response(number)) })
    const without = compareOffers(input())
    const awarded = without.decision.offers.find(({ tonnes }) => tonnes > 0)?.offerId
    // The recommended one is not the first.
    const others = without.offers.filter(({ id }) => id !== awarded)
    const gone = [...others.slice(0, 1), ...without.offers.filter(({ id }) => id === awarded)]
    const offersGone = gone.map(({ id, developer }) => ({ id, name: String(developer) }))
    const report = compareOffers({ ...input(), listed: { ...LISTED, offersGone } })
    const [banner] = report.decision.banners
    expect(banner?.words).toMatch(
      new RegExp(
        `^The list of 2026-03-16 11:00 UTC says closed and no longer has 2 offers \\(${gone[1]?.label} .*; ${gone[0]?.label} .*\\); ` +
          'this RFQ was last read at 2026-03-15 09:30 UTC\\.$',
      ),
    )
    expect(recommendationLines(report.decision)[0]).toContain(banner?.words)
    const sheets = new Map(rfqSheets(report).map((make) => [make().name, make()]))
    const textsOf = (name: string) =>
      [...(sheets.get(name)?.rows() ?? [])].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))
    const summary = textsOf('Summary')
    const lineOf = (words: string | undefined) => summary.findIndex((cells) => cells.some((cell) => cell === words))
    expect(lineOf(banner?.words)).toBeGreaterThan(0)
    expect(lineOf(report.decision.recommendation.headline)).toBeGreaterThan(lineOf(banner?.words))
    const checks = textsOf('Checks').filter((cells) => cells.some((cell) => cell.includes('2026-03-16 11:00 UTC')))
    expect(checks.map(([about, verdict, subject]) => [about, verdict, subject])).toEqual([
      ['flag', 'High', 'RFQ'],
      ...report.offers.flatMap(({ id, sequence, label }) =>
        gone.some((offer) => offer.id === id) ? [['flag', 'High', `${sequence} · ${label}`]] : [],
      ),
    ])
    expect(renderRfqReport(report, 'html')).toContain('no longer has 2 offers')
  })

  it('is less severe if the list has other terms or further offers only, and says nothing without a list', () => {
    const flagOf = (listed: ListedChanges | null) =>
      compareOffers(comparisonInput({ listed })).rfq.flags.find(({ code }) => code === 'rfq-list-differs')?.severity
    expect(flagOf(LISTED)).toBe('high')
    expect(flagOf({ ...LISTED, state: null, offersNew: ['new'] })).toBe('medium')
    expect(flagOf({ ...LISTED, state: null, fields: ['title'] })).toBe('medium')
    expect(flagOf(null)).toBeUndefined()
    expect(compareOffers(comparisonInput()).decision.banners).toEqual([])
  })
})

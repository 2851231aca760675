import { describe, expect, it } from 'vitest'
import { cellText } from '../../reports/layout/cell-text.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import type { ListDiff } from '../../src/core/sources/sources.js'
import { recommendationLines } from '../../src/views/rfq/rfq-view.js'
import { comparisonInput, response } from '../helpers/data/comparison-inputs.js'

const LISTED: ListDiff = {
  ...{ at: '2026-03-16T11:00:00.000Z', readAt: '2026-03-15T09:30:00.000Z' },
  ...{
    state: 'closed',
    responseDueDate: null,
    fulfilmentDueDate: null,
    contradicts: false,
    addedOffers: [],
    fields: [],
  },
  removedOffers: [],
}

describe('a report on an RFQ of which a newer list says something else', () => {
  it('says so above the recommendation, and among the flags of the RFQ and each offer', () => {
    const input = () => comparisonInput({ responses: [1, 2, 3].map((number) => response(number)) })
    const without = compareOffers(input())
    const awarded = without.decision.recommendation.award?.offers[0]?.id
    // Among them the offer that would be recommended.
    const others = without.offers.filter(({ id }) => id !== awarded)
    const gone = [...others.slice(0, 1), ...without.offers.filter(({ id }) => id === awarded)]
    const removedOffers = gone.map(({ id, developer }) => ({ id, name: String(developer) }))
    const report = compareOffers({ ...input(), listed: { ...LISTED, removedOffers } })
    const [banner] = report.decision.banners
    expect(banner?.message).toMatch(
      new RegExp(
        `^The list of 2026-03-16 11:00 UTC says closed and no longer has 2 offers \\(${gone[0]?.label} .*; ${gone[1]?.label} .*\\); ` +
          'this RFQ was last read at 2026-03-15 09:30 UTC\\.$',
      ),
    )
    expect(recommendationLines(report.decision)[0]).toContain(banner?.message)
    const sheets = new Map(rfqSheets(report).map((make) => [make().name, make()]))
    const textsOf = (name: string) =>
      [...(sheets.get(name)?.rows() ?? [])].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))
    const summary = textsOf('Summary')
    const lineOf = (message: string | undefined) => summary.findIndex((cells) => cells.some((cell) => cell === message))
    expect(lineOf(banner?.message)).toBeGreaterThan(0)
    expect(lineOf(report.decision.recommendation.headline)).toBeGreaterThan(lineOf(banner?.message))
    const said = '2026-03-16 11:00 UTC'
    expect(textsOf('About').find(([term]) => term === 'Flags on the RFQ')?.[1]).toMatch(new RegExp(`High: .*${said}`))
    const [, , ...flags] = textsOf('Offers').find(([label]) => label === 'Flags') ?? []
    expect(flags.map((text) => text.includes(said))).toEqual(
      report.offers.map(({ id }) => gone.some((offer) => offer.id === id)),
    )
  })

  it('is less severe if the list has other terms or further offers only, and says nothing without a list', () => {
    const flagOf = (listed: ListDiff | null) =>
      compareOffers(comparisonInput({ listed })).rfq.flags.find(({ code }) => code === 'rfq-list-differs')?.severity
    expect(flagOf(LISTED)).toBe('high')
    expect(flagOf({ ...LISTED, state: null, addedOffers: ['new'] })).toBe('medium')
    expect(flagOf({ ...LISTED, state: null, fields: ['title'] })).toBe('medium')
    expect(flagOf(null)).toBeUndefined()
    expect(compareOffers(comparisonInput()).decision.banners).toEqual([])
  })
})

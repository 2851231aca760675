import { describe, expect, it } from 'vitest'
import { channelSheets } from '../../reports/channel/workbook.js'
import { cellText } from '../../reports/layout/cell-text.js'
import type { SheetFactory } from '../../reports/layout/sheet-plan.js'
import { rfqSheets } from '../../reports/rfq/workbook.js'
import { summariseChannel } from '../../src/compare/channel/summarise-channel.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import { type ComparisonOverrides, channelInput, comparisonInput } from '../helpers/data/comparison-inputs.js'

/** The texts of each sheet. */
const textsOf = (sheets: readonly SheetFactory[]) =>
  Object.fromEntries(
    sheets.map((make) => {
      const plan = make()
      return [plan.name, [...plan.rows()].map(({ cells }) => cells.map((cell) => (cell ? cellText(cell) : '')))]
    }),
  )

/** Known from the list alone, which shows two offers. */
const UNREAD: ComparisonOverrides = {
  rfq: { responses: [{ id: 'a' }, { id: 'b' }] },
  rfqStored: { shape: 'list' },
  responses: [],
}

describe('an RFQ that was not read yet', () => {
  it('says that its offers were not read yet, and never that none were received', () => {
    const report = compareOffers(comparisonInput(UNREAD))
    const texts = textsOf(rfqSheets(report))
    expect(texts.Summary?.flat()).toContain('The RFQ has 2 offers, not read yet.')
    expect(texts.About?.flat().join('\n')).toContain('2 offers, not read yet')
    expect(report.summary.coverage).toBeNull()
    for (const text of Object.values(texts).flat(2)) expect(text).not.toMatch(/No offers? (received|has|req)/)
  })

  it('is not open without offers in the overview of its channel, which says how many its list shows', () => {
    const one = { ...UNREAD, rfq: { ...UNREAD.rfq, id: 'b', number: 2, title: 'Unread' } }
    const report = summariseChannel(channelInput([{ rfq: { id: 'a', number: 1 }, responses: [] }, one]))
    expect(report.summary.openWithoutOffers).toBe(1)
    expect(report.rfqs.map(({ unreadOffers, coverage }) => [unreadOffers, coverage])).toEqual([
      [2, null],
      [0, 0],
    ])
    const texts = textsOf(channelSheets(report))
    expect(texts.Offers?.flat()).toContain('2 offers, not read yet.')
    expect(texts.RFQs?.filter((row) => row.includes('Unread') && row.includes('2, not read yet'))).toHaveLength(1)
    expect(texts.Summary?.filter((row) => row.includes('Unread') && row.includes('2, not read yet'))).toHaveLength(1)
    expect(texts.Summary).toContainEqual(expect.arrayContaining(['Offers not read yet', '2']))
    expect(Object.values(texts).flat(2).join('\n')).not.toContain('No offers received')
  })
})

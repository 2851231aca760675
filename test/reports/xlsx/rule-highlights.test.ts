import { describe, expect, it } from 'vitest'
import { channelSheets } from '../../../reports/channel/workbook.js'
import { cellText } from '../../../reports/layout/cell-text.js'
import type { SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { type Highlight, makeHighlighter } from '../../../reports/xlsx/rule-highlights.js'
import { summariseChannel } from '../../../src/domain/comparison/channel/summarise-channel.js'
import { compareOffers } from '../../../src/domain/comparison/report/compare-offers.js'
import { channelInput, sampleResponses } from '../../helpers/comparison-inputs.js'
import { RFQ_CASES } from '../support/rfq-cases.js'

const rfqPlans = (name: string) =>
  rfqSheets(compareOffers((RFQ_CASES[name] as NonNullable<(typeof RFQ_CASES)[string]>)())).map((make) => make())

/** The highlighted cells of a sheet: highlight and text of each. */
function marked(sheet: SheetPlan): [mark: Highlight, words: string][] {
  const rows = [...sheet.rows()]
  const mark = makeHighlighter(sheet, rows)
  return rows.flatMap(({ cells }, row) =>
    [...cells.entries()].flatMap(([column, cell]): [Highlight, string][] => {
      const found = cell === undefined ? null : mark(row, column)
      return found === null || cell === undefined ? [] : [[found, cellText(cell)]]
    }),
  )
}

const named = (sheets: SheetPlan[], name: string) => sheets.find((sheet) => sheet.name === name) as SheetPlan

describe('conditional formats, evaluated for the HTML page,', () => {
  it('can be evaluated for every sheet of every report', () => {
    const channel = summariseChannel(channelInput([{ responses: sampleResponses() }, {}]))
    for (const sheets of [...Object.keys(RFQ_CASES).map(rfqPlans), channelSheets(channel).map((make) => make())]) {
      for (const sheet of sheets) expect(() => marked(sheet), sheet.name).not.toThrow()
    }
  })

  it('highlight the best offer in each row of Comparison, as named in column B', () => {
    const sheet = named(rfqPlans('sample'), 'Comparison')
    const rows = [...sheet.rows()]
    const mark = makeHighlighter(sheet, rows)
    const judged = rows.flatMap(({ cells }, row) => {
      const best = cells[1] === undefined ? '' : cellText(cells[1])
      const good = cells.flatMap((cell, column) =>
        column > 2 && cell && mark(row, column) === 'good' ? [cellText(cell)] : [],
      )
      return good.length > 0 ? [{ best, good: [...new Set(good)] }] : []
    })
    expect(judged.length).toBeGreaterThan(8)
    for (const { best, good } of judged) expect(good).toEqual([best])
  })

  it('agree with the text beside them', () => {
    const checks = marked(named(rfqPlans('sample'), 'Checks'))
    expect(new Set(checks.map(([mark, words]) => `${mark} ${words}`))).toEqual(
      new Set(['warn attention', 'good ok', 'bad fails', 'bad High', 'warn Medium']),
    )
    expect(marked(named(rfqPlans('sample'), 'Scoring'))).toEqual([['good', '1']])
    expect(marked(named(rfqPlans('no-offers'), 'Scoring'))).toEqual([])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { channelSheets } from '../../../reports/channel/workbook.js'
import { cellText } from '../../../reports/layout/cell-text.js'
import { columnIndex, columnLetter } from '../../../reports/layout/grid.js'
import {
  all,
  any,
  type Condition,
  conditionFormula,
  type Highlight,
  here,
  is,
  isNumber,
  isOneOf,
  mark,
} from '../../../reports/layout/marks.js'
import type { SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { blank, formula, number, text } from '../../../reports/xlsx/cells.js'
import { summariseChannel } from '../../../src/compare/channel/summarise-channel.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { channelInput, sampleResponses } from '../../helpers/data/comparison-inputs.js'
import { makeMarker } from '../support/marker.js'
import { CHECKED_CASES, RFQ_CASES } from '../support/rfq-cases.js'

const rfqPlans = (name: string) =>
  rfqSheets(compareOffers((RFQ_CASES[name] as NonNullable<(typeof RFQ_CASES)[string]>)())).map((make) => make())

/** The highlighted cells of a sheet: highlight and text of each. */
function marked(sheet: SheetPlan): [mark: Highlight, message: string][] {
  const rows = [...sheet.rows()]
  const mark = makeMarker(sheet.marks ?? [], rows)
  return rows.flatMap(({ cells }, row) =>
    [...cells.entries()].flatMap(([column, cell]): [Highlight, string][] => {
      const found = cell === undefined ? null : mark(row, column).highlight
      return found === null || cell === undefined ? [] : [[found, cellText(cell)]]
    }),
  )
}

const named = (sheets: SheetPlan[], name: string) => sheets.find((sheet) => sheet.name === name) as SheetPlan

const ROWS = [
  { cells: [text('yes'), number(3), formula('1/0', null), blank()] },
  { cells: [text('No'), number(4), number(4), text('')] },
]
/** Cells that a condition marks in a range, as addresses. */
const markedIn = (range: string, when: Condition) => {
  const highlight = makeMarker([mark(range, when, 'good')], ROWS)
  return ROWS.flatMap(({ cells }, row) =>
    [...cells.keys()]
      .filter((column) => highlight(row, column).highlight)
      .map((column) => `${columnLetter(column + 1)}${row + 1}`),
  )
}

describe('mark', () => {
  it('compares cells and constants as a spreadsheet does', () => {
    expect(markedIn('A1:D2', is(here, '=', 'YES'))).toEqual(['A1'])
    expect(markedIn('A1:D2', is(here, '>', 3))).toEqual(['B2', 'C2'])
    expect(markedIn('A1:D2', is(here, '<=', 3))).toEqual(['B1'])
    expect(markedIn('D1:D2', is(here, '=', 0))).toEqual(['D1', 'D2'])
    expect(markedIn('A1:D2', isOneOf(here, 'no', 'yes'))).toEqual(['A1', 'A2'])
  })

  it('never compares text or #N/A as larger or smaller than a number', () => {
    expect(markedIn('A1:D2', is(here, '>', -1))).toEqual(['B1', 'B2', 'C2'])
    expect(markedIn('C1:C2', isNumber(here))).toEqual(['C2'])
  })

  it('looks at other cells of the same row or column', () => {
    expect(markedIn('B1:C2', is({ column: 'A' }, '=', 'yes'))).toEqual(['B1', 'C1'])
    expect(markedIn('B1:C2', is({ row: 2 }, '=', 4))).toEqual(['B1', 'C1', 'B2', 'C2'])
    expect(markedIn('B1:C2', is(here, '=', { column: 'B' }))).toEqual(['B1', 'B2', 'C2'])
    expect(markedIn('B1:B2', any(is(here, '=', 3), is({ column: 'A' }, '=', 'no')))).toEqual(['B1', 'B2'])
  })

  it('becomes a formula for the first cell of its range', () => {
    const nested = all(is(here, '<', { column: 'B' }), isOneOf({ column: 'C', row: 9 }, 'a', 'b'))
    expect(conditionFormula(all(is({ row: 2 }, '=', 'say "yes"'), nested), 'D6:F20')).toBe(
      'AND(D$2="say ""yes""",ISNUMBER(D6),D6<$B6,OR($C$9="a",$C$9="b"))',
    )
    expect(conditionFormula(isOneOf(here, 'one'), 'AA4')).toBe('AA4="one"')
  })

  it('takes priority over marks listed after it', () => {
    const marks = [mark('B1', is(here, '=', 3), 'bad'), mark('B1:B2', is(here, '>', 0), 'good')]
    const highlight = makeMarker(marks, ROWS)
    const found = [highlight(0, 1), highlight(1, 1), highlight(1, 0)].map((one) => one.highlight)
    expect(found).toEqual(['bad', 'good', null])
  })

  it('reads column letters as the grid writes them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 702 }), (column) => columnIndex(columnLetter(column)) === column - 1),
    )
  })
})

describe('conditional formats, evaluated for the HTML page,', () => {
  it('can be evaluated for every sheet of every report', () => {
    const channel = summariseChannel(channelInput([{ responses: sampleResponses() }, {}]))
    for (const sheets of [...CHECKED_CASES.map(rfqPlans), channelSheets(channel).map((make) => make())]) {
      for (const sheet of sheets) expect(() => marked(sheet), sheet.name).not.toThrow()
    }
  })

  it('highlight the best offer in each row of Offers, whose value is in column B', () => {
    const sheet = named(rfqPlans('sample'), 'Offers')
    const rows = [...sheet.rows()]
    const mark = makeMarker(sheet.marks ?? [], rows)
    const judged = rows.flatMap(({ cells }, row) => {
      const best = cells[1] === undefined ? '' : cellText(cells[1])
      const good = cells.flatMap((cell, column) =>
        column > 1 && cell && mark(row, column).highlight === 'good' ? [cellText(cell)] : [],
      )
      return good.length > 0 && best !== '' ? [{ best, good: [...new Set(good)] }] : []
    })
    expect(judged.length).toBeGreaterThan(8)
    for (const { best, good } of judged) expect(good).toEqual([best])
  })

  it('agree with the text beside them', () => {
    const message = (name: string) => new Set(marked(named(rfqPlans('sample'), name)).map((one) => one.join(' ')))
    expect(message('About')).toEqual(new Set(['bad differs']))
    expect(message('Scoring')).toEqual(new Set(['good 1']))
    expect([...message('Choices')]).toContain('good recommended')
    expect([...message('Summary')]).toEqual(expect.arrayContaining(['good recommended', 'good Submitted, recommended']))
  })
})

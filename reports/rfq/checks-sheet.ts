import { round6 } from '../../src/domain/comparison/numbers.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { type Grid, makeGrid } from '../layout/grid.js'
import { keys } from '../layout/keys.js'
import { here, is, isOneOf, type Mark, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import { type About, type CheckRow, checkRows, FIGURE, type MakeRow } from './check-rows.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'All comparisons with their numbers and verdicts. Figures: this report’s own calculations, each done in two ways. Data: consistency of the documents received. Flags: warnings about offers and the RFQ.'
const KEYS = keys('about verdict subject title leftWhat left rightWhat right difference exact tolerance words')
type Key = (typeof KEYS)[number]

/** The cell with the master verdict, above the table. */
export const MASTER_CHECK_CELL = "'Checks'!$B$4"
/** What it means, in words. */
export const MASTER_WORDS_CELL = "'Checks'!$C$4"

/** `Checks`: reconciliation checks, then flags, then document problems. */
export function checksSheet(layout: RfqLayout): SheetPlan {
  const rows = checkRows(layout)
  const checks = makeGrid('Checks', KEYS, HEADER_ROW, rows.length)
  return tableSheet<MakeRow, Key>({
    grid: checks,
    heading: rfqHeading(layout, 'Checks', NOTE),
    aboveHeader: [{ role: 'note', cells: masterCells(layout, checks) }],
    rows,
    emptyText: 'No checks.',
    frozenColumns: 2,
    columns: columns(checks),
    marks: () => [
      mark(checks.area('verdict'), isOneOf(here, 'fails', 'High'), 'bad'),
      mark(checks.area('verdict'), isOneOf(here, 'rounding', 'unknown', 'Medium', 'problem'), 'warn'),
      mark(checks.area('verdict'), is(here, '=', 'ok'), 'good'),
      ...masterCheckMarks('B4'),
    ],
  })
}

/** Marks a cell that shows the master verdict. */
export const masterCheckMarks = (cell: string): Mark[] => [
  mark(cell, is(here, '=', 'fails'), 'bad'),
  mark(cell, is(here, '=', 'attention'), 'warn'),
  mark(cell, is(here, '=', 'ok'), 'good'),
]

const INVALID = 'InputErrors+OwnAwardErrors>0'

function masterCells({ report }: RfqLayout, checks: Grid<Key>): Partial<Record<Key, Cell>> {
  const failing = (about: About) => `COUNTIFS(${checks.range('about')},"${about}",${checks.range('verdict')},"fails")>0`
  return {
    about: text('Master check', style.header),
    verdict: formula(
      `IF(OR(${INVALID},${failing('figures')}),"fails",IF(${failing('data')},"attention","ok"))`,
      report.checks.master.verdict,
      style.asBold(style.body),
    ),
    subject: formula(
      `IF(${INVALID},"Invalid input: "&InvalidInputs&". Results that depend on it show “check Inputs”.",${stringLiteral(report.checks.master.words)})`,
      report.checks.master.words,
      style.body,
    ),
  }
}

function columns(checks: Grid<Key>): Columns<MakeRow, Key> {
  const { text: textColumn, cells } = columnsOf<MakeRow>()
  const rowOf = cached<MakeRow, CheckRow>((make) => make())
  const words = (header: string, maxWidth: number, value: (row: CheckRow) => string) =>
    textColumn(header, (make) => value(rowOf(make)), { maxWidth })
  const figure = (header: string, value: (row: CheckRow, index: number) => Cell) =>
    cells(header, (make, index) => value(rowOf(make), index), { maxWidth: 16, look: FIGURE })
  return {
    about: { ...words('Type', 14, (row) => row.about), minWidth: 14 },
    verdict: cells('Verdict', (make, index) => {
      const row = rowOf(make)
      const expression = verdictExpression(row, checks, index)
      return row.isFormula ? formula(expression, row.verdict, style.body) : text(row.verdict, style.body)
    }),
    subject: words('Subject', 24, (row) => row.subject),
    title: words('Check', 36, (row) => row.title),
    leftWhat: words('Compared figure', 18, (row) => row.leftWhat),
    left: figure('Compared value', (row) => row.left),
    rightWhat: words('Reference figure', 18, (row) => row.rightWhat),
    right: figure('Reference value', (row) => row.right),
    difference: figure('Difference', (row, index) =>
      row.isFormula && row.difference !== null
        ? formula(`ROUND(${checks.at('left', index)}-${checks.at('right', index)},6)`, round6(row.difference), FIGURE)
        : number(row.difference, FIGURE),
    ),
    exact: figure('OK up to', (row) => row.exact),
    tolerance: figure('Tolerance', (row) => row.tolerance),
    words: words('Description', 50, (row) => row.words),
  }
}

/** src/domain/comparison/report/check-model.ts, `Check`; the difference in its cell is already rounded. */
function verdictExpression(row: CheckRow, checks: Grid<Key>, index: number): string {
  const off = checks.at('difference', index)
  const size = row.oneSided ? off : `ABS(${off})`
  const within = (key: Key) => `${size}<=${checks.at(key, index)}`
  return `IF(ISNUMBER(${off}),IF(${within('exact')},"ok",IF(${within('tolerance')},"rounding","fails")),"unknown")`
}

/** Remembers the newest result, because the cells of a row are requested one after another. */
function cached<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let newest: { key: Key; value: Value } | undefined
  return (key) => {
    if (newest?.key !== key) newest = { key, value: make(key) }
    return newest.value
  }
}

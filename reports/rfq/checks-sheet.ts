import type { DocumentProblem } from '../../src/compare/comparison-input.js'
import type { Flag } from '../../src/compare/flag.js'
import type { Check } from '../../src/compare/report/check-model.js'
import { round6 } from '../../src/core/numbers.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { type Grid, keys, makeGrid } from '../layout/grid.js'
import { here, is, isOneOf, type Mark, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { codeWords, severityLabels } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type CachedResult, type Cell, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import type { OfferKey, RfqLayout } from './layout.js'
import { totalToleranceExpression } from './offer-metric-columns.js'
import { recommendationFact } from './recommendation/recommendation-block.js'

const KEYS = keys('about verdict subject title leftWhat left rightWhat right difference exact tolerance words')
type Key = (typeof KEYS)[number]
const FIGURE = style.withNumberFormat(style.plainNumber, '#,##0.00####')

/** The cell with the master verdict, above the table. */
export const MASTER_CHECK_CELL = "'Checks'!$B$4"
/** What it means, in words. */
export const MASTER_WORDS_CELL = "'Checks'!$C$4"

/** A reconciliation check, a flag or a document problem, in the same columns. */
interface CheckRow {
  about: Check['about'] | 'flag' | 'document'
  verdict: string
  subject: string
  title: string
  words: string
  left?: Side
  right?: Side
  difference: number | null
  check?: Check
  /** The row of its offer on `Offers`. */
  index?: number | undefined
}
interface Side {
  what: string
  value: CachedResult
}

/** `Checks`: reconciliation checks, then flags, then document problems. */
export function checksSheet(layout: RfqLayout): SheetPlan {
  const rows = checkRows(layout)
  const checks = makeGrid('Checks', KEYS, HEADER_ROW, rows.length)
  return tableSheet<CheckRow, Key>(layout, {
    grid: checks,
    title: 'Checks',
    note: 'All comparisons with their numbers and verdicts. Figures: this report’s own calculations, each done in two ways. Data: consistency of the documents received. Flags: warnings about offers and the RFQ.',
    aboveHeader: [{ role: 'note', cells: masterCells(layout, checks) }],
    rows,
    emptyText: 'No checks.',
    frozenColumns: 2,
    columns: columns(layout, checks),
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
  const failing = (about: CheckRow['about']) =>
    `COUNTIFS(${checks.range('about')},"${about}",${checks.range('verdict')},"fails")>0`
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

function checkRows({ report: { rfq, offers, checks, problems } }: RfqLayout): CheckRow[] {
  const indexes = new Map(offers.map(({ id }, index) => [id, index]))
  return [
    ...checks.checks.map((check) => ({ ...check, check, index: indexes.get(check.offerId ?? '') })),
    ...rfq.flags.map((flag) => flagRow(flag, 'RFQ')),
    ...offers.flatMap(({ sequence, label, flags }) => flags.map((flag) => flagRow(flag, `${sequence} · ${label}`))),
    ...problems.map(documentRow),
  ]
}

function flagRow({ compared, code, words, severity }: Flag, subject: string): CheckRow {
  const [found, limit] = compared
  const sideOf = (figure: typeof found): Side => {
    const unit = figure?.unit == null ? '' : `, ${figure.unit}`
    return { what: figure === undefined ? '' : `${figure.what}${unit}`, value: figure?.value ?? null }
  }
  const [left, right] = [sideOf(found), sideOf(limit)]
  const isNumeric = typeof left.value === 'number' && typeof right.value === 'number' && found?.unit === limit?.unit
  const difference = isNumeric ? Number(left.value) - Number(right.value) : null
  const verdict = severityLabels[severity]
  return { about: 'flag', subject, title: codeWords(code), left, right, words, verdict, difference }
}

const documentRow = ({ kind, entityId, path, code, message }: DocumentProblem): CheckRow => ({
  about: 'document',
  subject: `${kind} ${entityId}`,
  words: message,
  title: path === '' ? codeWords(code) : `${codeWords(code)}: ${path}`,
  verdict: 'problem',
  difference: null,
})

function columns(layout: RfqLayout, checks: Grid<Key>): Columns<CheckRow, Key> {
  const { text: textColumn, cells } = columnsOf<CheckRow>()
  const words = (header: string, maxWidth: number, value: (row: CheckRow) => string) =>
    textColumn(header, value, { maxWidth })
  const figure = (header: string, cell: (row: CheckRow, index: number) => Cell) =>
    cells(header, cell, { maxWidth: 16, style: FIGURE })
  const expressions = ({ check, index }: CheckRow) => (check === undefined ? {} : expressionsOf(layout, check, index))
  const side = (header: string, key: 'left' | 'right') =>
    figure(header, (row) => valueCell(row[key], expressions(row)[key]))
  /** Largest difference that is still within a verdict; empty where no numbers are compared. */
  const limit = (header: string, key: 'exact' | 'tolerance') =>
    figure(header, (row) => {
      if (row.check === undefined) return blank(style.body)
      const expression = expressions(row)[key]
      return expression === undefined ? number(row.check[key], FIGURE) : formula(expression, row.check[key], FIGURE)
    })
  return {
    about: { ...words('Type', 14, (row) => row.about), minWidth: 14 },
    verdict: cells('Verdict', ({ check, verdict }, index) =>
      isNumeric(check)
        ? formula(verdictExpression(check, checks, index), verdict, style.body)
        : text(verdict, style.body),
    ),
    subject: words('Subject', 24, (row) => row.subject),
    title: words('Check', 36, (row) => row.title),
    leftWhat: words('Compared figure', 18, ({ left }) => left?.what ?? ''),
    left: side('Compared value', 'left'),
    rightWhat: words('Reference figure', 18, ({ right }) => right?.what ?? ''),
    right: side('Reference value', 'right'),
    difference: figure('Difference', ({ check, difference }, index) =>
      isNumeric(check) && difference !== null
        ? formula(`ROUND(${checks.at('left', index)}-${checks.at('right', index)},6)`, round6(difference), FIGURE)
        : number(difference, FIGURE),
    ),
    exact: limit('OK up to', 'exact'),
    tolerance: limit('Tolerance', 'tolerance'),
    words: words('Description', 50, (row) => row.words),
  }
}

/** Whether numbers are compared, so that the verdict is a formula. */
const isNumeric = (check: Check | undefined): check is Check => check !== undefined && check.tolerance !== null

/** src/compare/report/check-model.ts, `Check`; the difference in its cell is already rounded. */
function verdictExpression({ oneSided }: Check, checks: Grid<Key>, index: number): string {
  const off = checks.at('difference', index)
  const size = oneSided ? off : `ABS(${off})`
  const within = (key: Key) => `${size}<=${checks.at(key, index)}`
  return `IF(ISNUMBER(${off}),IF(${within('exact')},"ok",IF(${within('tolerance')},"rounding","fails")),"unknown")`
}

/** A figure, as a formula if it is a cell of this workbook; other values as text. */
function valueCell(side: Side | undefined, expression: string | undefined): Cell {
  if (side === undefined) return blank(style.body)
  const { value } = side
  if (typeof value !== 'number') return text(value, style.wrapped)
  return expression === undefined ? number(value, FIGURE) : formula(expression, value, FIGURE)
}

type Expressions = Partial<Record<'left' | 'right' | 'exact' | 'tolerance', string>>

/** Formulas for the checks whose two sides are cells of this workbook. */
function expressionsOf(layout: RfqLayout, check: Check, index: number | undefined): Expressions {
  const { offers, deliveries, recommendation, report } = layout
  const ofOffer = (stated: OfferKey, sum: OfferKey, more: (stated: string) => Expressions): Expressions => {
    if (index === undefined || check.difference === null) return {}
    const left = offers.cell(stated, index)
    return { left, right: offers.cell(sum, index), ...more(left) }
  }
  const ofAward = (key: 'tonnes' | 'total', right: (left: string) => string): Expressions => {
    const left = `N(${recommendationFact(layout, key).cell})`
    const allowed = `MAX(1E-6,ABS(${left})*1E-9)`
    return { left, right: right(left), exact: allowed, tolerance: allowed }
  }
  const awarded = recommendation.offers.range('tonnes')
  /** The total of the solved award, where there is one. */
  const solvedOr = (total: string) => {
    const number = recommendationFact(layout, 'awardNo').cell
    const solved = `IF(ISNUMBER(${number}),INDEX(${recommendation.solved.range('total')},N(${number})+1),0)`
    const isSolved = `AND(AwardRule<>"best-score-compliant",${total}>0)`
    return report.decision.switches.awards.length > 0 ? `IF(${isSolved},${solved},${total})` : total
  }
  const makers: Readonly<Partial<Record<string, () => Expressions>>> = {
    'lines-volume': () => ({ left: `SUM(${deliveries.range('volume')})`, right: `SUM(${offers.range('sumVolume')})` }),
    'lines-value': () => ({ left: `SUM(${deliveries.range('total')})`, right: `SUM(${offers.range('sumValue')})` }),
    volume: () =>
      ofOffer('statedVolume', 'sumVolume', () => ({ exact: 'VolumeTolerance', tolerance: 'VolumeTolerance' })),
    total: () => ofOffer('statedTotal', 'sumValue', (stated) => ({ tolerance: totalToleranceExpression(stated) })),
    'recommended-total': () =>
      ofAward('total', () => `SUMPRODUCT(${awarded},${offers.range('comparedPricePerTonne')})`),
    'recommended-tonnes': () => ofAward('tonnes', () => `SUMIFS(${offers.range('volume')},${awarded},">0")`),
    'recommended-solved': () => ofAward('total', solvedOr),
    'recommended-original': () => ofAward('total', (total) => `IF(InputsChanged=0,${check.right.value},${total})`),
  }
  return makers[check.id]?.() ?? {}
}

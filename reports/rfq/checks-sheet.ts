import type { DocumentProblem } from '../../src/domain/comparison/comparison-input.js'
import type { Flag } from '../../src/domain/comparison/flag.js'
import { round6 } from '../../src/domain/comparison/numbers.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { Check } from '../../src/domain/comparison/report/check-model.js'
import { codeWords } from '../layout/codes.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { type Grid, makeGrid } from '../layout/grid.js'
import { keys } from '../layout/keys.js'
import { here, is, isOneOf, type Mark, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { severityLabels } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type CachedResult, type Cell, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import { type RfqLayout, rfqHeading } from './layout.js'
import { totalToleranceExpression } from './offer-metric-columns.js'
import { recommendationFact } from './recommendation/recommendation-block.js'
import type { FactKey } from './recommendation/recommendation-grids.js'

const NOTE =
  'All comparisons with their numbers and verdicts. Figures: this report’s own calculations, each done in two ways. Data: consistency of the documents received. Flags: warnings about offers and the RFQ.'
const KEYS = keys('about verdict subject title leftWhat left rightWhat right difference exact tolerance words')
type Key = (typeof KEYS)[number]
type About = 'figures' | 'data' | 'flag' | 'document'
const FIGURE = style.withNumberFormat(style.plainNumber, '#,##0.00####')

/** One comparison: a reconciliation check, a flag or a document problem, in the same columns. */
interface Row {
  about: About
  subject: string
  title: string
  left: Side
  right: Side
  /** Largest difference that is still `ok`; empty where no numbers are compared. */
  exact: Cell
  tolerance: Cell
  /** Only a left side above the right side fails. */
  oneSided?: boolean
  verdict: string
  /** The verdict is a formula over the numbers. */
  isFormula: boolean
  difference: number | null
  words: string
}
interface Side {
  what: string
  value: Cell
}

/** The cell with the master verdict, above the table. */
export const MASTER_CHECK_CELL = "'Checks'!$B$4"

/** `Checks`: reconciliation checks, then flags, then document problems. */
export function checksSheet(layout: RfqLayout): SheetPlan {
  const rows = sourcesOf(layout)
  const checks = makeGrid('Checks', KEYS, HEADER_ROW, rows.length)
  return tableSheet<Source, Key>({
    grid: checks,
    heading: rfqHeading(layout, 'Checks', NOTE),
    aboveHeader: [{ role: 'note', cells: masterCells(layout, checks) }],
    rows,
    emptyText: 'No checks.',
    frozenColumns: 2,
    columns: columns(checks, rowMaker(layout)),
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

function columns(checks: Grid<Key>, rowOf: (source: Source) => Row): Columns<Source, Key> {
  const { text: textColumn, cells } = columnsOf<Source>()
  const words = (header: string, maxWidth: number, value: (row: Row) => string) =>
    textColumn(header, (source) => value(rowOf(source)), { maxWidth })
  const figure = (header: string, value: (row: Row, index: number) => Cell) =>
    cells(header, (source, index) => value(rowOf(source), index), { maxWidth: 16, look: FIGURE })
  return {
    about: { ...words('Type', 14, (row) => row.about), minWidth: 14 },
    verdict: cells('Verdict', (source, index) => {
      const row = rowOf(source)
      return row.isFormula
        ? formula(verdictExpression(row, checks, index), row.verdict, style.body)
        : text(row.verdict, style.body)
    }),
    subject: words('Subject', 24, (row) => row.subject),
    title: words('Check', 36, (row) => row.title),
    leftWhat: words('Compared figure', 18, (row) => row.left.what),
    left: figure('Compared value', (row) => row.left.value),
    rightWhat: words('Reference figure', 18, (row) => row.right.what),
    right: figure('Reference value', (row) => row.right.value),
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
function verdictExpression(row: Row, checks: Grid<Key>, index: number): string {
  const off = checks.at('difference', index)
  const size = row.oneSided ? off : `ABS(${off})`
  const within = (key: Key) => `${size}<=${checks.at(key, index)}`
  return `IF(ISNUMBER(${off}),IF(${within('exact')},"ok",IF(${within('tolerance')},"rounding","fails")),"unknown")`
}

// --- checks ----------------------------------------------------------------------------------------------------------

/** The source of a row; rows are created only when written, because there may be many. */
type Source =
  | { row: Row }
  | { check: Check; index: number | undefined }
  | { flag: Flag; subject: string }
  | { problem: DocumentProblem }

function sourcesOf(layout: RfqLayout): Source[] {
  const { report } = layout
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index]))
  return [
    ...report.checks.checks.map((check) => ({ check, index: indexes.get(check.offerId ?? '') })),
    ...recommendationChecks(layout).map((row) => ({ row })),
    ...report.rfq.flags.map((flag) => ({ flag, subject: 'RFQ' })),
    ...report.offers.flatMap((offer) => offer.flags.map((flag) => ({ flag, subject: subjectOf(offer) }))),
    ...report.problems.map((problem) => ({ problem })),
  ]
}

const subjectOf = ({ sequence, label }: OfferReport) => `${sequence} · ${label}`

/** Caches the last row, because the cells of a row are requested one after another. */
function rowMaker(layout: RfqLayout): (source: Source) => Row {
  let newest: { source: Source; row: Row } | undefined
  return (source) => {
    if (newest?.source !== source) newest = { source, row: makeRow(layout, source) }
    return newest.row
  }
}

function makeRow(layout: RfqLayout, source: Source): Row {
  if ('row' in source) return source.row
  if ('check' in source) return checkRow(layout, source.check, source.index)
  return 'flag' in source ? flagRow(source.flag, source.subject) : documentRow(source.problem)
}

function checkRow(layout: RfqLayout, check: Check, index: number | undefined): Row {
  const sides = sideFormulas(layout, check, index)
  return {
    about: check.about,
    subject: check.subject,
    title: check.title,
    left: { what: check.left.what, value: sideCell(check.left.value, sides?.left) },
    right: { what: check.right.what, value: sideCell(check.right.value, sides?.right) },
    exact: allowedCell(check.exact, sides?.exact),
    tolerance: allowedCell(check.tolerance, sides?.tolerance),
    oneSided: check.oneSided,
    verdict: check.verdict,
    isFormula: check.tolerance !== null,
    difference: check.difference,
    words: check.words,
  }
}

interface SideFormulas {
  left: string
  right: string
  exact?: string
  tolerance?: string
}

/** Formulas for the checks whose two sides are cells of this workbook. */
function sideFormulas(layout: RfqLayout, check: Check, index: number | undefined): SideFormulas | undefined {
  const { offers, deliveries } = layout
  const total = (range: string) => `SUM(${range})`
  switch (check.id) {
    case 'lines-volume':
      return { left: total(deliveries.range('volume')), right: total(offers.range('sumVolume')) }
    case 'lines-value':
      return { left: total(deliveries.range('total')), right: total(offers.range('sumValue')) }
    case 'volume':
      if (index === undefined || check.difference === null) return undefined
      return {
        left: offers.cell('statedVolume', index),
        right: offers.cell('sumVolume', index),
        exact: 'VolumeTolerance',
        tolerance: 'VolumeTolerance',
      }
    case 'total':
      if (index === undefined || check.difference === null) return undefined
      return {
        left: offers.cell('statedTotal', index),
        right: offers.cell('sumValue', index),
        tolerance: totalToleranceExpression(offers.cell('statedTotal', index)),
      }
    default:
      return undefined
  }
}

/** The recommended award on `Award`, computed in another way. Where there is none, both sides are 0. */
function recommendationChecks(layout: RfqLayout): Row[] {
  const { report, offers, recommendation: grids, failures } = layout
  const { award } = report.decision.recommendation
  if (failures.candidates.length === 0) return []
  const amount = (key: FactKey) => `N(${recommendationFact(layout, key).cell})`
  const [tonnes, total] = [amount('tonnes'), amount('total')]
  const awarded = grids.offers.range('tonnes')
  const solvedNumber = recommendationFact(layout, 'awardNo').cell
  const solved = `IF(ISNUMBER(${solvedNumber}),INDEX(${grids.solved.range('total')},N(${solvedNumber})+1),0)`
  const isSolved = `AND(AwardRule<>"best-score-compliant",${total}>0)`
  const check = (title: string, left: Computed, right: Computed, words: string): Row => {
    const allowed = formula(`MAX(1E-6,ABS(${left.expression})*1E-9)`, Math.max(1e-6, left.value * 1e-9), FIGURE)
    const side = ({ what, expression, value }: Computed): Side => ({ what, value: formula(expression, value, FIGURE) })
    const state = { verdict: 'ok', isFormula: true, difference: left.value - right.value }
    const sides = { left: side(left), right: side(right), exact: allowed, tolerance: allowed }
    return { about: 'figures', subject: 'Recommended award', title, ...sides, ...state, words }
  }
  const ofAward = { what: 'total on Award', expression: total, value: award?.total ?? 0 }
  return [
    check(
      'The total is the sum over the awarded offers',
      ofAward,
      {
        what: 'Σ tonnes × price per tonne',
        expression: `SUMPRODUCT(${awarded},${offers.range('comparedPricePerTonne')})`,
        value: award?.offers.reduce((sum, offer) => sum + offer.tonnes * offer.pricePerTonne, 0) ?? 0,
      },
      'The tonnes of each awarded offer at its price per tonne add up to the total.',
    ),
    check(
      'The tonnes are those of the awarded offers',
      { what: 'tonnes on Award', expression: tonnes, value: award?.tonnes ?? 0 },
      {
        what: 'Σ volume of awarded offers',
        expression: `SUMIFS(${offers.range('volume')},${awarded},">0")`,
        value: award?.tonnes ?? 0,
      },
      'Offers are awarded whole.',
    ),
    check(
      'The total is that of the award solved for these inputs',
      ofAward,
      {
        what: 'total of the solved award',
        expression: report.decision.switches.awards.length === 0 ? total : `IF(${isSolved},${solved},${total})`,
        value: award?.total ?? 0,
      },
      'Under “best-score-compliant”, the award is calculated, not looked up.',
    ),
    check(
      'With the original inputs, the award is that of the report',
      ofAward,
      {
        what: 'total in the report',
        expression: `IF(InputsChanged=0,${award?.total ?? 0},${total})`,
        value: award?.total ?? 0,
      },
      'The report’s own calculation, which searches for the award.',
    ),
  ]
}

interface Computed {
  what: string
  expression: string
  value: number
}

const sideCell = (value: CachedResult, expression: string | undefined): Cell => {
  if (typeof value !== 'number') return text(value, style.wrapped)
  return expression === undefined ? number(value, FIGURE) : formula(expression, value, FIGURE)
}

const allowedCell = (allowed: number | null, expression: string | undefined): Cell =>
  expression === undefined ? number(allowed, FIGURE) : formula(expression, allowed, FIGURE)

// --- flags and documents ---------------------------------------------------------------------------------------------

function flagRow(flag: Flag, subject: string): Row {
  const [found, limit] = flag.compared
  const side = (value: typeof found): Side => ({
    what: value === undefined ? '' : `${value.what}${value.unit === null ? '' : `, ${value.unit}`}`,
    value: sideCell(value?.value ?? null, undefined),
  })
  const numbers = typeof found?.value === 'number' && typeof limit?.value === 'number'
  const difference = numbers && found.unit === limit.unit ? Number(found.value) - Number(limit.value) : null
  return {
    ...EMPTY_ROW,
    about: 'flag',
    subject,
    title: codeWords(flag.code),
    left: side(found),
    right: side(limit),
    verdict: severityLabels[flag.severity],
    difference,
    words: flag.words,
  }
}

const EMPTY_SIDE: Side = { what: '', value: text(null, style.body) }
const EMPTY_ROW = {
  left: EMPTY_SIDE,
  right: EMPTY_SIDE,
  exact: EMPTY_SIDE.value,
  tolerance: EMPTY_SIDE.value,
  isFormula: false,
  difference: null,
}

const documentRow = ({ kind, entityId, path, code, message }: DocumentProblem): Row => ({
  ...EMPTY_ROW,
  about: 'document',
  subject: `${kind} ${entityId}`,
  title: path === '' ? codeWords(code) : `${codeWords(code)}: ${path}`,
  verdict: 'problem',
  words: message,
})

import { cellLink, cellText } from '../layout/cell-text.js'
import { oneLine } from '../layout/clean-text.js'
import type { ReportIdentity, RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { subtitle } from '../xlsx/cell-styles.js'
import { chartSvg } from './chart-svg.js'
import { escapeHtml } from './escape-html.js'
import {
  factBlocksHtml,
  isFilled,
  isHeader,
  isTitle,
  isTitleRow,
  type NumberedRow,
  type TableLayout,
  tableLayout,
  tablesHtml,
} from './html-table.js'
import { PAGE_STYLE } from './page-style.js'

/** Rows of one sheet on a page; the workbook and the JSON hold all. */
export const MAX_ROWS_PER_SHEET = 20_000

/** Title, and the lines under it. */
const HEADING_ROWS = 3
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/**
 * A report as one page that needs nothing else: no script, no picture, no font from anywhere. The same cells as in the
 * workbook, with the results of its formulas and the colours of its rules; charts are drawn from the same figures.
 */
export function renderHtmlPage(sheets: readonly SheetPlan[], identity: ReportIdentity): string {
  const title = escapeHtml(oneLine(identity.title))
  const parts = sheets.map((sheet, index) => partOf(sheet, index === 0))
  const links = sheets.map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`).join('')
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">' +
    `<meta name="generator" content="Quotekeeper"><title>${title}</title><style>${PAGE_STYLE}</style></head>\n` +
    `<body><header><h1>${title}</h1>${parts[0]?.notes ?? ''}<p>Figures as they were when this was written; the workbook lets you change inputs.</p>${leftOut(parts)}</header>\n` +
    `<nav aria-label="Parts of the report"><div>${links}</div></nav>\n` +
    `<main>${parts.map(({ html }) => html).join('\n')}</main>\n<footer>${escapeHtml(oneLine(identity.footer))}</footer></body></html>\n`
  )
}

interface Part {
  name: string
  /** The lines under its heading; those of the first part stand under the title of the page. */
  notes: string
  html: string
  /** Rows the sheet has, and how many of them are not on the page. */
  rows: number
  left: number
}

const counted = (count: number) => count.toLocaleString('en-US')
const REST = 'the workbook (--format xlsx) and the JSON (--format json) of this report have them all'

function leftOut(parts: readonly Part[]): string {
  const short = parts.filter(({ left }) => left > 0)
  if (short.length === 0) return ''
  const list = short.map(
    ({ name, rows, left }) => `${escapeHtml(name)} shows ${counted(rows - left)} of ${counted(rows)} rows`,
  )
  return `<p class="left">Not everything is on this page: ${list.join('; ')}. ${capital(REST)}.</p>`
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

function partOf(sheet: SheetPlan, first: boolean): Part {
  const { rows, left } = rowsOf(sheet)
  const { title, notes, head, body } = outlineOf(sheet, rows, first)
  const name = escapeHtml(sheet.name)
  const more = left > 0 ? `<p class="left">${counted(left)} more rows are not on this page; ${REST}.</p>` : ''
  const above = notes.map((words) => `<p>${escapeHtml(words)}</p>`).join('')
  const content = contentHtml(sheet, tableLayout(sheet, rows), head, body)
  const html = `<section id="${name}" aria-labelledby="${name}-title"><h2 id="${name}-title">${escapeHtml(title)}</h2>${first ? '' : above}${content}${more}</section>`
  return { name: sheet.name, notes: above, html, rows: body.length + left, left }
}

/** The rows of a sheet as far as they are shown, and how many are left. */
function rowsOf(sheet: SheetPlan): { rows: RowPlan[]; left: number } {
  const rows: RowPlan[] = []
  const most = frozenRows(sheet) + MAX_ROWS_PER_SHEET
  let left = 0
  for (const row of sheet.rows()) {
    if (rows.length < most) rows.push(row)
    else if (isTold(row)) left++
  }
  return { rows, left }
}

/** What of a sheet is words above its table, what the headers of the table, and what the table. */
interface Outline {
  title: string
  notes: string[]
  head: NumberedRow[]
  body: NumberedRow[]
}

function outlineOf(sheet: SheetPlan, rows: readonly RowPlan[], first: boolean): Outline {
  const [heading, ...rest] = rows.map((row, at) => ({ ...row, at })).filter(isTold)
  const title = first || heading === undefined ? sheet.name : wordsOf(heading)
  const outline: Outline = { title, notes: [], head: [], body: [] }
  for (const row of rest) {
    if (outline.body.length > 0) outline.body.push(row)
    else if (isHeader(row, sheet)) outline.head.push(row)
    else if (!isNote(row, sheet)) outline.body.push(row)
    else if (first || row.cells[0]?.style !== subtitle) outline.notes.push(wordsOf(row))
  }
  return outline
}

const isTold = (row: RowPlan) => row.cells.some(isFilled) && !isContents(row) && row.workbookOnly !== true
/** A row of links to the sheets: the page has them at its top. */
const isContents = ({ cells }: RowPlan) =>
  cells.every((cell) => cell === undefined || cellLink(cell)?.startsWith('#') === true)

const frozenRows = ({ frozen }: SheetPlan): number => frozen?.rows ?? 0
/** Headers, and the bands over them, among the rows that stay. */
const isHeader = ({ cells, index: at }: NumberedRow, sheet: SheetPlan) =>
  at < frozenRows(sheet) && cells.filter(isFilled).every((cell) => isHeader(cell) || isTitle(cell))
/** Any other row that stays, and the lines under the heading where none does. */
const isNote = ({ cells, index: at }: NumberedRow, sheet: SheetPlan) =>
  at < Math.max(frozenRows(sheet), HEADING_ROWS) && isFilled(cells[0]) && !isTitle(cells[0])

const wordsOf = ({ cells }: RowPlan): string => cells.filter(isFilled).map(cellText).join(' · ')

/** Charts stand where the sheet has them; the figures behind them, which come after, unfold. */
function contentHtml(sheet: SheetPlan, dress: TableLayout, head: readonly NumberedRow[], body: readonly NumberedRow[]) {
  const { charts = [] } = sheet
  if (charts.length === 0) return partsHtml(dress, head, body)
  const [above, below] = splitAt(body, ({ index: at }) => at >= Math.min(...charts.map(({ anchor }) => anchor.row)))
  const pictures = charts.map((chart) => `<figure>${chartSvg(chart)}</figure>`).join('')
  return `${partsHtml(dress, head, above)}<div class="charts">${pictures}</div>${unfolding(dress, below)}`
}

/** Blocks of facts, where the rows begin with such, and the table. */
function partsHtml(dress: TableLayout, head: readonly NumberedRow[], rows: readonly NumberedRow[]): string {
  const [first, ...rest] = rows
  if (first === undefined || !isTitleRow(first) || first.cells.filter(isFilled).length < 2) {
    return tablesHtml(dress, head, rows)
  }
  const [facts, others] = splitAt(rest, ({ cells }) => isTitle(cells[0]) || isHeader(cells[0]))
  return factBlocksHtml(dress, [first, ...facts]) + (others.length > 0 ? tablesHtml(dress, head, others) : '')
}

/** The rows before the first of which something holds, and those from it on. */
function splitAt(rows: readonly NumberedRow[], holds: (row: NumberedRow) => boolean): [NumberedRow[], NumberedRow[]] {
  const at = rows.findIndex(holds)
  return at === -1 ? [[...rows], []] : [rows.slice(0, at), rows.slice(at)]
}

function unfolding(dress: TableLayout, rows: readonly NumberedRow[]): string {
  const [first, ...rest] = rows
  if (first === undefined) return ''
  if (!isTitle(first.cells[0])) return tablesHtml(dress, [], rows)
  return `<details><summary>${escapeHtml(wordsOf(first))}</summary>${tablesHtml(dress, [], rest)}</details>`
}

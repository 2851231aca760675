import { cellContent, cellLink, cellText, isNotAvailable, isNumberOrDate } from '../layout/cell-text.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { columnWidth } from '../layout/text-metrics.js'
import { FONT_POINTS, palette } from '../xlsx/cell-styles.js'
import type { Cell } from '../xlsx/cells.js'
import { makeHighlighter } from '../xlsx/rule-marks.js'
import { escapeHtml } from './escape-html.js'

/** Rows of one table; each has the headers again, and is laid out only when it comes into view. */
const ROWS_A_TABLE = 250
/** Of a column unit: the page's letters are a little smaller than the workbook's. */
const UNIT_PIXELS = 6.5
/** How high a row is thought to be before it was laid out. */
const ROW_PIXELS = 24
/** A column narrower than this holds a number rather than a name. */
const NAME_UNITS = 20
/** Columns that may stay when the reader scrolls sideways: more would leave no room. */
const MOST_KEPT_PIXELS = 560

/** Between the margins of A4 on its side; below so much of its size a table could not be read. */
const PAPER_PIXELS = 1_020
const LEAST_ON_PAPER = 0.6

/** A row with its place in the sheet, counted from 0. */
export interface NumberedRow extends RowPlan {
  index: number
}

/** What the rows of one sheet are drawn with. */
export interface TableLayout {
  columns: number
  /** Column units. */
  widths: readonly number[]
  /** Columns that stay when the reader scrolls sideways. */
  frozenColumns: number
  /** Columns a cell reaches over, by `row:column`. */
  merges: ReadonlyMap<string, number>
  highlightOf: ReturnType<typeof makeHighlighter>
}

/** @param rows every row of the sheet */
export function tableLayout(sheet: SheetPlan, rows: readonly RowPlan[]): TableLayout {
  const widths = widthsOf(sheet)
  const kept = keptColumns(widths, sheet.frozen?.columns ?? 0)
  return {
    columns: sheet.columns,
    widths,
    frozenColumns: kept,
    merges: mergesOf(sheet),
    highlightOf: makeHighlighter(sheet, rows),
  }
}

function widthsOf(sheet: SheetPlan): readonly number[] {
  const widths = sheet.widths()
  for (;;) {
    const step = widths.next()
    if (step.done) return step.value
  }
}

function keptColumns(widths: readonly number[], wanted: number): number {
  const within = widths.slice(0, wanted).findLastIndex((_, at) => pixelsBefore(widths, at + 1) <= MOST_KEPT_PIXELS)
  return within + 1
}

/** Whether the first column says what its row is, and so stays on a narrow screen too. */
const namesRows = ({ widths, frozenColumns: kept }: TableLayout): boolean => kept > 0 && (widths[0] ?? 0) >= NAME_UNITS

const pixelsOf = (width: number): number => Math.round(width * UNIT_PIXELS)
const pixelsBefore = (widths: readonly number[], column: number): number =>
  widths.slice(0, column).reduce((sum, width) => sum + pixelsOf(width), 0)

function mergesOf({ merges = [] }: SheetPlan): Map<string, number> {
  return new Map(
    merges.flatMap((range): [string, number][] => {
      const [, from, row, to, last] = /^([A-Z])(\d+):([A-Z])(\d+)$/.exec(range) ?? []
      if (from === undefined || to === undefined || row !== last) return []
      return [[`${Number(row) - 1}:${from.charCodeAt(0) - 65}`, to.charCodeAt(0) - from.charCodeAt(0) + 1]]
    }),
  )
}

/** Rows as one table, or as several below each other where they are many. */
export function tablesHtml(dress: TableLayout, head: readonly NumberedRow[], body: readonly NumberedRow[]): string {
  const parts: string[] = []
  const top = head.length === 0 ? '' : `<thead>${head.map((row) => rowHtml(dress, row)).join('')}</thead>`
  for (let from = 0; from < Math.max(1, body.length); from += ROWS_A_TABLE) {
    parts.push(tableHtml(dress, top, body.slice(from, from + ROWS_A_TABLE), body.length > ROWS_A_TABLE))
  }
  return `<div class="scroll" tabindex="0"${onPaper(dress)}>${parts.join('')}</div>`
}

/** How much smaller a table is on paper, and whether even so not all of its columns have room. */
function onPaper({ widths }: TableLayout): string {
  const fit = PAPER_PIXELS / pixelsBefore(widths, widths.length)
  if (fit >= 1) return ''
  return fit < LEAST_ON_PAPER ? ` data-wide style="--fit:${LEAST_ON_PAPER}"` : ` style="--fit:${fit.toFixed(2)}"`
}

function tableHtml(dress: TableLayout, head: string, rows: readonly NumberedRow[], oneOfMany: boolean): string {
  const { widths, frozenColumns: kept } = dress
  const total = pixelsBefore(widths, widths.length)
  const columns = widths.map((width) => `<col style="width:${pixelsOf(width)}px">`).join('')
  const body = rows.map((row) => rowHtml(dress, row)).join('')
  const places = widths.slice(0, kept).map((_, at) => `;--k${at + 1}:${pixelsBefore(widths, at)}px`)
  const table = `<table class="keep${kept}${namesRows(dress) ? ' named' : ''}" style="width:${total}px${places.join('')}"><colgroup>${columns}</colgroup>${head}<tbody>${body}</tbody></table>`
  const room = `width:${total}px;contain-intrinsic-size:${total}px ${(rows.length + 1) * ROW_PIXELS}px`
  return oneOfMany ? `<div class="lazy" style="${room}">${table}</div>` : table
}

function rowHtml(dress: TableLayout, row: NumberedRow): string {
  const { cells, index: at } = row
  const last = cells.findLastIndex(isFilled)
  if (last === 0 && isTitle(cells[0])) return `<tr>${titleHtml(cells[0] as Cell, dress.columns)}</tr>`
  const bands = isTitleRow(row)
  const worn = bands ? { ...dress, kept: 0 } : dress
  const parts: string[] = []
  for (let column = 0; column < dress.columns; ) {
    const cell = cells[column]
    const span = dress.merges.get(`${at}:${column}`) ?? spanOf(worn, cells, column)
    parts.push(cellHtml(cell, span, isFilled(cell) ? dress.highlightOf(at, column) : null))
    column += span
  }
  return `<tr${bands ? ' class="bands"' : ''}>${parts.join('')}</tr>`
}

/** A row of one cell that is a title, over all columns. */
const titleHtml = (cell: Cell, columns: number) =>
  `<th class="part" colspan="${columns}" scope="rowgroup"><span>${escapeHtml(cellText(cell))}</span></th>`

/** Whether anything is to be seen in a cell. */
export function isFilled(cell: Cell | undefined): cell is Cell {
  if (cell === undefined) return false
  const content = cellContent(cell)
  return content === null ? isNotAvailable(cell) : content !== ''
}
/** Whether a cell is the title of a part of its sheet. */
export const isTitle = (cell: Cell | undefined): boolean =>
  cell?.style.font?.bold === true && (cell.style.font.size ?? 0) > FONT_POINTS
/** Whether a row is titles alone, each of what stands below it. */
export function isTitleRow({ cells }: RowPlan): boolean {
  const filled = cells.filter(isFilled)
  return filled.length > 0 && filled.every(isTitle)
}
/** Whether a cell is a header. */
export const isHeader = (cell: Cell | undefined): boolean => cell !== undefined && fillOf(cell) === palette.head

/** As in a workbook, a text that has no room runs on over empty cells; empty cells beside each other are one. */
function spanOf(
  { columns, widths, frozenColumns: kept }: TableLayout,
  cells: RowPlan['cells'],
  column: number,
): number {
  const cell = cells[column]
  if (column < kept || !canReach(cell)) return 1
  const wanted = isFilled(cell) ? columnWidth(cellText(cell), { bold: cell.style.font?.bold === true }) : Infinity
  let [span, room] = [1, widths[column] ?? 0]
  while (column + span < columns && room < wanted && isFree(cells[column + span])) room += widths[column + span++] ?? 0
  return span
}

const isFree = (cell: Cell | undefined) => !isFilled(cell) && (cell === undefined || fillOf(cell) === undefined)
const canReach = (cell: Cell | undefined) =>
  isFilled(cell) ? cell.style.alignment?.wrapText !== true && !isNumberOrDate(cell) && !isHeader(cell) : isFree(cell)

function cellHtml(cell: Cell | undefined, span: number, mark: string | null): string {
  const over = span > 1 ? ` colspan="${span}"` : ''
  if (!isFilled(cell)) return `<td${over}${cell === undefined ? '' : classOf(cell, null)}></td>`
  const words = escapeHtml(cellText(cell)).replaceAll('\n', '<br>')
  const link = cellLink(cell)
  const content = link === null ? words : `<a ${linkAttributes(link)}>${words}</a>`
  const [tag, scope] = isHeader(cell) ? ['th', ' scope="col"'] : ['td', '']
  return `<${tag}${scope}${over}${classOf(cell, mark)}>${content}</${tag}>`
}

function linkAttributes(link: string): string {
  const sheet = /^#'(.*)'!/.exec(link)?.[1]
  return sheet === undefined ? `href="${escapeHtml(link)}" rel="noopener noreferrer"` : `href="#${escapeHtml(sheet)}"`
}

function fillOf({ style: { fill } }: Cell): string | undefined {
  return fill?.type === 'pattern' ? fill.fgColor?.argb : undefined
}

const FILLS: Record<string, string> = {
  [palette.good]: 'good',
  [palette.warn]: 'warn',
  [palette.bad]: 'bad',
  [palette.input]: 'input',
}

/** `n`: a figure, which stays on one line; `r`: at the right; `b`: bold. */
function classOf(cell: Cell, mark: string | null): string {
  const { style } = cell
  const names = [
    isNumberOrDate(cell) || cellContent(cell) === null ? 'n' : '',
    style.alignment?.horizontal === 'right' ? 'r' : '',
    style.font?.bold && !isHeader(cell) ? 'b' : '',
    mark ?? FILLS[fillOf(cell) ?? ''] ?? '',
  ].filter((name) => name !== '')
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`
}

/**
 * Names and values in blocks side by side, which wrap on a narrow screen.
 * @param rows titles of the blocks, then their lines, each a name and, some columns on, its value
 */
export function factBlocksHtml({ highlightOf: mark, columns }: TableLayout, rows: readonly NumberedRow[]): string {
  const [titles, ...lines] = rows
  const starts = [...(titles?.cells.keys() ?? [])].filter((column) => isFilled(titles?.cells[column]))
  const blocks = starts.map((from, index) => {
    const to = starts[index + 1] ?? columns
    const facts = lines.map((line) => factHtml(line, from, to, mark)).join('')
    return `<table><caption>${escapeHtml(cellText(titles?.cells[from] as Cell))}</caption><tbody>${facts}</tbody></table>`
  })
  return `<div class="blocks">${blocks.join('')}</div>`
}

function factHtml(
  { cells, index: at }: NumberedRow,
  from: number,
  to: number,
  mark: TableLayout['highlightOf'],
): string {
  const value = cells.slice(0, to).findLastIndex(isFilled)
  const name = cells[from]
  if (!isFilled(name) || value <= from) return ''
  return `<tr><th scope="row">${escapeHtml(cellText(name).trim())}</th>${cellHtml(cells[value], 1, mark(at, value))}</tr>`
}

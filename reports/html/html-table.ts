import { escapeMarkup } from '../../src/presentation/markup.js'
import { palette } from '../../src/presentation/palette.js'
import { cellContent, cellText, isNotAvailable, isNumberOrDate } from '../layout/cell-text.js'
import { makeMarker } from '../layout/marks.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { columnWidth } from '../layout/text-metrics.js'
import type { Cell } from '../xlsx/cells.js'

/** Rows per table. Long tables are split; each part repeats the headers and is laid out only when it comes into view. */
const ROWS_PER_TABLE = 250
/** Pixels per column unit, and those left and right of the text. */
const [UNIT_PIXELS, CELL_PADDING] = [6.7, 12]
/** Of the width of a column that a chart covers in the workbook. */
const COVERED_SHARE = 0.6
/** Estimated row height before layout. */
const ESTIMATED_ROW_PIXELS = 36
/** A narrower first column contains numbers rather than names. */
const MIN_NAME_UNITS = 20
/** Maximum total width of frozen columns, so that room is left for scrolling. */
const MAX_FROZEN_PIXELS = 560

/** Width between the margins of A4 landscape. */
const PRINT_PIXELS = 1_020
/** Smaller tables would not be legible on paper. */
const MIN_PRINT_SCALE = 0.6

/** A row with its index in the sheet, counted from 0. */
export interface NumberedRow extends RowPlan {
  index: number
}

/** What the rows of one sheet share when they are rendered. */
export type TableLayout = ReturnType<typeof tableLayout>

/** @param rows all rows of the sheet */
export function tableLayout(sheet: SheetPlan, rows: readonly RowPlan[]) {
  const shown = shownColumns(sheet)
  const all = measureWidths(sheet)
  // On the page, charts follow the table instead of covering columns of it, which then need less room.
  const isCovered = (column: number) =>
    sheet.cards === true &&
    (sheet.charts ?? []).some(({ anchor }) => column >= anchor.column && column < anchor.toColumn)
  const widths = shown.map((column) => (all[column] ?? 0) * (isCovered(column) ? COVERED_SHARE : 1))
  const frozen = widths.slice(0, sheet.frozen?.columns ?? 0)
  const markOf = makeMarker(sheet.marks ?? [], rows)
  return {
    columns: shown.length,
    widths,
    /** On narrow screens, rows become cards that repeat the headers. */
    cards: sheet.cards === true,
    /** Columns that stay in view when the reader scrolls sideways. */
    frozenColumns: frozen.findLastIndex((_, at) => pixelsBefore(widths, at + 1) <= MAX_FROZEN_PIXELS) + 1,
    markOf: (row: number, column: number) => markOf(row, shown[column] ?? column),
  }
}

/** The columns that the page shows, counted from 0: neither intermediate results nor what only a workbook needs. */
export const shownColumns = ({ columns, workingColumns = [], workbookColumns = [] }: SheetPlan): number[] =>
  [...Array(columns).keys()].filter((column) => ![...workingColumns, ...workbookColumns].includes(column))

function measureWidths(sheet: SheetPlan): readonly number[] {
  const steps = sheet.widths()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
  }
}

const pixelsOf = (width: number): number => Math.round(width * UNIT_PIXELS + CELL_PADDING)
const pixelsBefore = (widths: readonly number[], column: number): number =>
  widths.slice(0, column).reduce((sum, width) => sum + pixelsOf(width), 0)

/** Renders rows as one table, or as several if there are many rows. */
export function tablesHtml(layout: TableLayout, header: readonly NumberedRow[], body: readonly NumberedRow[]): string {
  const parts: string[] = []
  const headHtml = header.length === 0 ? '' : `<thead>${header.map((row) => rowHtml(layout, row)).join('')}</thead>`
  for (let from = 0; from < Math.max(1, body.length); from += ROWS_PER_TABLE) {
    parts.push(tableHtml(layout, headHtml, body.slice(from, from + ROWS_PER_TABLE), body.length > ROWS_PER_TABLE))
  }
  return `<div class="scroll" tabindex="0"${printAttributes(layout)}>${parts.join('')}</div>`
}

/** Attributes that scale a wide table in print, and mark it if its columns still do not fit. */
function printAttributes({ widths, cards }: TableLayout): string {
  if (cards) return ''
  const scale = PRINT_PIXELS / pixelsBefore(widths, widths.length)
  if (scale >= 1) return ''
  return scale < MIN_PRINT_SCALE
    ? ` data-wide style="--print-scale:${MIN_PRINT_SCALE}"`
    : ` style="--print-scale:${scale.toFixed(2)}"`
}

function tableHtml(layout: TableLayout, headHtml: string, rows: readonly NumberedRow[], isOneOfMany: boolean): string {
  const { widths, frozenColumns } = layout
  const total = pixelsBefore(widths, widths.length)
  // Cards fit the window; other tables scroll.
  const share = (width: number) => `${((100 * pixelsOf(width)) / total).toFixed(2)}%`
  const columns = widths
    .map((width) => `<col style="width:${layout.cards ? share(width) : `${pixelsOf(width)}px`}">`)
    .join('')
  let heads: NumberedRow | undefined
  const body = rows.map((row) => {
    if (row.role === 'head' || row.role === 'section') heads = row.role === 'head' || isBand(row) ? row : undefined
    return rowHtml(layout, row, layout.cards ? heads : undefined)
  })
  const offsets = widths.slice(0, frozenColumns).map((_, at) => `;--k${at + 1}:${pixelsBefore(widths, at)}px`)
  // The first column names its row and therefore stays in view on narrow screens too.
  const isNamed = frozenColumns > 0 && (widths[0] ?? 0) >= MIN_NAME_UNITS
  const table = `<table class="keep${frozenColumns}${isNamed ? ' named' : ''}${layout.cards ? ' cards' : ''}" style="width:${layout.cards ? '100%' : `${total}px`}${offsets.join('')}"><colgroup>${columns}</colgroup>${headHtml}<tbody>${body.join('')}</tbody></table>`
  const size = `width:${total}px;contain-intrinsic-size:${total}px ${(rows.length + 1) * ESTIMATED_ROW_PIXELS}px`
  return isOneOfMany ? `<div class="lazy" style="${size}">${table}</div>` : table
}

/** @param heads the headers that a card repeats */
function rowHtml(layout: TableLayout, row: NumberedRow, heads?: NumberedRow): string {
  const { role, cells, index, merged } = row
  const bands = role === 'section'
  if (bands && !isBand(row)) return `<tr>${titleHtml(cells[0] as Cell, layout.columns)}</tr>`
  const rowLayout = bands ? { ...layout, frozenColumns: 0 } : layout
  const parts: string[] = []
  for (let column = 0; column < layout.columns; ) {
    const cell = cells[column]
    const last = merged?.find(([first]) => first === column)?.[1]
    const span = last === undefined ? columnSpan(rowLayout, row, column) : last - column + 1
    const { highlight: mark, bar } = isFilled(cell) ? layout.markOf(index, column) : { highlight: null, bar: null }
    const isHeader = role === 'head'
    const name = isHeader || bands ? undefined : heads?.cells[column]
    const label = isFilled(name) && isFilled(cell) && span < layout.columns ? { label: cellText(name) } : {}
    parts.push(cellHtml(cell, span, { isHeader, mark, bar, ...label }))
    column += span
  }
  const kind = [bands ? 'bands' : '', layout.cards && (bands || role === 'head') ? 'heads' : ''].join(' ').trim()
  return `<tr${kind === '' ? '' : ` class="${kind}"`}>${parts.join('')}</tr>`
}

/** Whether a row of the role `section` has titles over several groups of columns. */
const isBand = ({ role, cells }: RowPlan) => role === 'section' && cells.findLastIndex(isFilled) > 0

/** A section title that spans all columns. */
const titleHtml = (cell: Cell, columns: number) =>
  `<th class="section-title" colspan="${columns}" scope="rowgroup"><span>${escapeMarkup(cellText(cell))}</span></th>`

export function isFilled(cell: Cell | undefined): cell is Cell {
  if (cell === undefined) return false
  const content = cellContent(cell)
  return content === null ? isNotAvailable(cell) : content !== ''
}

/** As in a workbook, long text overflows into empty cells to its right; adjacent empty cells are merged. */
function columnSpan({ columns, widths, frozenColumns }: TableLayout, { role, cells }: RowPlan, column: number): number {
  const cell = cells[column]
  if (column < frozenColumns || !canOverflow(cell, role === 'head')) return 1
  const needed = isFilled(cell) ? columnWidth(cellText(cell), { bold: cell.style.font?.bold === true }) : Infinity
  let [span, room] = [1, widths[column] ?? 0]
  while (column + span < columns && room < needed && isEmptyCell(cells[column + span]))
    room += widths[column + span++] ?? 0
  return span
}

const isEmptyCell = (cell: Cell | undefined) => !isFilled(cell) && (cell === undefined || fillOf(cell) === undefined)
const canOverflow = (cell: Cell | undefined, isHeader: boolean) =>
  isFilled(cell) ? cell.style.alignment?.wrapText !== true && !isNumberOrDate(cell) && !isHeader : isEmptyCell(cell)

/** The format of a cell beyond its own style; a bar behind the figure has a length from 0 to 1. */
type CellFormat = { isHeader: boolean; mark: string | null; bar: number | null; label?: string }

function cellHtml(cell: Cell | undefined, span: number, { isHeader, mark, bar, label }: CellFormat): string {
  const name = label === undefined ? '' : ` data-label="${escapeMarkup(label)}"`
  const over = `${span > 1 ? ` colspan="${span}"` : ''}${name}`
  if (!isFilled(cell)) return `<td${over}${cell === undefined ? '' : classOf(cell, isHeader, null)}></td>`
  const message = escapeMarkup(cellText(cell)).replaceAll('\n', '<br>')
  const { link } = cell
  const content = link === undefined ? message : `<a ${linkAttributes(link)}>${message}</a>`
  const [tag, scope] = isHeader ? ['th', ' scope="col"'] : ['td', '']
  const length = bar === null ? '' : ` style="--bar:${Math.round(bar * 100)}%"`
  return `<${tag}${scope}${over}${classOf(cell, isHeader, mark ?? (bar === null ? null : 'bar'))}${length}>${content}</${tag}>`
}

function linkAttributes(link: string): string {
  const sheet = /^#'(.*)'!/.exec(link)?.[1]
  return sheet === undefined
    ? `href="${escapeMarkup(link)}" rel="noopener noreferrer"`
    : `href="#${escapeMarkup(sheet)}"`
}

function fillOf({ style: { fill } }: Cell): string | undefined {
  return fill?.type === 'pattern' ? fill.fgColor?.argb : undefined
}

const FILLS: Record<string, string> = {
  [palette.good]: 'good',
  [palette.warn]: 'warn',
  [palette.bad]: 'bad',
}

/** Text of at least this size is larger on the page too. */
const LARGE_POINTS = 14

/** Class names: `n` no wrapping, `r` aligned right, `b` bold. */
function classOf(cell: Cell, isHeader: boolean, mark: string | null): string {
  const { style } = cell
  const names = [
    isNumberOrDate(cell) || cellContent(cell) === null ? 'n' : '',
    style.alignment?.horizontal === 'right' ? 'r' : '',
    style.font?.bold && !isHeader ? 'b' : '',
    (style.font?.size ?? 0) >= LARGE_POINTS ? 'large' : '',
    mark ?? FILLS[fillOf(cell) ?? ''] ?? '',
  ].filter((name) => name !== '')
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`
}

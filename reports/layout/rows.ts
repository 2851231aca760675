import * as style from '../xlsx/cell-styles.js'
import { type Cell, text } from '../xlsx/cells.js'
import { PAGE_POINTS, PAGE_UNITS } from '../xlsx/page-setup.js'
import { cellText } from './cell-text.js'
import type { RowPlan } from './sheet-plan.js'
import { MIN_COLUMN_UNITS, rowHeight, wrappedLines } from './text-metrics.js'

/**
 * The lines above the content of a sheet, one row each.
 * @param report which RFQ or channel, and as of when; all sheets of a workbook have the same subject
 * @param note how to read the sheet
 */
export const headingRows = (report: { subject: string }, title: string, note: string): RowPlan[] => [
  titleRow(title),
  subjectRow(report.subject),
  noteRow(note),
]

export const titleRow = (message: string): RowPlan => ({
  role: 'title',
  cells: [text(message, style.title)],
  height: 24,
})
/** A line below the title that is the same on all sheets; formats that show all sheets on one page show it once. */
export const subjectRow = (message: string): RowPlan => ({
  role: 'subject',
  cells: [text(message, style.subtitle)],
  height: 17,
})
export const noteRow = (message: string, cellStyle: style.Style = style.hint): RowPlan => ({
  role: 'note',
  cells: [text(message, cellStyle)],
})
/** The title of a section, or titles side by side. */
export const sectionRow = (...titles: (string | undefined)[]): RowPlan => ({
  role: 'section',
  cells: titles.map((title) => (title === undefined ? undefined : text(title, style.section))),
  height: 18,
})

/** A column header aligned right, as the numbers below it are. */
export const right = (header: string) => ({ right: header })
type Header = string | ReturnType<typeof right>

/** The headers of columns; undefined leaves a cell out. */
export const headRow = (...headers: (Header | undefined)[]): RowPlan => ({
  role: 'head',
  cells: headers.map((header) => {
    if (header === undefined) return undefined
    return typeof header === 'string' ? text(header, style.header) : text(header.right, style.headerRight)
  }),
})

/** A line of text in the body of a sheet. */
export const textRow = (message: string, cellStyle: style.Style = style.body): RowPlan => ({
  cells: [text(message, cellStyle)],
})
export const bodyRow = (...cells: (Cell | undefined)[]): RowPlan => ({ cells })

/** Columns left empty between the cells of a row. */
export const emptyCells = (count: number): undefined[] => Array.from({ length: count }, () => undefined)
export const emptyRows = (count: number): RowPlan[] => Array.from({ length: count }, () => ({ cells: [] }))

/** A row that separates and is low, so that more fits on a page. */
export const GAP: RowPlan = { cells: [], height: 8 }

/** Height of a row in points, high enough for its wrapped cells in columns of these widths. */
export function fittedHeight({ cells, merged }: RowPlan, widths: readonly number[]): number {
  const widthOf = (column: number) => {
    const last = merged?.find(([first]) => first === column)?.[1] ?? column
    return widths.slice(column, last + 1).reduce((sum, width) => sum + width, 0) || MIN_COLUMN_UNITS
  }
  const lines = cells.reduce((max, cell, column) => Math.max(max, lineCount(cell, widthOf, column)), 1)
  const points = cells.reduce((max, cell) => Math.max(max, cell?.style.font?.size ?? 0), style.FONT_POINTS)
  return rowHeight(lines, points)
}

function lineCount(cell: Cell | undefined, widthOf: (column: number) => number, column: number): number {
  if (cell?.style.alignment?.wrapText !== true) return 1
  return wrappedLines(cellText(cell), widthOf(column), style.fontOptions(cell.style))
}

/** The height of rows in points. */
export const heightOf = (rows: readonly RowPlan[], widths: readonly number[]): number =>
  rows.reduce((sum, row) => sum + (row.height ?? fittedHeight(row, widths)), 0)

/** Whether rows fit on one printed page, scaled if necessary but legible. */
export const fitsOnePage = (rows: readonly RowPlan[], widths: readonly number[]): boolean =>
  heightOf(rows, widths) <= PAGE_POINTS / MIN_PAGE_SCALE
/** Less than MIN_SCALE, so that a page is not followed by a few more rows. */
const MIN_PAGE_SCALE = 0.5

/**
 * The rows of blocks that are not split over printed pages: one that does not fit on the rest of a page begins a new one.
 * @param blocks the first one begins at the top of a page
 * @param widths of all printed columns
 * @param repeated height of the rows repeated on each page but the first
 * @param pageWidth width of the columns on one page; default: of all of them, side by side
 */
export function* keepTogether(
  blocks: Iterable<readonly RowPlan[]>,
  widths: readonly number[],
  repeated = 0,
  pageWidth: number = widths.reduce((sum, width) => sum + width, 0),
): Generator<RowPlan> {
  const scale = Math.min(1, PAGE_UNITS / pageWidth)
  // Programs scale to a whole percent below, so that a page has a little more room than this.
  const page = PAGE_POINTS / scale
  let used = 0
  for (const block of blocks) {
    const needed = heightOf(block, widths)
    const newPage = used > 0 && used + needed > page
    used = ((newPage ? repeated : used) + needed) % page
    yield* block.map((row, index) => (newPage && index === 0 ? { ...row, newPage } : row))
  }
}

/** Collects the rows of a sheet. */
export class RowList {
  readonly rows: RowPlan[] = []

  add(...rows: readonly RowPlan[]): this {
    this.rows.push(...rows)
    return this
  }
  /** Number of the row added next. */
  get next(): number {
    return this.rows.length + 1
  }
  /** Adds an empty row and a section title. */
  addSection(message: string): this {
    return this.add(...emptyRows(1), sectionRow(message))
  }
}

import { breakWord, displayWidth, padEnd, padStart, sanitize, truncate, wrap } from './terminal-text.js'

export interface Column<Row> {
  header: string
  /** The cell of a row; null and undefined are shown empty. Untrusted text is sanitized here. */
  cell: (row: Row) => string | number | null | undefined
  align?: 'right'
  /** The minimum width to which the column may shrink; absent for columns that must not be shortened, such as numbers. */
  min?: number
  /** `wrap` continues text on further lines, and breaks long words; the default is to truncate it with an ellipsis. */
  overflow?: 'wrap'
  /** Where the column would be narrower than this, its text is shown below the row, after its header; Infinity: always. */
  below?: number
  /** Columns with the highest number are hidden first if the terminal is too narrow; absent: never hidden. */
  drop?: number
}

export interface TableFormat {
  /** Columns of the terminal; null for no limit. */
  width: number | null
  /** Highlights the header. */
  emphasize?: (text: string) => string
}

/** A column with its sanitized cells and the width it is shown at. */
interface FittedColumn {
  column: Column<never>
  cells: string[]
  width: number
}

const GAP = '  '

/**
 * Formats rows as an aligned table with a header. To fit the width, columns with `drop` are hidden first, then columns
 * with `min` shrink, the widest first.
 * @returns the text, and the headers of the hidden columns
 */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], format: TableFormat) {
  const { width, emphasize = (text) => text } = format
  const all = columns.map((column) => fitColumn(column, rows))
  const { fitted, below } = width === null ? { fitted: all, below: [] } : fitToWidth(all, width)
  const header = emphasize(joinCells(fitted, ({ column }) => column.header))
  const rule = joinCells(fitted, (each) => '─'.repeat(each.width))
  const body = rows.flatMap((_, index) => [...rowLines(fitted, index), ...linesBelow(below, index, width ?? 0)])
  const shown = new Set([...fitted, ...below].map(({ column }) => column.header))
  return {
    text: [header, rule, ...body].map((text) => `${text}\n`).join(''),
    hidden: columns.map((column) => column.header).filter((name) => !shown.has(name)),
  }
}

function fitColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const cells = rows.map((row) => sanitize(String(column.cell(row) ?? '')))
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(column.header))
  return { column: column as Column<never>, cells, width }
}

function fitToWidth(all: readonly FittedColumn[], width: number) {
  const fitColumns = (columns: readonly FittedColumn[]) =>
    shrink(addWhatFits(columns, dropUntilFit(columns, width), width), width)
  const isNarrow = (fitted: FittedColumn, at: number) =>
    fitted.column.below === Number.POSITIVE_INFINITY ||
    fitted.width < Math.min(fitted.column.below ?? 0, all[at]?.width ?? 0)
  // The others are fitted to the room that these leave.
  const narrow = new Set(
    fitColumns(all)
      .filter((fitted) =>
        isNarrow(
          fitted,
          all.findIndex(({ column }) => column === fitted.column),
        ),
      )
      .map(({ column }) => column),
  )
  return {
    fitted: fitColumns(all.filter(({ column }) => !narrow.has(column))),
    below: all.filter(({ column }) => narrow.has(column)),
  }
}

const INDENT = '    '

function linesBelow(columns: readonly FittedColumn[], index: number, width: number): string[] {
  return columns.flatMap(({ column, cells }) => {
    const cell = cells[index] ?? ''
    const room = width - INDENT.length
    return cell === '' ? [] : wrapAll(`${column.header}: ${cell}`, room).map((line) => `${INDENT}${line}`)
  })
}

/** Breaks text at spaces, and words that are longer than a line. */
const wrapAll = (text: string, width: number) =>
  wrap(text, width).flatMap((line) => (displayWidth(line) > width ? breakWord(line, width) : [line]))

const minWidth = ({ column, width }: FittedColumn) =>
  Math.min(width, Math.max(column.min ?? width, displayWidth(column.header)))
const totalWidth = (columns: readonly FittedColumn[], widthOf: (column: FittedColumn) => number) =>
  columns.reduce((sum, column) => sum + widthOf(column), GAP.length * (columns.length - 1))

/** The width at which text can be read with ease; less important columns leave this to the others. */
const readableWidth = (column: FittedColumn) =>
  Math.min(column.width, Math.max(minWidth(column), Math.round((column.column.min ?? 0) * READABLE_FACTOR)))
const READABLE_FACTOR = 1.6

/** Whether there is room for these columns, the least important of which has this `drop`. */
const isRoomFor = (columns: readonly FittedColumn[], drop: number, available: number): boolean =>
  totalWidth(columns, drop > 1 ? readableWidth : minWidth) <= available

function dropUntilFit(columns: readonly FittedColumn[], available: number): readonly FittedColumn[] {
  const drop = Math.max(...columns.map(({ column }) => column.drop ?? 0))
  if (drop === 0 || isRoomFor(columns, drop, available)) return columns
  return dropUntilFit(
    columns.filter(({ column }) => column.drop !== drop),
    available,
  )
}

/** Shows hidden columns for which there is room after wider ones were hidden, the most important ones first. */
function addWhatFits(
  all: readonly FittedColumn[],
  kept: readonly FittedColumn[],
  available: number,
): readonly FittedColumn[] {
  const shown = new Set(kept)
  const hidden = all.filter((column) => !shown.has(column))
  for (const column of hidden.sort((a, b) => (a.column.drop ?? 0) - (b.column.drop ?? 0))) {
    shown.add(column)
    const columns = all.filter((each) => shown.has(each))
    if (!isRoomFor(columns, column.column.drop ?? 0, available)) shown.delete(column)
  }
  return all.filter((column) => shown.has(column))
}

function shrink(columns: readonly FittedColumn[], available: number): FittedColumn[] {
  const result = columns.map((column) => ({ ...column }))
  for (let excess = totalWidth(result, ({ width }) => width) - available; excess > 0; excess--) {
    const shrinkable = result.filter((column) => column.width > minWidth(column))
    const [widest] = shrinkable.sort((a, b) => b.width - a.width)
    if (!widest) break
    widest.width--
  }
  return result
}

/** The lines of one row: as many as its tallest cell has. */
function rowLines(columns: readonly FittedColumn[], index: number): string[] {
  const cells = columns.map((column) => cellLines(column, index))
  const height = Math.max(1, ...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => joinCells(columns, (_column, at) => cells[at]?.[line] ?? ''))
}

function cellLines({ column, cells, width }: FittedColumn, index: number): string[] {
  const cell = cells[index] ?? ''
  if (column.overflow !== 'wrap') return [truncate(cell, width)]
  return wrapAll(cell, width)
}

const joinCells = (columns: readonly FittedColumn[], text: (column: FittedColumn, at: number) => string) =>
  columns
    .map((column, at) => {
      const pad = column.column.align === 'right' ? padStart : padEnd
      return pad(text(column, at), column.width)
    })
    .join(GAP)
    .trimEnd()

import stringWidth from 'string-width'
import { sanitize } from './terminal-text.js'
import { padEnd, padStart, wrap } from './text-width.js'

export interface Column<Row> {
  header: string
  /** The cell of a row; null and undefined are shown empty. Untrusted text is sanitized here. */
  cell: (row: Row) => string | number | null | undefined
  align?: 'right'
  /** The width below which wrapped text cannot be read; absent for columns that are never wrapped, such as numbers. */
  min?: number
  /** Shown below the row, after its header, unless the width has no limit. */
  below?: true
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
const INDENT = '    '

/**
 * Formats rows as an aligned table with a header. To fit the width, columns with `drop` are hidden first; then columns
 * with `min` shrink, the widest first, and their text is wrapped.
 * @returns the text, and the headers of the hidden columns
 */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], format: TableFormat) {
  const { width, emphasize = (text) => text } = format
  const all = columns.map((column) => measure(column, rows))
  const isBelow = ({ column }: FittedColumn) => width !== null && column.below === true
  const below = all.filter(isBelow)
  const inRow = all.filter((column) => !isBelow(column))
  const fitted = width === null ? inRow : shrink(hideUntilFit(inRow, width), width)
  const header = joinCells(fitted, ({ column }) => column.header)
  const rule = joinCells(fitted, (column) => '─'.repeat(column.width))
  const body = rows.flatMap((_, row) => [...rowLines(fitted, row), ...linesBelow(below, row, width ?? 0)])
  return {
    text: [emphasize(header), rule, ...body].map((line) => `${line}\n`).join(''),
    hidden: inRow.flatMap(({ column }) => (fitted.some((shown) => shown.column === column) ? [] : [column.header])),
  }
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const cells = rows.map((row) => sanitize(String(column.cell(row) ?? '')))
  const width = cells.reduce((widest, cell) => Math.max(widest, stringWidth(cell)), stringWidth(column.header))
  return { column: column as Column<never>, cells, width }
}

const minWidth = ({ column, width }: FittedColumn) =>
  Math.min(width, Math.max(column.min ?? width, stringWidth(column.header)))

const totalWidth = (columns: readonly FittedColumn[], widthOf: (column: FittedColumn) => number) =>
  columns.reduce((sum, column) => sum + widthOf(column), GAP.length * (columns.length - 1))

function hideUntilFit(columns: readonly FittedColumn[], available: number): readonly FittedColumn[] {
  const drop = Math.max(...columns.map(({ column }) => column.drop ?? 0))
  if (drop === 0 || totalWidth(columns, minWidth) <= available) return columns
  const kept = columns.filter(({ column }) => column.drop !== drop)
  return hideUntilFit(kept, available)
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
function rowLines(columns: readonly FittedColumn[], row: number): string[] {
  const cells = columns.map((column) => wrapCell(column.cells[row] ?? '', column.width))
  const height = Math.max(1, ...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => joinCells(columns, (_column, at) => cells[at]?.[line] ?? ''))
}

function linesBelow(columns: readonly FittedColumn[], row: number, width: number): string[] {
  return columns.flatMap(({ column, cells }) => {
    const cell = cells[row] ?? ''
    if (cell === '') return []
    return wrapCell(`${column.header}: ${cell}`, width - INDENT.length).map((line) => `${INDENT}${line}`)
  })
}

const wrapCell = (text: string, width: number) => wrap(text, width, { hard: true })

const joinCells = (columns: readonly FittedColumn[], text: (column: FittedColumn, at: number) => string) =>
  columns
    .map((column, at) => {
      const pad = column.column.align === 'right' ? padStart : padEnd
      return pad(text(column, at), column.width)
    })
    .join(GAP)
    .trimEnd()

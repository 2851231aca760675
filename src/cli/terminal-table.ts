import { displayWidth, padEnd, padStart, sanitize, truncate, wrap } from './terminal-text.js'

export interface Column<Row> {
  header: string
  /** Cell of a row; null and undefined show as nothing. Outside text may be handed in as it is. */
  cell: (row: Row) => string | number | null | undefined
  align?: 'right'
  /** May give way down to this width where the terminal is narrow; absent: shown whole, as numbers must be. */
  min?: number
  /** How a text that gave way is shown: cut with an ellipsis (default), or on several lines. */
  overflow?: 'wrap'
  /** Left out where the terminal is too narrow, the highest first; absent: never. */
  drop?: number
}

export interface TableFormat {
  /** Columns of the terminal; null: as wide as it needs. */
  width: number | null
  /** Makes the header stand out. */
  emphasize?: (text: string) => string
}

/** A column with its cells, cleaned, and the width it is shown at. */
interface FittedColumn {
  column: Column<never>
  cells: string[]
  width: number
}

const GAP = '  '

/**
 * Rows as an aligned table with a header, ending in a line break, fitted to a width: columns that may be dropped go
 * first, then those that may give way do, the widest first.
 * @returns the text, and the headers of the columns that there was no room for
 */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: TableFormat) {
  const lanes = columns.map((column) => fitColumn(column, rows))
  const fitted = look.width === null ? lanes : shrink(dropUntilFit(lanes, look.width), look.width)
  const { emphasize = (text) => text } = look
  const header = emphasize(joinCells(fitted, ({ column }) => column.header))
  const rule = joinCells(fitted, ({ width }) => '─'.repeat(width))
  const body = rows.flatMap((_, index) => rowLines(fitted, index))
  const shown = new Set(fitted.map(({ column }) => column.header))
  return {
    text: [header, rule, ...body].map((text) => `${text}\n`).join(''),
    leftOut: columns.map((column) => column.header).filter((name) => !shown.has(name)),
  }
}

function fitColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn {
  const cells = rows.map((row) => sanitize(String(column.cell(row) ?? '')))
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(column.header))
  return { column: column as Column<never>, cells, width }
}

const minWidth = ({ column, width }: FittedColumn) =>
  Math.min(width, Math.max(column.min ?? width, displayWidth(column.header)))
const totalWidth = (lanes: readonly FittedColumn[], widthOfLane: (lane: FittedColumn) => number) =>
  lanes.reduce((sum, lane) => sum + widthOfLane(lane), GAP.length * (lanes.length - 1))

function dropUntilFit(lanes: readonly FittedColumn[], available: number): readonly FittedColumn[] {
  if (totalWidth(lanes, minWidth) <= available) return lanes
  const drop = Math.max(...lanes.map(({ column }) => column.drop ?? 0))
  if (drop === 0) return lanes
  return dropUntilFit(
    lanes.filter(({ column }) => column.drop !== drop),
    available,
  )
}

function shrink(lanes: readonly FittedColumn[], available: number): FittedColumn[] {
  const result = lanes.map((lane) => ({ ...lane }))
  for (let excess = totalWidth(result, ({ width }) => width) - available; excess > 0; excess--) {
    const giving = result.filter((lane) => lane.width > minWidth(lane)).sort((a, b) => b.width - a.width)[0]
    if (!giving) break
    giving.width--
  }
  return result
}

/** A row is as high as its highest cell. */
function rowLines(lanes: readonly FittedColumn[], index: number): string[] {
  const blocks = lanes.map((lane) => cellLines(lane, index))
  const height = Math.max(1, ...blocks.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => joinCells(lanes, (_lane, position) => blocks[position]?.[at] ?? ''))
}

function cellLines({ column, cells, width }: FittedColumn, index: number): string[] {
  const cell = cells[index] ?? ''
  return column.overflow === 'wrap' ? wrap(cell, width).map((part) => truncate(part, width)) : [truncate(cell, width)]
}

const joinCells = (lanes: readonly FittedColumn[], text: (lane: FittedColumn, position: number) => string) =>
  lanes
    .map((lane, position) => {
      const pad = lane.column.align === 'right' ? padStart : padEnd
      return pad(text(lane, position), lane.width)
    })
    .join(GAP)
    .trimEnd()

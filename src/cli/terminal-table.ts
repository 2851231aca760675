import { clean, cut, padEnd, padStart, widthOf, wrap } from './terminal-text.js'

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

export interface TableLook {
  /** Columns of the terminal; null: as wide as it needs. */
  width: number | null
  /** Makes the header stand out. */
  emphasize?: (text: string) => string
}

/** A column with its cells, cleaned, and the width it is shown at. */
interface Lane {
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
export function layOut<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: TableLook) {
  const lanes = columns.map((column) => laneOf(column, rows))
  const fitted = look.width === null ? lanes : shrink(dropUntilFit(lanes, look.width), look.width)
  const { emphasize = (text) => text } = look
  const header = emphasize(line(fitted, ({ column }) => column.header))
  const rule = line(fitted, ({ width }) => '─'.repeat(width))
  const body = rows.flatMap((_, index) => rowLines(fitted, index))
  const shown = new Set(fitted.map(({ column }) => column.header))
  return {
    text: [header, rule, ...body].map((text) => `${text}\n`).join(''),
    leftOut: columns.map((column) => column.header).filter((name) => !shown.has(name)),
  }
}

function laneOf<Row>(column: Column<Row>, rows: readonly Row[]): Lane {
  const cells = rows.map((row) => clean(String(column.cell(row) ?? '')))
  const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(column.header))
  return { column: column as Column<never>, cells, width }
}

const leastOf = ({ column, width }: Lane) => Math.min(width, Math.max(column.min ?? width, widthOf(column.header)))
const totalOf = (lanes: readonly Lane[], widthOfLane: (lane: Lane) => number) =>
  lanes.reduce((sum, lane) => sum + widthOfLane(lane), GAP.length * (lanes.length - 1))

function dropUntilFit(lanes: readonly Lane[], available: number): readonly Lane[] {
  if (totalOf(lanes, leastOf) <= available) return lanes
  const drop = Math.max(...lanes.map(({ column }) => column.drop ?? 0))
  if (drop === 0) return lanes
  return dropUntilFit(
    lanes.filter(({ column }) => column.drop !== drop),
    available,
  )
}

function shrink(lanes: readonly Lane[], available: number): Lane[] {
  const result = lanes.map((lane) => ({ ...lane }))
  for (let excess = totalOf(result, ({ width }) => width) - available; excess > 0; excess--) {
    const giving = result.filter((lane) => lane.width > leastOf(lane)).sort((a, b) => b.width - a.width)[0]
    if (!giving) break
    giving.width--
  }
  return result
}

/** A row is as high as its highest cell. */
function rowLines(lanes: readonly Lane[], index: number): string[] {
  const blocks = lanes.map((lane) => block(lane, index))
  const height = Math.max(1, ...blocks.map(({ length }) => length))
  return Array.from({ length: height }, (_, at) => line(lanes, (_lane, position) => blocks[position]?.[at] ?? ''))
}

function block({ column, cells, width }: Lane, index: number): string[] {
  const cell = cells[index] ?? ''
  return column.overflow === 'wrap' ? wrap(cell, width).map((part) => cut(part, width)) : [cut(cell, width)]
}

const line = (lanes: readonly Lane[], text: (lane: Lane, position: number) => string) =>
  lanes
    .map((lane, position) => {
      const pad = lane.column.align === 'right' ? padStart : padEnd
      return pad(text(lane, position), lane.width)
    })
    .join(GAP)
    .trimEnd()

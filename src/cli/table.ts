import { clean, cut, padEnd, padStart, widthOf } from './text.js'

export interface Column<Row> {
  header: string
  /** Cell of a row; null and undefined show as nothing. Outside text may be handed in as it is. */
  cell: (row: Row) => string | number | null | undefined
  align?: 'right'
  /** May be cut down to this width when the terminal is narrow; absent: never cut. */
  min?: number
}

export interface TableLook {
  /** Columns of the terminal; null: as wide as it needs. */
  width: number | null
  /** Makes the header stand out. */
  emphasize?: (text: string) => string
}

const GAP = '  '

/**
 * Rows as an aligned table with a header, ending in a line break. Columns that may shrink give way, the widest first,
 * until a row fits the width.
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: TableLook): string {
  const header = columns.map((column) => column.header)
  const cells = rows.map((row) => columns.map((column) => clean(String(column.cell(row) ?? ''))))
  const widths = shrink(columns, natural([header, ...cells]), look.width)
  const emphasize = look.emphasize ?? ((text) => text)
  const rule = widths.map((width) => '─'.repeat(width))
  return [emphasize(line(columns, header, widths)), line(columns, rule, widths)]
    .concat(cells.map((row) => line(columns, row, widths)))
    .map((text) => `${text}\n`)
    .join('')
}

const natural = (rows: readonly string[][]) =>
  (rows[0] ?? []).map((_, index) => rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), 1))

function shrink(columns: readonly Column<never>[], widths: number[], available: number | null): number[] {
  if (available === null) return widths
  const result = [...widths]
  let excess = result.reduce((sum, width) => sum + width, 0) + GAP.length * (result.length - 1) - available
  while (excess > 0) {
    const widest = widestThatGives(columns, result)
    if (widest === -1) break
    result[widest] = (result[widest] ?? 0) - 1
    excess--
  }
  return result
}

const widestThatGives = (columns: readonly Column<never>[], widths: readonly number[]) =>
  columns.reduce((best, { min }, index) => {
    const width = widths[index] ?? 0
    return min !== undefined && width > min && width > (widths[best] ?? 0) ? index : best
  }, -1)

const line = (columns: readonly Column<never>[], cells: readonly string[], widths: readonly number[]) =>
  columns
    .map(({ align }, index) => {
      const width = widths[index] ?? 0
      const cell = cut(cells[index] ?? '', width)
      return align === 'right' ? padStart(cell, width) : padEnd(cell, width)
    })
    .join(GAP)
    .trimEnd()

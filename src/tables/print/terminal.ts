import { type Column, isNumeric, type Kind } from '../column.js'
import { printColumns } from './format.js'
import { formatTable, type TableFormat } from './text-table.js'

/** The narrowest width at which text that is wrapped can be read. */
const MIN_WIDTHS: Partial<Record<Kind, number>> = { text: 14, state: 8 }

/**
 * A list as an aligned table for a terminal. Columns that are empty in all rows are left out; where there is too little room, those
 * with the lowest weight are hidden.
 * @param options.all shows the columns of weight 0 too, and those that are empty
 * @returns the text, and the headers of the columns that were hidden
 */
export function printTerminal<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { all = false, ...format }: TableFormat & { all?: boolean },
): { text: string; hidden: string[] } {
  const printed = printColumns(
    columns.filter(({ weight }) => all || weight > 0),
    rows,
  ).filter(({ cells }) => all || cells.some((cell) => cell !== ''))
  return formatTable(
    printed.map(({ column: { kind, weight }, header, cells }) => ({
      header,
      cell: (at: number) => cells[at],
      ...(isNumeric(kind) && { align: 'right' as const }),
      ...(MIN_WIDTHS[kind] !== undefined && { min: MIN_WIDTHS[kind] }),
      ...(weight < 9 && { drop: 10 - weight }),
    })),
    rows.map((_, at) => at),
    format,
  )
}

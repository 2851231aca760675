import stringWidth from 'string-width'
import { type Column, isNumeric, type Kind } from '../column.js'
import { fitColumns, isProse, isTelling, type PrintedColumn, printColumns } from './format.js'
import { padEnd, padStart, truncate, wrap } from './text-width.js'

interface TerminalFormat {
  /** Columns of the terminal; null for no limit. */
  width: number | null
  /** Shows the columns of weight 0 too, and those that say nothing about these rows. */
  all?: boolean
  /** Highlights the header. */
  emphasize?: (text: string) => string
}

/** A column with the width it is shown at. */
interface Fitted extends Omit<PrintedColumn<never>, 'column'> {
  column: Pick<Column<never>, 'kind' | 'weight'>
  width: number
}

const GAP = '  '
const INDENT = '    '
/** The width below which a text that is cut says nothing. */
const MIN_WIDTHS: Partial<Record<Kind, number>> = { text: 12, state: 11 }
/** Columns of less weight than this are shown only where texts can be read beside them. */
const MAIN_WEIGHT = 8
const READABLE_WIDTH = 28

/**
 * A list as an aligned table for a terminal. Columns that say nothing about these rows are left out. Where there is too little room,
 * sentences are printed below their row, columns with the lowest weight are hidden, and texts are cut, in this order.
 * @returns the text, and the headers of the columns that were hidden for lack of room
 */
export function printTerminal<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, all = false, emphasize = (text) => text }: TerminalFormat,
): { text: string; hidden: string[] } {
  const chosen = printColumns(columns, rows)
    .filter((column) => all || isTelling(column))
    .map(fitted)
  const below = width === null || totalWidth(chosen) <= width ? [] : chosen.filter(isProse)
  const inRow = chosen.filter((column) => !below.includes(column))
  const isFitting = (shown: readonly Fitted[], lowest: number) =>
    totalWidth(shown, lowest < MAIN_WEIGHT ? readableWidth : minWidth) <= (width ?? Number.POSITIVE_INFINITY)
  const kept = fitColumns(inRow, isFitting)
  const table = width === null ? kept : shrink(kept, width)
  const header = [joinCells(table, (column) => column.header), ...below.map((column) => INDENT + column.header)]
  const rule = joinCells(table, (column) => '─'.repeat(column.width))
  const body = rows.flatMap((_, row) => [
    joinCells(table, ({ cells }) => cells[row] ?? ''),
    ...linesBelow(below, row, width ?? 0),
  ])
  return {
    text: [...header.map(emphasize), rule, ...body].map((line) => `${line}\n`).join(''),
    hidden: inRow.flatMap((column) => (kept.includes(column) ? [] : [column.header])),
  }
}

function fitted<Row>({ column, header, cells }: PrintedColumn<Row>): Fitted {
  const width = [header, ...cells].reduce((widest, text) => Math.max(widest, stringWidth(text)), 0)
  return { column, header, cells, width }
}

const minWidth = ({ column: { kind }, width, header }: Fitted) =>
  Math.min(width, Math.max(MIN_WIDTHS[kind] ?? width, stringWidth(header)))
const readableWidth = (column: Fitted) => Math.min(column.width, Math.max(READABLE_WIDTH, minWidth(column)))

const totalWidth = (columns: readonly Fitted[], of: (column: Fitted) => number = ({ width }) => width) =>
  columns.reduce((sum, column) => sum + of(column), GAP.length * (columns.length - 1))

/** Makes the widest texts narrower until the columns fit, and cuts what does not fit into them. */
function shrink(columns: readonly Fitted[], available: number): Fitted[] {
  const result = columns.map((column) => ({ ...column }))
  for (let excess = totalWidth(result) - available; excess > 0; excess--) {
    const shrinkable = result.filter((column) => column.width > minWidth(column))
    const [widest] = shrinkable.sort((a, b) => b.width - a.width)
    if (!widest) break
    widest.width--
  }
  return result.map((column) => ({ ...column, cells: column.cells.map((cell) => truncate(cell, column.width)) }))
}

/** The sentences of one row; each with its header if there are several. */
const linesBelow = (columns: readonly Fitted[], row: number, width: number): string[] =>
  columns.flatMap(({ header, cells }) => {
    const cell = cells[row] ?? ''
    const text = columns.length > 1 && cell !== '' ? `${header}: ${cell}` : cell
    return wrap(text, width - INDENT.length, { hard: true }).map((line) => INDENT + line)
  })

const joinCells = (columns: readonly Fitted[], text: (column: Fitted) => string) =>
  columns
    .map((each) => (isNumeric(each.column.kind) ? padStart : padEnd)(text(each), each.width))
    .join(GAP)
    .trimEnd()

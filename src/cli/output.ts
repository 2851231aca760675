import type { Io } from './process-io.js'
import { type Column, formatTable } from './terminal-table.js'

/** Prints one JSON document, nothing else. */
export const printJson = (io: Io, value: unknown) => io.out(`${JSON.stringify(value, null, 2)}\n`)

/** Prints rows as a table fitted to the terminal; where there are none, says so on stderr. */
export function printTable<Row>(io: Io, columns: readonly Column<Row>[], rows: readonly Row[], ifNone: string): void {
  if (rows.length === 0) {
    io.err(`${ifNone}\n`)
    return
  }
  const emphasize = (text: string) => (io.colour.out ? `\u001b[1m${text}\u001b[22m` : text)
  const { text, leftOut } = formatTable(columns, rows, { width: io.width, emphasize })
  io.out(text)
  if (leftOut.length > 0) io.err(`No room for: ${leftOut.join(', ')}.\n`)
}

/** Rows as JSON or as a table, whichever was asked for. */
export function printRows<Row>(
  io: Io,
  json: boolean | undefined,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  ifNone: string,
): void {
  if (json) printJson(io, rows)
  else printTable(io, columns, rows, ifNone)
}

/** `2026-01-31 12:00`, UTC: as much of a timestamp as a table needs. */
export const formatMinute = (timestamp: string | null | undefined) =>
  timestamp ? timestamp.slice(0, 16).replace('T', ' ') : ''

/** `2026-01-31 12:00:05`, UTC: where seconds matter. */
export const formatSecond = (timestamp: string | null | undefined) =>
  timestamp ? timestamp.slice(0, 19).replace('T', ' ') : ''

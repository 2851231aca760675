import { exactJsonText } from '../../core/documents/exact-json.js'
import { escapeInvisible, sanitize } from '../../tables/print/terminal-text.js'
import { type Column, formatTable } from '../../tables/print/text-table.js'
import { wrap } from '../../tables/print/text-width.js'
import type { Cli } from '../cli-context.js'
import type { Io } from '../process/process-io.js'

/** Prints a value as one indented JSON document. */
export const printJson = (io: Io, value: unknown) => io.out(`${jsonText(io, exactJsonText(value, 2))}\n`)

/** Prints a value as one line of JSON. */
export const printJsonLine = (io: Io, value: unknown) => io.out(`${jsonText(io, exactJsonText(value))}\n`)

/** Marketplace text could send control sequences to a terminal, or hide and reorder characters; these are escaped. */
const jsonText = ({ width }: Io, json: string) => (width === null ? json : escapeInvisible(json))

/** Prints a line on stderr that may quote text from outside, such as the identifier of an RFQ. */
export const printNote = ({ io, scrub }: Pick<Cli, 'io' | 'scrub'>, text: string) =>
  io.err(`${escapeInvisible(scrub(text))}\n`)

/** Bold text for stdout, if it supports colours. */
export const bold = ({ colour }: Pick<Io, 'colour'>, text: string): string =>
  colour.out ? `\u001b[1m${text}\u001b[22m` : text

/** Width of tables if stdout is not a terminal and $COLUMNS is not set. */
const PIPED_WIDTH = 120

/** The width of tables, in characters. */
export const tableWidth = ({ width, env }: Pick<Io, 'width' | 'env'>): number =>
  width ?? (/^\d{2,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : PIPED_WIDTH)

/** Prints rows as a table fitted to the terminal. If there are none, prints `emptyText` on stderr. */
export function printTable<Row>(
  io: Io,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  emptyText: string,
): void {
  if (rows.length === 0) {
    io.err(`${emptyText}\n`)
    return
  }
  const table = formatTable(columns, rows, { width: tableWidth(io), emphasize: (text) => bold(io, text) })
  io.out(table.text)
  if (table.hidden.length > 0) printWrapped(io, `Columns hidden to fit the width: ${table.hidden.join(', ')}.`)
}

/** Prints a note on stderr, wrapped to the width of tables. */
export const printWrapped = (io: Pick<Io, 'err' | 'width' | 'env'>, note: string): void =>
  io.err(`${wrap(note, tableWidth(io)).join('\n')}\n`)

/** A timestamp to the minute: `2026-01-31 12:00`, UTC. */
export const formatMinute = (timestamp: string | null | undefined) =>
  timestamp ? timestamp.slice(0, 16).replace('T', ' ') : ''

/** The lines of a recommendation, wrapped to the terminal with a hanging indent. */
export function formatRecommendation(lines: readonly string[], width: Io['width']): string {
  return lines
    .flatMap((line) => hangingIndent(sanitize(line), width))
    .map((line) => `${line}\n`)
    .join('')
}

const INDENT = '  '

function hangingIndent(line: string, width: Io['width']): string[] {
  if (width === null) return [line]
  return wrap(line, Math.max(20, width - INDENT.length)).map((part, index) => (index === 0 ? part : `${INDENT}${part}`))
}

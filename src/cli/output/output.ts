import { lstatSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RfqFacts } from '../../compare/rfq/rfq-terms.js'
import { cleanLine } from '../../core/text/clean-text.js'
import type { Column } from '../../tables/column.js'
import { printTerminal } from '../../tables/print/terminal.js'
import { escapeInvisible } from '../../tables/print/terminal-text.js'
import { truncate, wrap } from '../../tables/print/text-width.js'
import type { Cli } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import type { Io } from '../process/process-io.js'

/** Prints a value as one indented JSON document. */
export const printJson = (io: Io, value: unknown) => io.out(`${jsonText(io, JSON.stringify(value, null, 2))}\n`)

/** Prints JSON text as one line. */
export const printJsonLine = (io: Io, json: string) => io.out(`${jsonText(io, json)}\n`)

/** Marketplace text could send control sequences to a terminal, or hide and reorder characters; these are escaped. */
const jsonText = ({ width }: Io, json: string) => (width === null ? json : escapeInvisible(json))

/** Erases the line of the terminal that shows how far work is. */
const CLEAR_LINE = '\r\u001b[K'

/** Prints a line on stderr that may quote text from outside, such as the identifier of an RFQ. */
export const printNote = ({ io, scrub }: Pick<Cli, 'io' | 'scrub'>, text: string) =>
  io.err(`${io.stderrIsTerminal ? CLEAR_LINE : ''}${escapeInvisible(scrub(text))}\n`)

/** Bold text for stdout, if it supports colours. */
export const bold = ({ colour }: Pick<Io, 'colour'>, text: string): string =>
  colour.out ? `\u001b[1m${text}\u001b[22m` : text

/** Width of tables if stdout is not a terminal and $COLUMNS is not set. */
const PIPED_WIDTH = 120

/** The width of tables, in characters. */
export const tableWidth = ({ width, env }: Pick<Io, 'width' | 'env'>): number =>
  width ?? (/^\d{2,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : PIPED_WIDTH)

/**
 * Prints rows as a table that fits the terminal.
 * @param options.wide all columns, however wide the table becomes
 * @returns the headers of the columns that are hidden for lack of room
 */
export function printTable<Row>(
  io: Io,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { wide = false } = {},
): string[] {
  const format = { width: wide ? null : tableWidth(io), all: wide, emphasize: (text: string) => bold(io, text) }
  const { text, hidden } = printTerminal(columns, rows, format)
  io.out(text)
  return hidden
}

/** Prints notes about a table on one line: below it on a terminal; otherwise on stderr, so that stdout contains the table only. */
export function printNotes(io: Io, notes: readonly string[]): void {
  if (notes.length === 0) return
  const text = wrap(notes.join('; '), tableWidth(io)).join('\n')
  if (io.width === null) io.err(`${text}\n`)
  else io.out(`\n${text}\n`)
}

/** The lines of a recommendation, wrapped to the terminal with a hanging indent. */
export function formatRecommendation(lines: readonly string[], width: Io['width']): string {
  return lines
    .flatMap((line) => hangingIndent(cleanLine(line), width))
    .map((line) => `${line}\n`)
    .join('')
}

const INDENT = '  '

function hangingIndent(line: string, width: Io['width']): string[] {
  if (width === null) return [line]
  return wrap(line, Math.max(20, width - INDENT.length)).map((part, index) => (index === 0 ? part : `${INDENT}${part}`))
}

/** A short name for messages: `12 (REF-7, Mangroves for 2027)`. */
export function rfqLabel({
  id,
  number,
  reference,
  title,
}: Pick<RfqFacts, 'number' | 'reference' | 'title'> & { id: string }): string {
  const name = number?.toString() ?? reference ?? id
  const more = [reference, title].filter((part) => part && part !== name)
  return truncate(cleanLine(more.length > 0 ? `${name} (${more.join(', ')})` : name), 100)
}

/**
 * Resolves the path of a file to write.
 * @throws {FailedError} if it exists: nothing is ever overwritten
 */
export function newFile({ cwd }: Pick<Io, 'cwd'>, text: string): string {
  const path = resolve(cwd, text)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path
  throw new FailedError(`${path} already exists: choose another file`)
}

type Progress = (progress: { done: number; total: number }) => void

/** Shows on a terminal how far work is, on one line of stderr that is cleared at its end. */
export async function withProgress<T>(io: Io, what: string, work: (onProgress: Progress) => Promise<T>): Promise<T> {
  const show = (text: string) => (io.stderrIsTerminal ? io.err(`${CLEAR_LINE}${text}`) : undefined)
  show(`${what} …`)
  try {
    return await work(({ done, total }) => show(`${what} ${done}/${total}`))
  } finally {
    show('')
  }
}

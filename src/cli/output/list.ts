import { type Command, Option } from 'commander'
import { didYouMean } from '../../core/text/suggest.js'
import { BYTE_ORDER_MARK, renderCsv } from '../../tables/print/csv.js'
import { sanitize } from '../../tables/print/terminal-text.js'
import { type Column, formatTable } from '../../tables/print/text-table.js'
import type { Cli } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
import { csvOption } from '../input/options.js'
import type { Io } from '../process/process-io.js'
import { bold, printJson, tableWidth } from './output.js'

/** A column that `--columns` and `--sort` can name. */
export interface ListColumn<Row> extends Column<Row> {
  /** Default: the header in lower case. */
  key?: string
  /** The value that `--sort` compares and `--csv` prints, where the cell is formatted for reading. */
  value?: (row: Row) => string | number | null | undefined
  /** What `--sort` compares, if not the value. */
  sortValue?: (row: Row) => number
  /** Shown only with `--wide` and `--columns`. */
  isExtra?: true
  /** An extra column that `--csv` always has, because a cell of the table says it too. */
  inCsv?: true
  /** Left out of a table in which all its cells are empty. */
  hideIfEmpty?: true
  /** `drop`, for a table in which all its cells are equal. */
  dropIfUniform?: number
}

export type ListColumns<Row> = readonly ListColumn<Row>[]

export interface ListOptions {
  json?: boolean
  limit?: number
  sort?: string
  columns?: string
  wide?: boolean
  csv?: boolean
}

export interface List<Row> {
  columns: ListColumns<Row>
  /** In the default order; those that `--limit` leaves out may be among them. */
  rows: readonly Row[]
  /** Printed on stderr if there are none. */
  emptyText: string
  /** How recent the data is, shown below everything else. */
  freshness?: string
  /** What `--json` prints for a row; default: the row. */
  toJson?: (row: Row) => unknown
}

/** Adds the options with which the user chooses what a list shows. */
export function addListOptions<Row>(command: Command, columns: ListColumns<Row>): Command {
  const keys = columns.map(keyOf)
  return command
    .addOption(
      new Option('--sort <column>', 'sort by one of the columns; -column for descending order')
        .choices(keys)
        .argParser((text) => text), // Not one of the choices if it begins with "-".
    )
    .addOption(
      new Option('--columns <columns>', 'show these columns, separated by commas, by their names in CSV and JSON'),
    )
    .addOption(new Option('--wide', 'show all columns, however wide the table becomes'))
    .addOption(csvOption())
}

/** How many rows a list has to read: one more than `--limit` shows whether there are others, and `--sort` is about all. */
export const rowsToRead = ({ limit, sort }: ListOptions): number =>
  limit === undefined || sort !== undefined ? ALL_ROWS : limit + 1

const ALL_ROWS = 10_000_000

/** Prints a list as a table that fits the terminal, as JSON, or as CSV. */
export function printList<Row>({ io }: Pick<Cli, 'io'>, list: List<Row>, options: ListOptions): void {
  refuseContradictions(options)
  const all = list.columns
  const rows = sortRows(list, all, options.sort).slice(0, options.limit)
  const columns = chooseColumns(all, options)
  const isData = options.json || options.csv
  if (options.json) printJson(io, list.toJson ? rows.map(list.toJson) : rows)
  else if (options.csv) printCsv(io, columns, rows)
  else if (rows.length === 0) io.err(`${list.emptyText}\n`)
  else printFitted(io, { columns: fitToRows(columns, rows, options), rows, wide: options.wide ?? false })
  if (rows.length < list.rows.length) io.err('There are more rows; a larger --limit shows them.\n')
  if (isData) return
  if (list.freshness !== undefined) printFreshness(io, list.freshness)
}

function refuseContradictions({ json, csv, columns, wide }: ListOptions): void {
  if (json && csv) throw new UsageError('--json and --csv are different formats; use one of them')
  if (columns !== undefined && wide) throw new UsageError('--wide shows all columns, --columns some; use one of them')
}

/** On a terminal, below the table; otherwise on stderr, so that stdout contains the table only. */
export const printFreshness = (io: Pick<Io, 'out' | 'err' | 'width'>, text: string): void => {
  if (io.width === null) io.err(`${text}\n`)
  else io.out(`\n${text}\n`)
}

interface Shown<Row> {
  columns: readonly ListColumn<Row>[]
  rows: readonly Row[]
  wide: boolean
}

export function printFitted<Row>(io: Io, { columns, rows, wide }: Shown<Row>): void {
  const { text, hidden } = formatTable(columns, rows, {
    width: wide ? null : tableWidth(io),
    emphasize: (header) => bold(io, header),
  })
  io.out(text)
  if (hidden.length === 0) return
  io.err(`${hidden.length} more columns with --wide\n`)
}

function printCsv<Row>(io: Io, columns: readonly ListColumn<Row>[], rows: readonly Row[]): void {
  const values = rows.map((row) => columns.map((column) => csvValue(columnValue(column, row))))
  const text = renderCsv([columns.map(keyOf), ...values])
  io.out(io.width === null ? text : text.replace(BYTE_ORDER_MARK, ''))
}

/** Text of the marketplace must not control the terminal. */
const csvValue = (value: string | number | null | undefined): string | number | null =>
  typeof value === 'string' ? sanitize(value) : (value ?? null)

const columnValue = <Row>(column: ListColumn<Row>, row: Row) => (column.value ?? column.cell)(row)

/** `Per tonne` is called `per-tonne`, and `Started (UTC)` is called `started`. */
const keyOf = <Row>({ key, header }: ListColumn<Row>): string =>
  key ??
  header
    .replace(/ \(.*\)$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')

function chooseColumns<Row>(
  all: readonly ListColumn<Row>[],
  { columns, wide, csv }: ListOptions,
): readonly ListColumn<Row>[] {
  // Chosen columns are never hidden.
  if (columns !== undefined)
    return columns.split(',').map((name) => omitDrop(findColumn(all, name.trim(), '--columns')))
  return wide ? all : all.filter(({ isExtra, inCsv }) => !isExtra || (csv && inCsv))
}

/** Leaves out columns that say nothing about these rows, unless the user chose the columns. */
function fitToRows<Row>(
  columns: readonly ListColumn<Row>[],
  rows: readonly Row[],
  { columns: chosen, wide }: ListOptions,
): readonly ListColumn<Row>[] {
  if (chosen !== undefined || wide) return columns
  return columns.flatMap((column) => {
    const cells = new Set(rows.map((row) => column.cell(row) ?? ''))
    if (column.hideIfEmpty && cells.size === 1 && cells.has('')) return []
    const { dropIfUniform } = column
    return [dropIfUniform === undefined || cells.size > 1 ? column : { ...column, drop: dropIfUniform }]
  })
}

function omitDrop<Row>({ drop: _drop, ...column }: ListColumn<Row>): ListColumn<Row> {
  return column
}

function findColumn<Row>(all: readonly ListColumn<Row>[], name: string, option: string): ListColumn<Row> {
  const found = all.find((column) => keyOf(column) === name.toLowerCase())
  if (found) return found
  const keys = all.map(keyOf)
  const suggestion = didYouMean(name, keys)
  throw new UsageError(`${option} "${sanitize(name)}" is not a column; ${suggestion}Columns: ${keys.join(', ')}`)
}

function sortRows<Row>({ rows }: List<Row>, all: readonly ListColumn<Row>[], sort: string | undefined): readonly Row[] {
  if (sort === undefined) return rows
  const descending = sort.startsWith('-')
  const column = findColumn(all, descending ? sort.slice(1) : sort, '--sort')
  return rows
    .map((row) => ({ row, value: column.sortValue?.(row) ?? columnValue(column, row) }))
    .sort((a, b) => compareValues(a.value, b.value, descending))
    .map(({ row }) => row)
}

const COLLATOR = new Intl.Collator('en', { numeric: true })
type Value = string | number | null | undefined

/** Unknown values come last in either direction. */
function compareValues(a: Value, b: Value, descending: boolean): number {
  const unknown = (value: Value) => (value === null || value === undefined || value === '' ? 1 : 0)
  if (unknown(a) || unknown(b)) return unknown(a) - unknown(b)
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : COLLATOR.compare(String(a), String(b))
  return descending ? -order : order
}

import { type Command, Option } from 'commander'
import type { RunKind } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import type { Store } from '../../store/contract.js'
import type { Filter } from '../../tables/filter.js'
import { type List, sortableColumns } from '../../tables/list.js'
import { type ListName, listNamed } from '../../tables/lists/lists.js'
import { BYTE_ORDER_MARK, printCsv } from '../../tables/print/csv.js'
import { jsonRows } from '../../tables/print/json.js'
import { type App, withStore } from '../app.js'
import type { Cli } from '../cli-context.js'
import { csvOption, jsonOption, onlyOnce, wholeNumber } from '../input/options.js'
import { shownChannels } from '../input/select-channels.js'
import { describeFreshness } from '../output/freshness.js'
import { printJson, printNotes, printTable } from '../output/output.js'

/** What the options of a list command are parsed to, by their names in camelCase. */
export interface ListOptions {
  [filter: string]: unknown
  sort?: string
  limit?: number
  wide?: boolean
  csv?: boolean
  json?: boolean
}

/** What is particular about the command of a list. */
interface ListExtras {
  /** The runs that the rows come from, to say how recent they are. */
  freshness?: RunKind
  /** Whether `prepare` writes to the database. */
  records?: boolean
  /** Done before the list is read. */
  prepare?: (context: ListContext, options: ListOptions) => Promise<void>
}

export interface ListContext {
  cli: Cli
  app: App
  store: Store
}

/** Rows of a table, unless `--limit` says another number. Files have all rows. */
const DEFAULT_LIMIT = 100

/** Makes a command of a list: its options, and its action. */
export function registerList(command: Command, cli: Cli, name: ListName, extras: ListExtras = {}): void {
  addListOptions(command, name).action((options: ListOptions) =>
    withStore(cli, (store, app) => printList({ cli, app, store }, name, options, extras), {
      readOnly: !extras.records,
    }),
  )
}

/**
 * Adds an option for each filter of a list, and those that choose its order, its columns and its format.
 * @param without a filter that the command has an argument for
 */
export function addListOptions(command: Command, name: ListName, without?: string): Command {
  const { filters, ...list } = listNamed(name)
  for (const filter of filters) if (filter.name !== without) command.addOption(optionOf(filter))
  if (sortableColumns(list).length > 0)
    command.option('--sort <column>', 'sort by one of the columns; -column for descending order')
  return command
    .option(
      '--limit <number>',
      `show at most so many rows (default: ${DEFAULT_LIMIT}; all with --csv or --json)`,
      wholeNumber(1, 1_000_000),
    )
    .option('--wide', 'show all columns, however wide the table becomes')
    .addOption(csvOption().conflicts('json'))
    .addOption(jsonOption())
}

const optionOf = ({ name, kind, describe, values }: Filter): Option => {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')}`
  const what = describe.charAt(0).toLowerCase() + describe.slice(1).replace(/\.$/, '')
  const choices = Array.isArray(values) ? `: ${values.join(', ')}` : ''
  if (kind === 'flag') return new Option(flag, what)
  return new Option(`${flag} <${PLACEHOLDERS[kind] ?? name}>`, what + choices).argParser(onlyOnce)
}

const PLACEHOLDERS: Partial<Record<Filter['kind'], string>> = {
  channel: 'org/slug',
  since: 'time',
  before: 'date',
  words: 'words',
}

/**
 * Reads a list and prints it as a table that fits the terminal, as CSV or as JSON.
 * @throws FilterError for a text that is no value of its filter
 */
export async function printList(
  context: ListContext,
  name: ListName,
  options: ListOptions,
  { freshness, prepare }: ListExtras = {},
): Promise<void> {
  const { cli, app, store } = context
  const { io } = cli
  const list = listNamed(name)
  const { columns } = list
  await prepare?.(context, options)
  const { json, csv, wide = false, sort, limit = json || csv ? undefined : DEFAULT_LIMIT } = options
  const filters = textsOf(list, options)
  const request = { now: io.now(), parameters: { ...filters, ...(sort && { sort }) } }
  const { rows, next, total } = await (await app.views()).list(name, { ...request, ...(limit && { limit }) })
  const more = next === null ? [] : [`first ${rows.length} of ${total} rows, a larger --limit shows more`]
  if (json || csv) {
    if (json) printJson(io, jsonRows(columns, rows))
    else io.out(printCsv(columns, rows).replace(io.width === null ? '' : BYTE_ORDER_MARK, ''))
    return printNotes({ ...io, width: null }, more)
  }
  if (rows.length === 0)
    io.err(`${Object.keys(filters).length === 0 ? list.empty : 'Nothing matches these options.'}\n`)
  const hidden = rows.length === 0 ? [] : printTable(io, columns, rows, { wide })
  const channels = await shownChannels(app.config, store, filters.channel)
  const age = freshness && (await describeFreshness(cli, store, { kind: freshness, channels }))
  const rest = hidden.length === 0 ? [] : [`${formatCount(hidden.length, 'more column')} with --wide`]
  printNotes(io, [...(age ? [age] : []), ...more, ...rest])
}

/** The texts of filters, by their names. */
const textsOf = ({ filters }: Pick<List<unknown>, 'filters'>, options: ListOptions): Record<string, string> =>
  Object.fromEntries(
    filters.flatMap((filter) => {
      const given = options[optionOf(filter).attributeName()]
      return given === undefined ? [] : [[filter.name, String(given)]]
    }),
  )

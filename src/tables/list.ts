import { allOf, type Dialect, NO_LIMIT, type SqlParameters } from '../store/sql/sql-database.js'
import type { Column, SqlRow } from './column.js'
import { choicesOf, type Filter, type ParsedFilter, parseFilters } from './filter.js'
import { FilterError, unknownValue } from './filter-error.js'
import type { ViewSource } from './source.js'

/** A list of one kind of thing (docs/ARCHITECTURE.md, "Tables"). */
export interface List<Row> {
  /** Of its page, command, operation and file. */
  name: string
  title: string
  /** What a row is and in which order rows come, in one sentence. */
  about: string
  /** What to do if there are no rows. */
  empty: string
  columns: readonly Column<Row>[]
  filters: readonly Filter[]
  read(source: ViewSource, request: ReadRequest): Promise<ListPage<Row>>
}

/** A request for a page of a list, with its filters parsed. */
export interface ReadRequest {
  now: Date
  filters: Readonly<Record<string, ParsedFilter>>
  sort: { column: string; expression: string; descending: boolean } | null
  cursor: string | null
  limit: number
}

export interface ListPage<Row> {
  rows: Row[]
  /** Rows of all pages. */
  total: number
  /** The cursor of the next page; null on the last one. */
  next: string | null
}

/** What a surface asks for: texts, as they were given. */
export interface ListRequest {
  now: Date
  /** Of filters, `sort` (`due` or `-due`) and `cursor`, by name; empty ones are ignored. */
  parameters: Readonly<Record<string, string>>
  /** Default: all rows. */
  limit?: number
}

/** The names of the parameters of a list. */
export const parametersOf = ({ filters }: Pick<List<never>, 'filters'>): string[] => [
  ...filters.map(({ name }) => name),
  'sort',
  'cursor',
]

export const sortableColumns = <Row>({ columns }: Pick<List<Row>, 'columns'>): string[] =>
  columns.flatMap(({ key, sort }) => (sort === undefined ? [] : key))

/** Reads a page of a list, as every surface does. @throws FilterError */
export async function readList<Row>(
  list: List<Row>,
  source: ViewSource,
  { now, parameters, limit = NO_LIMIT }: ListRequest,
): Promise<ListPage<Row>> {
  const filters = await parseFilters(list.filters, parameters, source, now)
  const sort = parseSort(list, parameters.sort)
  return list.read(source, { now, filters, sort, cursor: parameters.cursor || null, limit })
}

/** What a reader can choose from: the values of each filter, by its name. */
export async function readChoices<Row>(
  { filters }: List<Row>,
  source: ViewSource,
): Promise<Record<string, readonly string[]>> {
  const entries = filters.map(async (filter) => [filter.name, await choicesOf(filter, source)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

function parseSort<Row>(list: List<Row>, text = ''): ReadRequest['sort'] {
  if (text === '') return null
  const descending = text.startsWith('-')
  const key = descending ? text.slice(1) : text
  const column = list.columns.find((each) => each.key.toLowerCase() === key.toLowerCase().replaceAll('-', ''))
  if (column?.sort === undefined) throw unknownValue('sort', key, sortableColumns(list))
  return { column: column.key, expression: column.sort, descending }
}

// --- lists that are read by SQL -------------------------------------------------------------------------------------

/** The query of a list. Expressions use the alias `t` for a row of its table. */
interface SqlQuery<Row> {
  /** A table or view. */
  table: string
  /** The columns that identify its rows. They are the last criterion of every order. */
  key: readonly string[]
  /** Rows of other tables that belong to it. */
  joins?: (dialect: Dialect) => string
  /** Default: all rows. */
  where?: string
  /** The values of the columns that are sorted by SQL are read under their keys; these are others, by their names. */
  select?: Readonly<Record<string, string>>
  /** The same for texts that are JSON, which are parsed. */
  json?: Readonly<Record<string, string>>
  /** The usual order. */
  order: readonly Order[]
  /** Values that the SQL uses besides those of filters. */
  parameters?: (source: ViewSource, now: Date) => Promise<SqlParameters>
  /** Default: the values as they were read. */
  toRows?: (records: SqlRow[], source: ViewSource, now: Date) => Promise<Row[]>
}

interface Order {
  expression: string
  descending?: boolean
}

/**
 * A list that is read by one query: filters, order and the position after a key. The values of the page are read only for its rows, so
 * that long texts of the others are not.
 */
export const sqlList = <Row = SqlRow>({
  query,
  ...list
}: Omit<List<Row>, 'read'> & { query: SqlQuery<Row> }): List<Row> => ({
  ...list,
  read: createRead(list.columns, query),
})

function createRead<Row>(columns: readonly Column<Row>[], query: SqlQuery<Row>): List<Row>['read'] {
  const keys = query.key.map((column) => `t.${column}`)
  const fields = columns.flatMap(({ key, sort }): [string, string][] => (sort === undefined ? [] : [[key, sort]]))
  const select = [...fields, ...Object.entries({ ...query.select, ...query.json })].map(
    ([name, expression]) => `${expression} as "${name}"`,
  )
  return async (source, { now, filters, sort, cursor, limit }) => {
    const { database: queries } = source.store
    const { dialect } = queries
    const order: Order[] = [
      ...(sort === null ? [] : [sort]),
      ...query.order,
      ...keys.map((expression) => ({ expression })),
    ]
    const joins = query.joins?.(dialect) ?? ''
    const chosen = Object.values(filters)
    const where = allOf(query.where ?? 'true', ...chosen.map((filter) => filter.where))
    const parameters = Object.assign(
      {},
      await query.parameters?.(source, now),
      ...chosen.map((filter) => filter.parameters),
    )
    const from = `from ${query.table} t ${joins}`
    // A cursor is of one list in one order.
    const kind = `${query.table} ${sort === null ? '' : `${sort.descending ? '-' : ''}${sort.column}`}`
    const after = cursor === null ? null : decodeCursor(cursor, kind, order.length)
    const position = after === null ? 'true' : afterCondition(order)
    const found = await queries.all<Record<string, unknown>>(
      `with page as (
        select ${keys.map((key, at) => `${key} as k${at}`).join(', ')}, ${order.map(({ expression }, at) => `${expression} as o${at}`).join(', ')}
        ${from} where ${where} and ${position} order by ${orderBy(order, 'o')} limit @limit
      )
      select p.*, ${select.join(', ')}
      from page p ${dialect.joinOne(query.table, 't', keys.map((key, at) => `${key} = p.k${at}`).join(' and '))} ${joins}
      order by ${orderBy(order, 'p.o')}`,
      {
        ...parameters,
        ...Object.fromEntries((after ?? []).map((value, at) => [`after${at}`, value])),
        limit: limit >= NO_LIMIT ? NO_LIMIT : limit + 1,
      },
    )
    const records = found.slice(0, limit).map((record) => parseJson(record, query.json))
    const last = found.length > limit ? found[limit - 1] : undefined
    const isWhole = cursor === null && found.length <= limit
    const total = isWhole
      ? found.length
      : ((await queries.get<{ total: number }>(`select count(*) as total ${from} where ${where}`, parameters))?.total ??
        0)
    return {
      rows: query.toRows === undefined ? (records as Row[]) : await query.toRows(records, source, now),
      total,
      next: last === undefined ? null : encodeCursor([kind, ...order.map((_, at) => last[`o${at}`])]),
    }
  }
}

/** By columns that have the values; unknown ones come last in either direction. */
const orderBy = (order: readonly Order[], column: string): string =>
  order.map(({ descending }, at) => `${column}${at}${descending ? ' desc' : ''} nulls last`).join(', ')

/** What comes after the position: a row that is equal in the first criteria and later in the next one. */
function afterCondition(order: readonly Order[]): string {
  const isEqual = ({ expression }: Order, at: number) => `${expression} is not distinct from @after${at}`
  const isLater = ({ expression, descending }: Order, at: number) =>
    `(${expression} ${descending ? '<' : '>'} @after${at} or ${expression} is null) and @after${at} is not null`
  const alternatives = order.map((criterion, at) => allOf(...order.slice(0, at).map(isEqual), isLater(criterion, at)))
  return `(${alternatives.map((each) => `(${each})`).join(' or ')})`
}

/** A record with its JSON parsed. */
const parseJson = (record: SqlRow, json: Readonly<Record<string, string>> = {}): SqlRow =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      name in json && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )

const encodeCursor = (values: readonly unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url')

/** @throws FilterError for a text that is no cursor of this list and order */
function decodeCursor(text: string, kind: string, length: number): (string | number | null)[] {
  try {
    const [found, ...values] = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (found === kind && values.length === length) return values
  } catch {
    // Answered below.
  }
  throw new FilterError('cursor', 'cursor is not the next page of this list in this order; begin again without it')
}

// --- lists that are computed ----------------------------------------------------------------------------------------

/** The page of rows that are all known, and few. */
export const wholePage = <Row>(rows: Row[]): ListPage<Row> => ({ rows, total: rows.length, next: null })

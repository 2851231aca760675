import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { z } from 'zod'
import type { Clock } from '../../domain/clock.js'
import type { Settings } from '../../domain/comparison/settings.js'
import { HttpError } from '../errors.js'
import { sendPage } from '../html.js'
import type { PageQueries } from '../page-queries.js'
import { parseSorting, type Sorting, sortRows, type Table } from '../tables/table.js'
import type { Download, TableFormat } from '../tables/table-file.js'
import { Layout } from '../views/layout.js'

/** What pages are made from. */
export interface PageDeps {
  queries: PageQueries
  now: Clock
  /** How offers are compared unless a reader changes it. */
  settings: Settings
}

/** The parameters of an address, each at most once. */
export type Parameters = Readonly<Record<string, string>>

/** One request for a page. */
export interface PageRequest {
  request: FastifyRequest
  /** Of the path, such as `org`. */
  path: Parameters
  /** After the `?`, without empty ones. */
  query: Parameters
  now: Date
  queries: PageQueries
  settings: Settings
  /** The address of this page with other parameters; null removes one. */
  link: (changes: Record<string, string | null>) => string
}

/** Another address for the same page. */
export interface Redirect {
  redirect: string
}

/** What a page shows. */
export interface PageContent {
  title: string
  /** The page of the navigation that it belongs to. */
  current: string
  /** The past moment that it shows; undefined for the current state. */
  asOf?: Date | undefined
  body: ComponentChildren
  /** What happens when something was polled while it is shown. Default: the list is shown anew. */
  live?: 'replace' | 'notice' | 'no'
  /** Called before it is sent, to set headers. */
  onSend?: (reply: FastifyReply) => void
  /** The tables that can be downloaded from it. */
  tables?: readonly Download[]
}

/** Serves a page at a path. With `?format=csv` or `json`, it serves one of its tables (`?table=`) instead. */
export function addPage(
  app: FastifyInstance,
  deps: PageDeps,
  path: string,
  handle: (request: PageRequest) => Promise<PageContent | Redirect>,
): void {
  app.get(path, async (request, reply) => {
    const page = pageRequest(request, deps)
    const [content, freshness] = await Promise.all([handle(page), deps.queries.freshness()])
    if ('redirect' in content) return reply.redirect(content.redirect, 303)
    const format = readChoice(page.query, 'format', ['csv', 'json'] as const)
    if (format !== null) return sendTable(reply, content, page.query.table, format)
    content.onSend?.(reply)
    const { user, session, csrfToken } = request
    const asOf = content.asOf && { at: content.asOf, nowLink: page.link({ as_of: null }) }
    const frame = {
      user,
      csrfToken,
      canSignOut: session !== null,
      freshness,
      now: page.now,
      asOf,
      live: liveOf(content),
    }
    return sendPage(
      reply,
      <Layout title={content.title} current={content.current} frame={frame}>
        {content.body}
      </Layout>,
    )
  })
}

const liveOf = ({ live = 'replace' }: PageContent) => (live === 'no' ? undefined : live)

function pageRequest(request: FastifyRequest, { queries, now, settings }: PageDeps): PageRequest {
  const query = singleValues(request.query)
  const [path = '/'] = request.url.split('?')
  return {
    request,
    path: singleValues(request.params),
    query,
    now: now(),
    queries,
    settings,
    link(changes) {
      const { format, table, ...rest } = query
      const next = Object.entries({ ...rest, ...changes }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      )
      const text = new URLSearchParams(next).toString()
      return text === '' ? path : `${path}?${text}`
    },
  }
}

/** The last of several values, as if a form had been sent. */
export function singleValues(values: unknown): Parameters {
  const entries = Object.entries(Object(values) as Record<string, string | string[]>)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const last = typeof value === 'string' ? value : value.at(-1)
      return last === undefined || last.trim() === '' ? [] : [[name, last.trim()]]
    }),
  )
}

function sendTable(reply: FastifyReply, { tables = [] }: PageContent, name: string | undefined, format: TableFormat) {
  const table = name === undefined ? tables[0] : tables.find((one) => one.name === name)
  if (table === undefined) {
    const known = tables.map((one) => one.name).join(', ') || 'none'
    throw new HttpError(404, `this page has no table ${JSON.stringify(name ?? '')}; its tables: ${known}`)
  }
  const { type, name: file, body } = table.file(format)
  return reply.type(type).header('content-disposition', `attachment; filename="${file}"`).send(body)
}

/**
 * One of a few values; null if the parameter is absent.
 * @throws HttpError 400 for another value
 */
export function readChoice<const T extends string>(query: Parameters, name: string, allowed: readonly T[]): T | null {
  const found = query[name]
  if (found === undefined) return null
  const match = allowed.find((one) => one === found)
  if (match !== undefined) return match
  throw new HttpError(400, `${name}=${JSON.stringify(found.slice(0, 60))} is not known; allowed: ${allowed.join(', ')}`)
}

const PAGE = z.coerce.number().int().min(1).max(1_000_000)
/** Rows on one page of a table. */
export const PAGE_SIZE = 100

/** `page`, counted from 1; 1 if it is absent or not a number. */
export const pageNumber = (query: Parameters): number => PAGE.safeParse(query.page ?? 1).data ?? 1

/** A path at the same moment. */
export const withAsOf = (path: string, asOf: string | undefined): string =>
  asOf === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`

/** Sorts the rows of a table as the address says, and takes one page of them. */
export function pageOf<Row>(
  { query }: Pick<PageRequest, 'query'>,
  table: Omit<Table<Row>, 'allRows'>,
  size = PAGE_SIZE,
): { table: Table<Row>; sorting: Sorting | null; pages: { page: number; of: number; total: number } } {
  const sorting = parseSorting(query.sort, table.columns)
  const allRows = sortRows(table.rows, table.columns, sorting)
  const total = allRows.length
  const of = Math.max(1, Math.ceil(total / size))
  const page = Math.min(of, pageNumber(query))
  return {
    table: { ...table, rows: allRows.slice((page - 1) * size, page * size), allRows },
    sorting,
    pages: { page, of, total },
  }
}

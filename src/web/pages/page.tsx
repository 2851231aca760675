import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import type { Clock } from '../../core/time/clock.js'
import { type Lookup, problemText } from '../../tables/find-rfq.js'
import { type MomentContext, MomentError, parseMoment } from '../../tables/moments.js'
import { beforeFirstPoll, type Observed } from '../../tables/polls.js'
import { parseWhatIf, type WhatIf } from '../../tables/settings.js'
import type { Views } from '../../tables/views.js'
import { MAX_WORD_LENGTH } from '../api/parameters.js'
import { type Frame, Layout } from '../components/layout.js'
import { HttpError, type Suggest, unknownValue } from '../http/errors.js'
import { renderParts, sendPage } from '../http/html.js'
import { parseSorting, type Sorting, sortRows, type Table } from '../tables/table.js'
import type { Download } from '../tables/table-file.js'
import { type AcceptedParameters, checkParameters } from './parameters.js'
import { FILE_FORMATS, type FileTable, sendTable } from './table-file.js'

export { type FileTable, fileTable } from './table-file.js'

/** What pages are made from. */
export interface PageDeps {
  queries: Views
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  now: Clock
  /** How offers are compared unless a reader changes it. */
  settings: Settings
  suggest: Suggest
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
  queries: Views
  channels: readonly string[]
  settings: Settings
  suggest: Suggest
  /** The address of this page with other parameters; null removes one. */
  link: (changes: Record<string, string | null>) => string
}

/** Another address for the same page. */
export interface Redirect {
  redirect: string
}

/** A past moment, and what a page shows of it. */
export interface Past {
  asOf: Date
  observed: Observed
}

/** What a page shows. */
export interface PageContent {
  title: string
  /** The page of the navigation that it belongs to. */
  current: string
  /** The past moment that it shows, and of what; undefined for the current state. */
  past?: Past | undefined
  body: ComponentChildren
  /** What happens after a poll while the page is shown. Default: it is replaced. */
  live?: 'replace' | 'notice' | 'no'
  /** Called before it is sent, to set headers. */
  onSend?: (reply: FastifyReply) => void
  /** The tables that can be downloaded from it. */
  tables?: readonly (FileTable | Download)[]
}

/**
 * Serves a page at a path. With `?format=csv` or `json`, it serves one of its tables (`?table=`) instead.
 * @param parameters what the page accepts besides the parameters of tables
 */
export function addPage(
  app: FastifyInstance,
  deps: PageDeps,
  path: string,
  handle: (request: PageRequest) => Promise<PageContent | Redirect>,
  parameters: AcceptedParameters = {},
): void {
  app.get(path, async (request, reply) => {
    checkParameters(request.query, parameters, deps.suggest)
    const page = pageRequest(request, deps)
    const [content, surroundings] = await Promise.all([handle(page), readSurroundings(deps, page)])
    if ('redirect' in content) return reply.redirect(content.redirect, 303)
    const format = readChoice(page, 'format', FILE_FORMATS)
    if (format !== null) return sendTable(reply, (content.tables ?? []).map(asFileTable), page.query.table, format)
    return sendContent(reply, page, content, surroundings)
  })
}

const asFileTable = (table: FileTable | Download): FileTable =>
  'print' in table ? table : { name: table.name, print: async (format) => table.file(format).body }

/**
 * Handles a form, for operators: redirects to another page, or shows the page with the errors of the form.
 * @param handle `fields`: of the form, without empty ones
 */
export function addForm(
  app: FastifyInstance,
  deps: PageDeps,
  path: string,
  handle: (request: PageRequest, fields: Parameters) => Promise<(PageContent & { status: number }) | Redirect>,
): void {
  app.post(path, async (request, reply) => {
    const page = pageRequest(request, deps)
    const content = await handle(page, singleValues(request.body))
    if ('redirect' in content) return reply.redirect(content.redirect, 303)
    return sendContent(reply.code(content.status), page, content, await readSurroundings(deps, page))
  })
}

/** What the frame of every page shows. */
type Surroundings = Pick<Frame, 'freshness' | 'waiting'>

async function readSurroundings(
  { queries }: Pick<PageDeps, 'queries'>,
  { now }: Pick<PageRequest, 'now'>,
): Promise<Surroundings> {
  const [freshness, waiting] = await Promise.all([queries.freshness(), queries.waiting(now)])
  return { freshness, waiting }
}

async function sendContent(
  reply: FastifyReply,
  { request, now, link, queries }: PageRequest,
  content: PageContent,
  surroundings: Surroundings,
): Promise<FastifyReply> {
  content.onSend?.(reply)
  const { user, session, csrfToken } = request
  const { past } = content
  const incomplete = past === undefined ? [] : await queries.incompleteAt(past.observed, past.asOf)
  const asOf = past && { at: past.asOf, kind: past.observed.kind, nowLink: link({ as_of: null }), incomplete }
  const frame = {
    user,
    csrfToken,
    canSignOut: session !== null,
    ...surroundings,
    now,
    asOf,
    live: liveOf(content),
  }
  const html = await renderParts(content.body)
  return sendPage(reply, <Layout title={content.title} current={content.current} frame={frame} html={html} />)
}

const liveOf = ({ live = 'replace' }: PageContent) => (live === 'no' ? undefined : live)

function pageRequest(request: FastifyRequest, { queries, channels, now, settings, suggest }: PageDeps): PageRequest {
  const query = singleValues(request.query)
  const [path = '/'] = request.url.split('?')
  return {
    request,
    path: singleValues(request.params),
    query,
    now: now(),
    ...{ queries, channels, settings, suggest },
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

/** What was found. @throws HttpError 404 if there is none, 409 if several have the name */
export function requireFound<T>(lookup: Lookup<T>): T {
  if ('found' in lookup) return lookup.found
  throw new HttpError(lookup.problem.reason === 'ambiguous' ? 409 : 404, problemText(lookup.problem))
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

/**
 * One of a few values; null if the parameter is absent.
 * @throws HttpError 400 for another value
 */
export function readChoice<const T extends string>(
  { query, suggest }: Pick<PageRequest, 'query' | 'suggest'>,
  name: string,
  allowed: readonly T[],
): T | null {
  const found = query[name]
  if (found === undefined) return null
  const match = allowed.find((one) => one === found)
  if (match !== undefined) return match
  throw unknownValue(name, found, allowed, suggest)
}

/**
 * The channel to filter by. The data of a channel stays readable after it is removed from the configuration.
 * @throws HttpError 400 for a channel that is neither configured nor was ever polled
 */
export async function readChannel(
  page: Pick<PageRequest, 'query' | 'suggest' | 'queries' | 'channels'>,
): Promise<{ channel?: string }> {
  const { channel } = page.query
  if (channel === undefined) return {}
  const isPolled = !page.channels.includes(channel) && (await page.queries.firstPollAt({ channel })) !== null
  if (!isPolled) readChoice(page, 'channel', page.channels)
  return { channel }
}

/**
 * The past moment of a parameter; undefined without it, and for one that is not past yet.
 * @throws HttpError 400 for anything else
 */
export function readMoment(
  { query, now }: Pick<PageRequest, 'query' | 'now'>,
  name: string,
  dayMeans: MomentContext['dayMeans'],
): Date | undefined {
  const text = query[name]
  if (text === undefined) return undefined
  try {
    const moment = parseMoment(text, { option: name, now, dayMeans })
    return moment < now ? moment : undefined
  } catch (error) {
    if (!(error instanceof MomentError)) throw error
    if (error.isFuture) return undefined
    throw new HttpError(400, error.message)
  }
}

/**
 * The settings of the configuration with the changes of an address.
 * @throws HttpError 400 for a value that is not allowed, or an unknown setting
 */
export function readWhatIf(query: Parameters, base: Settings): WhatIf {
  const whatIf = parseWhatIf(query, base)
  if ('settings' in whatIf) return whatIf
  throw new HttpError(400, whatIf.errors.map(({ name, detail }) => `${name}: ${detail}`).join('; '))
}

/**
 * The past moment that a page shows; undefined for the current state.
 * @throws HttpError 404 for a moment before the first poll
 */
export async function readPast(
  { query, now, queries }: Pick<PageRequest, 'query' | 'now' | 'queries'>,
  observed: Observed,
): Promise<Past | undefined> {
  const asOf = readMoment({ query, now }, 'as_of', 'end')
  if (asOf === undefined) return undefined
  const refusal = await beforeFirstPoll(asOf, observed, queries.firstPollAt)
  if (refusal) throw new HttpError(404, refusal)
  return { asOf, observed }
}

const PAGE = z
  .string()
  .regex(/^[1-9]\d{0,5}$/)
  .transform(Number)
/** Rows on one page of a table. */
export const PAGE_SIZE = 40

/**
 * `page`, counted from 1; 1 if it is absent.
 * @throws HttpError 400 for what is not the number of a page
 */
export function pageNumber({ page }: Parameters): number {
  const found = PAGE.safeParse(page ?? '1')
  if (found.success) return found.data
  throw new HttpError(400, `page=${JSON.stringify(page?.slice(0, 60))} is not the number of a page; use 1, 2, …`)
}

/**
 * The words to search for, `q`.
 * @throws HttpError 400 for more than the HTTP API takes
 */
export function readSearch({ q = '' }: Parameters): string {
  if (q.trim().length <= MAX_WORD_LENGTH) return q
  throw new HttpError(400, `q: expected a text of at most ${MAX_WORD_LENGTH} characters`)
}

/** The range of rows to read for the requested page of a table; for a file, all up to a limit. */
export function rangeOf(query: Parameters, maxInFile = Number.MAX_SAFE_INTEGER): { from: number; to: number } {
  const page = pageNumber(query)
  return query.format === undefined
    ? { from: (page - 1) * PAGE_SIZE, to: page * PAGE_SIZE }
    : { from: 0, to: maxInFile }
}

/** A page of a table. */
export interface PagePosition {
  page: number
  of: number
  /** Rows of all pages. */
  total: number
}

/** @throws HttpError 400 for a page after the last one */
export function pagesOf(query: Parameters, total: number, size = PAGE_SIZE): PagePosition {
  const page = pageNumber(query)
  const of = Math.max(1, Math.ceil(total / size))
  if (page > of) throw new HttpError(400, `page=${page} does not exist; the last page is ${of}`)
  return { page, of, total }
}

/** A path at the same moment. */
export const withAsOf = (path: string, asOf: string | undefined): string =>
  asOf === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(asOf)}`

/** One page of a table, as it is shown. */
export interface ShownTable<Row> {
  table: Table<Row>
  sorting: Sorting | null
  pages: PagePosition
}

/** Sorts the rows of a table as the address says, and takes one page of them. */
export function pageOf<Row>(
  { query, suggest }: Pick<PageRequest, 'query' | 'suggest'>,
  table: Omit<Table<Row>, 'allRows'>,
  size = PAGE_SIZE,
): ShownTable<Row> {
  const sorting = parseSorting(query.sort, table.columns, suggest)
  const allRows = sortRows(table.rows, table.columns, sorting)
  const pages = pagesOf(query, allRows.length, size)
  const from = (pages.page - 1) * size
  return { table: { ...table, rows: allRows.slice(from, from + size), allRows }, sorting, pages }
}

/** The channel and the name of an RFQ in a path. */
export const addressOf = ({ org = '', channel = '', name = '' }: Parameters) => ({ channel: `${org}/${channel}`, name })

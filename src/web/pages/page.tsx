import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { didYouMean } from '../../core/text/suggest.js'
import { unknownValue } from '../../tables/filter-error.js'
import { isSettingName, KNOWN_SETTINGS } from '../../tables/settings.js'
import type { Views } from '../../tables/views.js'
import type { ActionDeps } from '../api/actions.js'
import { stateOf } from '../api/lookup.js'
import { Layout } from '../components/layout.js'
import { HttpError } from '../http/errors.js'
import { sendPage } from '../http/html.js'
import { FILE_FORMATS, type FileTable, sendTable } from './table-file.js'

/** What pages are made from, and what their forms do. */
export interface PageDeps extends Pick<ActionDeps, 'awards' | 'channels' | 'now' | 'queue' | 'settings'> {
  queries: Views
  /** The path of a report in the folder of this process; null if there is none of this name. */
  findReport: (name: string) => Promise<string | null>
}

/** The parameters of an address or the fields of a form, without empty ones. */
export type Parameters = Readonly<Record<string, string>>

/** One request for a page. */
export interface PageRequest extends Omit<PageDeps, 'now'> {
  request: FastifyRequest
  /** Of the path, such as `org`. */
  path: Parameters
  query: Parameters
  now: Date
  /** The address of this page with other parameters; null removes one. */
  link: (changes: Record<string, string | null>) => string
}

/** Another address for the same page. */
export interface Redirect {
  redirect: string
}

/** A past moment that a page shows, and whether no poll of the channel was complete by then. */
interface Past {
  asOf: Date
  isIncomplete: boolean
}

/** What a page shows. */
export interface PageContent {
  title: string
  /** The page of the navigation that it belongs to. */
  current: string
  /** Undefined for the current state. */
  past?: Past | undefined
  body: ComponentChildren
  /** What happens after a poll while the page is shown. Default: it is replaced. */
  live?: 'replace' | 'notice' | 'no'
  /** Called before it is sent, to set headers. */
  onSend?: (reply: FastifyReply) => void
  /** The tables that can be downloaded from it. */
  tables?: readonly FileTable[]
}

/** The parameters after the `?` that a page accepts, besides those that choose one of its tables as a file. */
interface AcceptedParameters {
  names?: readonly string[]
  /** Whether it accepts the settings of a comparison too, such as `requirements.priceMax`. */
  acceptsSettings?: boolean
}

/** Serves a page at a path. With `?format=csv` or `json`, it serves one of its tables (`?table=`) instead. */
export function addPage(
  app: FastifyInstance,
  deps: PageDeps,
  path: string,
  handle: (request: PageRequest) => Promise<PageContent | Redirect>,
  parameters: AcceptedParameters = {},
): void {
  app.get(path, async (request, reply) => {
    checkParameters(request.query, parameters)
    const page = pageRequest(request, deps)
    const content = await handle(page)
    if ('redirect' in content) return reply.redirect(content.redirect, 303)
    const { format, table } = page.query
    if (format === undefined) return sendContent(reply, page, content)
    const known = FILE_FORMATS.find((each) => each === format)
    if (known === undefined) throw unknownValue('format', format, FILE_FORMATS)
    return sendTable(reply, content.tables ?? [], table, known)
  })
}

/**
 * Handles a form, for operators: redirects to another page, or shows the page with the errors of the form.
 * @param handle `fields`: of the form
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
    return sendContent(reply.code(content.status), page, content)
  })
}

async function sendContent(
  reply: FastifyReply,
  { request: { user, session }, now, link, queries }: PageRequest,
  { title, current, past, body, live = 'replace', onSend }: PageContent,
): Promise<FastifyReply> {
  onSend?.(reply)
  const [freshness, waiting, pulse] = await Promise.all([queries.freshness(), queries.waiting(now), queries.pulse()])
  const frame = {
    ...{ user, canSignOut: session !== null, freshness, waiting, now },
    past: past && { ...past, nowLink: link({ as_of: null }) },
    ...(live !== 'no' && past === undefined && { live, pulse }),
  }
  return sendPage(
    reply,
    <Layout title={title} current={current} frame={frame}>
      {body}
    </Layout>,
  )
}

function pageRequest(request: FastifyRequest, { now, ...deps }: PageDeps): PageRequest {
  const query = singleValues(request.query)
  const [path = '/'] = request.url.split('?')
  return {
    ...{ ...deps, request, query, path: singleValues(request.params), now: now() },
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

const FILE_PARAMETERS = ['format', 'table']

/**
 * Rejects unknown and repeated parameters, which would otherwise be ignored, as the HTTP API does.
 * @throws HttpError 400 with every unknown parameter, and those given more than once
 */
function checkParameters(query: unknown, { names = [], acceptsSettings = false }: AcceptedParameters): void {
  const known = [...names, ...FILE_PARAMETERS, ...(acceptsSettings ? KNOWN_SETTINGS : [])]
  const problems = Object.entries(Object(query) as Record<string, string | string[]>).flatMap(([name, value]) => {
    if (!known.includes(name) && !(acceptsSettings && isSettingName(name)))
      return `${name.slice(0, 60)}: unknown parameter; ${didYouMean(name.slice(0, 60), known)}known: ${known.join(', ')}`
    return typeof value === 'string' ? [] : `${name}: given more than once`
  })
  if (problems.length > 0) throw new HttpError(400, problems.slice(0, 5).join('; '))
}

/** The last of several values, as if a form had been sent. */
function singleValues(values: unknown): Parameters {
  const entries = Object.entries(Object(values) as Record<string, string | string[]>)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const last = (typeof value === 'string' ? value : value.at(-1))?.trim()
      return last === undefined || last === '' ? [] : [[name, last]]
    }),
  )
}

/** The channel and the name of an RFQ in a path. */
export const addressOf = ({ org = '', channel = '', name = '' }: Parameters) => ({ channel: `${org}/${channel}`, name })

/**
 * The past moment of a channel that a page shows, `as_of`; undefined for the current state.
 * @throws FilterError for what is no moment, for one in the future, and for one before the channel was polled
 */
export async function readPast({ query, now, queries }: PageRequest, channel: string): Promise<Past | undefined> {
  const { asOf } = await stateOf({ as_of: query.as_of, channel }, { now, reader: queries })
  return asOf && { asOf, isIncomplete: await queries.isIncompleteAt(channel, asOf) }
}

import { z } from 'zod'
import type { Clock } from '../core/time/clock.js'
import { findChannel } from '../tables/filter.js'
import { asOfIn } from '../web/api/lookup.js'
import type { ReadOperation } from '../web/api/operation.js'
import { LIST_OPERATIONS } from '../web/api/operations/list-operations.js'
import { identifier, rfqName, wholeNumber } from '../web/api/parameters.js'
import { ProblemError } from '../web/api/problem.js'
import { type ApiReader, READ_OPERATIONS } from '../web/api/read.js'
import { type Answer, fitAnswer, MAX_ANSWER, shorten } from './answer-size.js'

/** What tools work with. They read through the operations of the HTTP API. */
export interface McpDeps {
  reader: ApiReader
  /** The configured channels, `org/slug`. */
  channels: readonly string[]
  now: Clock
  /** When each channel was last polled completely, and whether that is behind its schedule. */
  freshness(now: Date): Promise<({ channel: string } & Answer)[]>
  /** Called with unexpected errors; the client gets no details. */
  onError(error: unknown): void
}

/** A tool of the server. */
interface Tool {
  name: string
  title: string
  description: string
  input: z.ZodObject
  answer(args: Answer, deps: McpDeps): Promise<Answer>
}

const operation = (id: string) => READ_OPERATIONS.find((each) => each.id === id) as ReadOperation

const limitOf = (byDefault: number) => z.int().min(1).max(100).default(byDefault)

/** Runs an operation of the API. @throws ProblemError for what it answers with a problem */
async function readWith({ reader }: McpDeps, id: string, request: Parameters<ApiReader['apiRead']>[1]) {
  const answer = await reader.apiRead(id, request)
  if ('problem' in answer) throw new ProblemError(answer.problem.status, answer.problem.detail)
  // biome-ignore lint/suspicious/noExplicitAny: what an operation answers is described by its schema.
  return JSON.parse(answer.json) as any
}

/** A tool that answers what an operation with pages of its own answers. */
const pageTool = (
  { id, query, summary, description }: ReadOperation,
  { name, byDefault = 25 }: { name: string; byDefault?: number },
): Tool => ({
  name,
  title: summary,
  description,
  input: query.extend({ limit: limitOf(byDefault) }),
  async answer(args, deps) {
    const now = deps.now()
    const freshness = await freshnessOf(args.channel, now, deps)
    return fitAnswer(Number(args.limit), async (limit) => {
      const answer = await readWith(deps, id, { path: {}, query: { ...args, limit }, now })
      return { ...answer, asOf: now.toISOString(), freshness }
    })
  },
})

async function freshnessOf(channel: unknown, now: Date, { channels, freshness }: McpDeps) {
  const only = channel === undefined ? undefined : findChannel(String(channel), channels)
  return (await freshness(now)).filter((each) => only === undefined || each.channel === only)
}

interface RfqTool extends Omit<Tool, 'input' | 'answer'> {
  /** Whose parameters it takes. */
  operation: string
  /** Further arguments. */
  more?: z.ZodRawShape
  /** The member of the answer of which each page has some items. */
  pages: string
  byDefault?: number
  /** The whole answer. @param read runs an operation on the RFQ */
  content(read: (id: string) => ReturnType<typeof readWith>, args: Answer): Promise<Answer>
}

/** A tool that answers about one RFQ. */
const rfqTool = ({ operation: id, more = {}, pages, byDefault = 25, content, ...tool }: RfqTool): Tool => ({
  ...tool,
  input: z
    .object({
      rfq: rfqName,
      channel: z.string().optional().describe('`org/slug`; needed if several have an RFQ of this name.'),
      ...more,
      ...operation(id).query.shape,
      limit: limitOf(byDefault),
      cursor: wholeNumber(0, 1_000_000).default(0).describe('`nextCursor` of the previous page.'),
    })
    .catchall(operation(id).query.def.catchall ?? z.never()),
  async answer({ rfq, channel, limit, cursor: from, ...args }, deps) {
    const now = deps.now()
    const asOf = args.as_of === undefined ? now : asOfIn(String(args.as_of), now)
    const isPast = asOf < now
    const given = channel === undefined ? {} : { channel: String(channel) }
    const found = await findRfq({ name: String(rfq), now, ...given, ...(isPast && { asOf }) }, deps)
    const [org = '', slug = ''] = found.channel.split('/')
    const path = { org, channel: slug, rfq: found.name, offer: String(args.offer) }
    const query = Object.fromEntries(Object.entries(args).filter(([name]) => !(name in more)))
    const { [pages]: all, ...rest } = await content((each) => readWith(deps, each, { path, query, now }), args)
    // What is said of hundreds of offers together would leave no room for the offers themselves.
    const shown = { ...shorten(rest, MAX_ANSWER / 2), asOf: asOf.toISOString() }
    const freshness = isPast ? {} : { freshness: await freshnessOf(found.channel, now, deps) }
    const items = all as unknown[]
    return fitAnswer(Number(limit), (max) => {
      const to = Number(from) + max
      const page = { items: items.slice(Number(from), to), nextCursor: to < items.length ? to : null }
      return { ...shown, ...freshness, [pages]: { ...page, total: items.length } }
    })
  },
})

/** The channel of an RFQ, and a name that leads to it there; without a channel, of the only one in all that has the name. */
async function findRfq(search: Parameters<ApiReader['findRfq']>[0], { channels, reader }: McpDeps) {
  const channel = search.channel ?? (channels.length === 1 ? channels[0] : undefined)
  if (channel === undefined) return reader.findRfq(search)
  return { channel: findChannel(channel, channels), name: search.name }
}

export const TOOLS: readonly Tool[] = [
  pageTool(operation('readToday'), { name: 'today', byDefault: 30 }),
  ...LIST_OPERATIONS.map((each) => pageTool(each, { name: `list_${each.path.slice(1)}` })),
  rfqTool({
    name: 'get_rfq',
    title: 'One RFQ with its offers',
    description: 'Its terms, its document, and its offers in the order of their numbers; compare_offers ranks them.',
    operation: 'readRfq',
    pages: 'offers',
    async content(read) {
      const rfq = await read('readRfq')
      // They are short forms of the offers.
      delete rfq.body?.responses
      const { offers } = await read('compareOffers')
      return { rfq, offers: offers.sort((a: { number: number }, b: { number: number }) => a.number - b.number) }
    },
  }),
  rfqTool({
    name: 'compare_offers',
    title: 'The comparison of the offers for an RFQ',
    description:
      'Whom to award, why, what to check first and what would change it; the awards to choose from; what to ask developers; then the ' +
      'offers. Settings that are given replace the configured ones: what-if.',
    operation: 'compareOffers',
    pages: 'offers',
    byDefault: 15,
    content: (read) => read('compareOffers'),
  }),
  rfqTool({
    name: 'get_offer',
    title: 'One offer with its versions',
    description: 'Its terms and figures, every version with what it changed, newest first, and the document of one.',
    operation: 'readOffer',
    more: {
      offer: identifier.describe('Its id, as get_rfq and compare_offers have it.'),
      version: z.int().min(1).optional().describe('Whose document to show. Default: the newest.'),
    },
    pages: 'versions',
    async content(read, args) {
      const { versions, body: _body, ...offer } = await read('readOffer')
      const version = Number(args.version ?? offer.version)
      const document = versions.find((each: { version: number }) => each.version === version)
      if (document === undefined)
        throw new ProblemError(404, `version ${version} of the offer is not known; known are 1 to ${offer.version}`)
      const withoutBody = ({ body: _body, ...row }: Answer) => row
      return { offer, document, versions: versions.map(withoutBody) }
    },
  }),
]

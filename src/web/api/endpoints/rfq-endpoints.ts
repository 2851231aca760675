import { z } from 'zod'
import { RFQ_STATES } from '../../../domain/documents.js'
import { encodeCursor } from '../cursor.js'
import { type ReadCall, type ReadDeps, readEndpoint } from '../endpoint.js'
import { asOf, channelFilter, date, flag, moment, oneOf, paging, word } from '../parameters.js'
import { ProblemError, unknownName } from '../problem.js'
import { type ApiMoment, type Lookup, RFQ_SORTS, type RfqName } from '../queries.js'
import { comparison, countedListOf, offerDetail, offerItem, rfqDetail, rfqItem } from '../schemas/index.js'
import { isSettingName, whatIfSettings } from '../what-if.js'

/** The moment that a request asks for. @throws ProblemError 400 for one in the future */
export function momentOf({
  deps,
  query,
  where = 'query',
}: {
  deps: Pick<ReadDeps, 'now'>
  query: { as_of?: Date | undefined }
  where?: 'query' | 'body'
}): ApiMoment {
  const now = deps.now()
  const { as_of: asOf } = query
  if (asOf === undefined) return { now }
  if (asOf <= now) return { now, asOf }
  // Today, as a date, has not ended yet.
  if (asOf.toISOString().slice(0, 10) === now.toISOString().slice(0, 10)) return { now, asOf: now }
  throw new ProblemError(400, `as_of ${asOf.toISOString()} is in the future`, {
    errors: [{ in: where, name: 'as_of', detail: 'in the future' }],
  })
}

/** The moment as it is answered. */
export const asOfText = ({ asOf: at }: ApiMoment): string | null => at?.toISOString() ?? null

/** The channel filter of a list. @throws ProblemError 400 for a channel that is not configured */
export function channelOf({ deps, query }: { deps: ReadDeps; query: { channel?: string | undefined } }) {
  const { channel } = query
  if (channel === undefined) return {}
  if (deps.channels.includes(channel)) return { channel }
  const suggestions = deps.suggest(channel, deps.channels)
  throw new ProblemError(
    400,
    `channel ${JSON.stringify(channel)} is not configured; known: ${deps.channels.join(', ')}`,
    {
      errors: [{ in: 'query', name: 'channel', detail: 'not a configured channel' }],
      ...(suggestions.length > 0 && { suggestions }),
    },
  )
}

/**
 * The filter of a list by channel and RFQ.
 * @throws ProblemError 400 for an RFQ without a channel, 404 and 409 as for the RFQ of a path
 */
export async function rfqOf(
  call: { deps: ReadDeps; query: { channel?: string | undefined; rfq?: string | undefined } },
  at: ApiMoment,
): Promise<{ channel?: string; rfqId?: string }> {
  const { channel } = channelOf(call)
  const { rfq } = call.query
  if (rfq === undefined) return channel === undefined ? {} : { channel }
  if (channel === undefined)
    throw new ProblemError(400, 'rfq needs channel, because RFQs of several channels may have the same number', {
      errors: [{ in: 'query', name: 'rfq', detail: 'without channel' }],
    })
  const name = { ...at, channel, name: rfq }
  return { channel, rfqId: onlyOne(await call.deps.queries.rfqId(name), name) }
}

/** The channel of a path. @throws ProblemError 404 if it is not configured */
export function pathChannel({ deps, path }: Pick<ReadCall<unknown>, 'deps' | 'path'>): string {
  const channel = `${path.org}/${path.channel}`
  if (deps.channels.includes(channel)) return channel
  throw unknownName('channel', channel, deps.suggest(channel, deps.channels))
}

const rfqNameOf = (call: ReadCall<{ as_of?: Date | undefined }>): RfqName => ({
  ...momentOf(call),
  channel: pathChannel(call),
  name: call.path.rfq ?? '',
})

/** The only RFQ that a name led to. @throws ProblemError 404 for none, 409 for several */
function onlyOne<T>(lookup: Lookup<T>, { channel, name, asOf: at }: RfqName): T {
  if (lookup.found === 'one') return lookup.value
  if (lookup.found === 'several')
    throw new ProblemError(409, `${JSON.stringify(name)} is the name of several RFQs of ${channel}; use an id`, {
      suggestions: lookup.others,
    })
  throw unknownName('RFQ', name, lookup.others, ` in ${channel}${at ? ` as of ${at.toISOString()}` : ''}`)
}

/**
 * A state that is neither documented nor that of any RFQ is a typo, not a filter that nothing matches.
 * @throws ProblemError 400
 */
async function refuseUnknownState({ deps, query: { state } }: ReadCall<{ state?: string | undefined }>): Promise<void> {
  if (state === undefined || RFQ_STATES.some((known) => known === state)) return
  const known = [...new Set<string>([...RFQ_STATES, ...(await deps.queries.states(deps.now()))])]
  if (known.includes(state)) return
  const suggestions = deps.suggest(state, known)
  throw new ProblemError(400, `no RFQ has the state ${JSON.stringify(state)}; known: ${known.join(', ')}`, {
    errors: [{ in: 'query', name: 'state', detail: 'not the state of any RFQ' }],
    ...(suggestions.length > 0 && { suggestions }),
  })
}

const RFQ_PATH = '/rfqs/{org}/{channel}/{rfq}'
const moments = z.object(asOf)

export const rfqEndpoints = [
  readEndpoint({
    id: 'listRfqs',
    path: '/rfqs',
    summary: 'List RFQs',
    description: 'Open ones first, due soonest first, unless `sort` says otherwise.',
    query: z.object({
      ...channelFilter,
      state: word.optional().describe('`open`, `closed`, or another state that the marketplace sent.'),
      q: word.optional().describe('Part of the number, the reference or the title.'),
      due_before: date.optional().describe('Response due date before this one.'),
      due_after: date.optional().describe('Response due date after this one.'),
      overdue: flag.optional().describe('Open and past due.'),
      missing: flag.optional().describe('Whether they have disappeared from the marketplace. Default: both.'),
      changed_since: moment.optional().describe('RFQs that changed after this moment.'),
      figures: flag.default(false).describe('With coverage, best price and the like.'),
      sort: oneOf(RFQ_SORTS).default('urgency'),
      ...asOf,
      ...paging,
    }),
    result: countedListOf(rfqItem),
    async handle(call) {
      const { state, q, due_before, due_after, overdue, missing, changed_since, figures, sort, cursor, limit } =
        call.query
      // An RFQ that closes or changes moves within the list, so all pages show the moment of the first.
      const at = momentOf({ ...call, query: { as_of: call.query.as_of ?? cursor?.asOf } })
      await refuseUnknownState(call)
      const { items, next, total } = await call.deps.queries.rfqs({
        ...at,
        ...channelOf(call),
        ...(state !== undefined && { state }),
        ...(q !== undefined && { search: q }),
        ...(due_before !== undefined && { dueBefore: due_before }),
        ...(due_after !== undefined && { dueAfter: due_after }),
        ...(overdue !== undefined && { overdue }),
        ...(missing !== undefined && { missing }),
        ...(changed_since !== undefined && { changedSince: changed_since }),
        ...{ figures, sort, cursor: cursor ?? null, limit },
      })
      const nextCursor = next && encodeCursor({ ...next, asOf: at.asOf ?? at.now })
      return { asOf: asOfText(at), items, nextCursor, total }
    },
  }),
  readEndpoint({
    id: 'readRfq',
    path: RFQ_PATH,
    summary: 'Read one RFQ',
    description: '`rfq` is its number, reference or id.',
    query: moments,
    result: rfqDetail,
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      return onlyOne(await call.deps.queries.rfq(name), name)
    },
  }),
  readEndpoint({
    id: 'listOffers',
    path: `${RFQ_PATH}/offers`,
    summary: 'List the offers for an RFQ',
    description: 'All offers that were ever known, in the order in which they were submitted.',
    query: moments,
    result: countedListOf(offerItem),
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const items = onlyOne(await call.deps.queries.offers(name), name)
      return { asOf: asOfText(name), items, nextCursor: null, total: items.length }
    },
  }),
  readEndpoint({
    id: 'readOffer',
    path: `${RFQ_PATH}/offers/{offer}`,
    summary: 'Read one offer with all its versions',
    query: moments,
    result: offerDetail,
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const offer = call.path.offer ?? ''
      const found = onlyOne(await call.deps.queries.offer({ ...name, offer }), name)
      if (found === null) throw unknownName('offer', offer, [], ` for RFQ ${name.name} of ${name.channel}`)
      return found
    },
  }),
  readEndpoint({
    id: 'compareOffers',
    path: `${RFQ_PATH}/comparison`,
    summary: 'Compare the offers for an RFQ',
    description:
      'The model of the report, as `quotekeeper report --json` prints it. Every setting under `reports:` of the ' +
      'configuration can be replaced for this request: `weights.price=60`, `requirements.priceMax=advisory`, ' +
      '`wantedVolume=max`, `discountRate=0.05`, `exchangeRates.USD=0.92`.',
    query: moments,
    acceptsSettings: true,
    result: comparison,
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const replaced = Object.entries(call.query as Record<string, unknown>).filter(
        (entry): entry is [string, string] => isSettingName(entry[0]) && typeof entry[1] === 'string',
      )
      const changed = whatIfSettings(call.deps.settings, Object.fromEntries(replaced))
      if ('errors' in changed)
        throw new ProblemError(
          400,
          changed.errors.map(({ name: at, detail }) => `${at}: ${detail}`).join('; '),
          changed,
        )
      const { settings } = changed
      const report = onlyOne(await call.deps.queries.comparison({ ...name, settings }), name)
      // The schema describes the parts that others rely on, and allows the rest.
      return report as unknown as z.input<typeof comparison>
    },
  }),
]

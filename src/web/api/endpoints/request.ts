import { encodeCursor, type ListCursor, type ListPage, takePage } from '../../../tables/cursor.js'
import { type Lookup, problemText, type RfqAddress } from '../../../tables/find-rfq.js'
import { type MomentContext, MomentError, parseMoment } from '../../../tables/moments.js'
import { defined } from '../../http/request-values.js'
import type { ReadCall, ReadDeps } from '../endpoint.js'
import { type InvalidValue, ProblemError, unknownName } from '../problem.js'

/** The state that a request reads. */
type Moment = ReadCall<unknown>['at']

/** The moment that a request asks for. @throws ProblemError 400 for one in the future, and for what is no moment */
export function momentOf({ now, query, where = 'query' }: MomentRequest): Moment {
  const { as_of: text } = query
  if (typeof text !== 'string') return { now }
  return { now, asOf: momentIn(text, { option: 'as_of', now, dayMeans: 'end' }, where) }
}

interface MomentRequest {
  now: Date
  query: { as_of?: unknown }
  where?: InvalidValue['in']
}

/** Since when something is listed. @throws ProblemError 400 */
export const sinceOf = (
  { at: { now } }: Pick<ReadCall<unknown>, 'at'>,
  option: string,
  text: string | undefined,
): Date | undefined => (text === undefined ? undefined : momentIn(text, { option, now, dayMeans: 'start' }, 'query'))

function momentIn(text: string, context: MomentContext, where: InvalidValue['in']): Date {
  try {
    return parseMoment(text, context)
  } catch (error) {
    if (!(error instanceof MomentError)) throw error
    const detail = error.isFuture ? 'in the future' : error.message
    throw new ProblemError(400, error.message, { errors: [{ in: where, name: context.option, detail }] })
  }
}

/** The moment as it is answered. */
export const asOfText = ({ asOf: at }: Pick<Moment, 'asOf'>): string | null => at?.toISOString() ?? null

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
  call: Pick<ReadCall<{ channel?: string | undefined; rfq?: string | undefined }>, 'deps' | 'query' | 'at'>,
): Promise<{ channel?: string; rfqId?: string }> {
  const { channel } = channelOf(call)
  const { rfq } = call.query
  if (rfq === undefined) return defined({ channel })
  if (channel === undefined)
    throw new ProblemError(400, 'rfq needs channel, because RFQs of several channels may have the same number', {
      errors: [{ in: 'query', name: 'rfq', detail: 'without channel' }],
    })
  const { id } = requireFound(await call.deps.views.findRfq({ ...call.at, channel, name: rfq }))
  return { channel, rfqId: id }
}

/** The channel of a path. @throws ProblemError 404 if it is not configured */
export function pathChannel({ deps, path }: Pick<ReadCall<unknown>, 'deps' | 'path'>): string {
  return knownChannel(`${path.org}/${path.channel}`, deps)
}

/** @throws ProblemError 404 if the channel is not configured */
export function knownChannel(channel: string, { channels, suggest }: Pick<ReadDeps, 'channels' | 'suggest'>): string {
  if (channels.includes(channel)) return channel
  throw unknownName('channel', channel, suggest(channel, channels))
}

/** The RFQ of a path, at the moment of the request. */
export const rfqNameOf = (call: ReadCall<unknown>): RfqAddress => ({
  ...call.at,
  channel: pathChannel(call),
  name: call.path.rfq ?? '',
})

/** What a name led to. @throws ProblemError 404 if it led to no RFQ, 409 if it is that of several */
export function requireFound<T>(lookup: Lookup<T>): T {
  if ('found' in lookup) return lookup.found
  const { reason, names } = lookup.problem
  const suggestions = names.length > 0 ? { suggestions: names } : {}
  throw new ProblemError(reason === 'ambiguous' ? 409 : 404, problemText(lookup.problem), suggestions)
}

/** The answer of a list that is computed as a whole, as of a moment if it was asked for one. */
export const listPage = <Row>({ items, next, total }: ListPage<Row>, at: Pick<Moment, 'asOf'> = {}) => ({
  asOf: asOfText(at),
  items,
  nextCursor: next && encodeCursor(next),
  total,
})

/** The answer of one page of rows that are all known. */
export const pageOf = <Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { cursor = null, limit }: { cursor?: ListCursor | null | undefined; limit: number },
  at: Pick<Moment, 'asOf'> = {},
) => listPage(takePage(rows, keyOf, { cursor, limit }), at)

/** The answer of a list on one page. */
export const wholeList = <Row>(items: Row[], at: Pick<Moment, 'asOf'> = {}) =>
  listPage({ items, next: null, total: items.length }, at)

/** The answer of a list in the order of its ids, of which there may be more if the page is full. */
export const idPage = <Row extends { id: number }>(items: Row[], limit: number, at: Pick<Moment, 'asOf'> = {}) => ({
  asOf: asOfText(at),
  items,
  nextCursor: items.length < limit ? null : String(items.at(-1)?.id ?? ''),
})

import type { ApiMoment, Lookup, NamedRfq } from '../../../views/api-contract.js'
import { encodeCursor, type ListPage } from '../../../views/cursor.js'
import { problemText } from '../../../views/find-rfq.js'
import { defined } from '../../http/request-values.js'
import type { ReadCall, ReadDeps } from '../endpoint.js'
import { ProblemError, unknownName } from '../problem.js'

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
export const asOfText = ({ asOf: at }: Pick<ApiMoment, 'asOf'>): string | null => at?.toISOString() ?? null

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
  if (rfq === undefined) return defined({ channel })
  if (channel === undefined)
    throw new ProblemError(400, 'rfq needs channel, because RFQs of several channels may have the same number', {
      errors: [{ in: 'query', name: 'rfq', detail: 'without channel' }],
    })
  const { id } = requireFound(await call.deps.queries.findRfq({ ...at, channel, name: rfq }))
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
export const rfqNameOf = (call: ReadCall<{ as_of?: Date | undefined }>): NamedRfq => ({
  ...momentOf(call),
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
export const listPage = <Row>({ items, next, total }: ListPage<Row>, at: Pick<ApiMoment, 'asOf'> = {}) => ({
  asOf: asOfText(at),
  items,
  nextCursor: next && encodeCursor(next),
  total,
})

/** The answer of a list on one page. */
export const wholeList = <Row>(items: Row[], at: Pick<ApiMoment, 'asOf'> = {}) =>
  listPage({ items, next: null, total: items.length }, at)

/** The answer of a list in the order of its ids, of which there may be more if the page is full. */
export const idPage = <Row extends { id: number }>(items: Row[], limit: number, at: Pick<ApiMoment, 'asOf'> = {}) => ({
  asOf: asOfText(at),
  items,
  nextCursor: items.length < limit ? null : String(items.at(-1)?.id ?? ''),
})

import type { EventRecord } from '../../core/events/events.js'
import { formatAmount, formatCount } from '../../core/text/number-format.js'
import type { RfqNews } from '../../store/contract.js'
import type { TodayContext } from './today-view.js'

/** Changes of one RFQ that are told; the others are counted. */
const MAX_TOLD = 2

/** What changed about an RFQ, in sentences without a full stop. */
export interface ToldChanges {
  changes: string[]
  moreChanges: number
}

/**
 * Reads what happened to RFQs of a channel that have news.
 * @returns the events of each RFQ, oldest first, by its id
 */
export async function eventsOf(
  { source, since, now }: TodayContext,
  channel: string,
  rfqIds: readonly string[],
): Promise<Map<string, EventRecord[]>> {
  const kinds = ['rfq.changed', 'rfq.closed', 'recommendation.changed'] as const
  const found = rfqIds.length === 0 ? [] : await source.store.rfqEvents({ channel, since, until: now, rfqIds, kinds })
  const byRfq = new Map<string, EventRecord[]>()
  for (const event of found) byRfq.set(event.rfqId ?? '', [...(byRfq.get(event.rfqId ?? '') ?? []), event])
  return byRfq
}

/**
 * Tells what changed about an RFQ: the recommendation, the RFQ itself, its offers, in this order.
 * @param isDecided an award is recorded or the RFQ is closed, so that another recommendation means nothing
 */
export function tellChanges(news: RfqNews, events: readonly EventRecord[], isDecided: boolean): ToldChanges {
  const newest = events.findLast(({ kind }) => kind === 'recommendation.changed')
  const all = [
    ...(newest?.data.reason === undefined || isDecided ? [] : [newest.data.reason]),
    ...(news.isNew ? ['New RFQ'] : rfqChanges(events)),
    ...offerChanges(news.offers),
  ]
  return { changes: all.slice(0, MAX_TOLD), moreChanges: Math.max(0, all.length - MAX_TOLD) }
}

/** What changed in the RFQ itself, newest first. */
const rfqChanges = (events: readonly EventRecord[]): string[] => [
  ...new Set(
    events
      .filter(({ kind }) => kind !== 'recommendation.changed')
      .toReversed()
      .flatMap(({ data }) => data.messages ?? [])
      .map((message) => message.replace(/\.$/, '')),
  ),
]

/** `2 new offers, 1 changed`. */
function offerChanges({ added, changed, withdrawn }: RfqNews['offers']): string[] {
  const [first, ...others] = [
    { count: added, what: 'new' },
    { count: changed, what: 'changed' },
    { count: withdrawn, what: 'withdrawn' },
  ].filter(({ count }) => count > 0)
  if (first === undefined) return []
  const rest = others.map(({ count, what }) => `${formatAmount(count)} ${what}`)
  return [[formatCount(first.count, `${first.what} offer`), ...rest].join(', ')]
}

import type { EventRecord, FieldChange } from '../../core/events/events.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatAmount, formatCount, formatPrice, truncate } from '../../core/text/number-format.js'
import type { RfqNews } from '../../store/contract.js'
import type { TodayContext } from './today-view.js'

/** Changes of one RFQ that are told; the others are counted. */
const MAX_TOLD = 2
const MAX_VALUE_LENGTH = 60

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

/** The last change of each field, from its first to its last value. */
function rfqChanges(events: readonly EventRecord[]): string[] {
  const byField = new Map<string, FieldChange>()
  let closed: string | null = null
  for (const { kind, data } of events) {
    if (kind === 'recommendation.changed') continue
    if (kind === 'rfq.closed') closed = data.reason ?? 'closed'
    for (const change of data.changes ?? []) {
      const { before } = byField.get(change.field) ?? change
      byField.delete(change.field)
      byField.set(change.field, { ...change, before })
    }
  }
  const isClosed = byField.get('state')?.after === 'closed'
  const told = [...byField.values()].flatMap((change) =>
    (isClosed && change.field === 'state') || /At$/.test(change.field) || change.before === change.after
      ? []
      : changeText(change),
  )
  return isClosed ? [capitalised(closed ?? 'closed'), ...told] : told
}

const FIELD_NAMES: Record<string, string> = {
  state: 'State',
  title: 'Title',
  responseDueDate: 'Due date',
  fulfilmentDueDate: 'Delivery by',
  minVolume: 'Minimum volume',
  maxVolume: 'Maximum volume',
  minVintageYear: 'First vintage',
  maxVintageYear: 'Last vintage',
  contractTypes: 'Contract types',
  listingIds: 'Listings',
  'pricing.minUnitPrice': 'Minimum price',
  'pricing.maxUnitPrice': 'Maximum price',
  'pricing.currency': 'Currency',
  additionalRequirements: 'Additional requirements',
}

function changeText({ field, before, after }: FieldChange): string {
  if (field === 'listed') return after ? 'Listed again' : 'No longer listed'
  const name = FIELD_NAMES[field] ?? nameOfField(field)
  return `${name} ${valueText(field, before)} → ${valueText(field, after)}`
}

/** `buyerDescription` → `Buyer description`; of a member, the last part. */
const nameOfField = (field: string): string =>
  capitalised(
    (
      field
        .replaceAll(/\[\d+\]/g, '')
        .split('.')
        .at(-1) ?? field
    ).replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`),
  )

function valueText(field: string, value: FieldChange['before']): string {
  if (value === null || value === '') return 'none'
  if (typeof value !== 'number') return truncate(oneLine(String(value)), MAX_VALUE_LENGTH)
  if (field.endsWith('Price')) return formatPrice(value)
  return field.endsWith('Volume') ? `${formatAmount(value)} t` : formatAmount(value)
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

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

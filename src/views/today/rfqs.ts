import { changesOfVersion } from '../../compare/report/document-changes.js'
import { unreadText } from '../../compare/rfq/rfq-flags.js'
import { byCodeUnit } from '../../core/numbers.js'
import type { Revision } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { listPath, rfqPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import type { FirstPolls } from './offers.js'
import { keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-view.js'

/** RFQs of one channel that are named; the others are counted. */
const MAX_RFQS = 20
/** Changes of one RFQ that are named. */
const MAX_CHANGES = 3
/** Revisions of one moment that are looked at: those of the RFQ come first. */
const MAX_REVISIONS = 20

interface RfqNews {
  firstPolls: FirstPolls
  /** The RFQs with news of their offers, which have an item of their own. */
  withOffers: ReadonlySet<string>
}

/** RFQs that are new or changed, or are no longer listed, without news of their offers; newest first. */
export async function rfqItems(context: TodayContext, { firstPolls, withOffers }: RfqNews): Promise<TodayItem[]> {
  const isRecent = (row: RfqListRow, since: Date) => new Date(newestOf(row)) > since && !withOffers.has(keyOf(row))
  const recent = context.rows.filter((row) => isRecent(row, context.since))
  const items: TodayItem[] = []
  for (const channel of new Set(recent.map((row) => row.channel))) {
    // What the first poll of a channel found is no news of each RFQ.
    const first = await firstPolls(channel)
    const since = first !== null && first.end > context.since ? first.end : context.since
    const own = recent.filter((row) => row.channel === channel && isRecent(row, since))
    own.sort((a, b) => byCodeUnit(newestOf(b), newestOf(a)))
    items.push(...(await namedItems(context, own.slice(0, MAX_RFQS), since)))
    if (own.length > MAX_RFQS) items.push(moreItem(channel, own.slice(MAX_RFQS)))
  }
  return items.sort((a, b) => byCodeUnit(b.since ?? '', a.since ?? ''))
}

/** When the RFQ itself was last observed to be different. */
const newestOf = ({ changedAt, missingSince }: RfqListRow): string =>
  missingSince !== null && missingSince > changedAt ? missingSince : changedAt

async function namedItems({ source }: TodayContext, rows: readonly RfqListRow[], since: Date): Promise<TodayItem[]> {
  const [first] = rows
  if (first === undefined) return []
  const { channel } = first
  const known = await source.store.rfqs({ channel, ids: rows.map(({ id }) => id), withoutResponses: true })
  const isNew = new Set(known.flatMap(({ rfq }) => (new Date(rfq.firstObservedAt) > since ? rfq.id : [])))
  const items: TodayItem[] = []
  for (const row of rows) {
    const message = isNew.has(row.id) ? newWords(row) : changeText(await newestRevisions(source, row))
    if (message !== null) items.push(toItem(row, message))
  }
  return items
}

const toItem = (row: RfqListRow, message: string): TodayItem => ({
  kind: 'rfqs',
  severity: 'low',
  ...rfqFields(row.channel, row.id, row),
  message,
  since: newestOf(row),
  action: {
    message: 'See what changed',
    command: `quotekeeper changes --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
    path: rfqPath(row.channel, row.name),
  },
})

function newWords({ responseDueDate, offers, unreadOffers, missingSince }: RfqListRow): string {
  const due = responseDueDate === null ? 'without a due date' : `due ${responseDueDate}`
  const gone = missingSince === null ? '' : '; no longer listed'
  const known = offers === 0 ? 'no offers yet' : formatCount(offers, 'offer')
  return `New, ${due}; ${unreadOffers === 0 ? known : unreadText(unreadOffers)}${gone}.`
}

/** What was observed of the RFQ at that moment: reading all of a long period would take long for each. */
async function newestRevisions({ store }: TodayContext['source'], row: RfqListRow): Promise<Revision[]> {
  const at = new Date(newestOf(row))
  const period = { after: new Date(at.getTime() - 1), asOf: at }
  const revisions = await store.revisions({ channel: row.channel, rfqId: row.id, ...period, limit: MAX_REVISIONS })
  return revisions.filter(({ kind, event }) => kind === 'rfq' && event !== 'recommendation')
}

/** Null if nothing but the offers changed, which are part of the document of the RFQ. */
function changeText(revisions: readonly Revision[]): string | null {
  const changes = revisions.flatMap(changesOf)
  if (changes.length === 0) return null
  const more = changes.length > MAX_CHANGES ? `; and ${changes.length - MAX_CHANGES} more` : ''
  return `Changed: ${changes.slice(0, MAX_CHANGES).join('; ')}${more}.`
}

function changesOf({ event, version, previous, seenBy }: Revision): string[] {
  if (event === 'missing') return ['no longer listed']
  if (event === 'returned') return ['listed again']
  // That an RFQ could be read, of which only the list entry was known, is no change of it.
  if (version === null || (previous !== null && previous.shape !== version.shape)) return []
  const changes = changesOfVersion(previous, version, { labels: new Map(), asOf: seenBy })
  // When it was closed or opened is shown with its state.
  const named = changes.filter(({ field }) => !/At$/.test(field ?? ''))
  return (named.length > 0 ? named : changes).map(({ message }) => message.replace(/^RFQ: /, '').replace(/\.$/, ''))
}

function moreItem(channel: string, rows: readonly RfqListRow[]): TodayItem {
  return {
    kind: 'rfqs',
    severity: 'low',
    ...NO_RFQ,
    channel,
    message: `${formatCount(rows.length, 'more RFQ')} may be new or changed.`,
    since: rows.map(newestOf).sort().at(-1) ?? null,
    action: {
      message: 'List the changes',
      command: `quotekeeper changes ${onChannel(channel)}`,
      path: listPath('changes', channel),
    },
  }
}

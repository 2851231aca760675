import { awardText } from '../../compare/decision/award-state.js'
import { unreadText } from '../../compare/rfq/rfq-flags.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { byCodeUnit } from '../../core/numbers.js'
import type { OfferRevisions } from '../../core/records.js'
import { formatCount, formatDaysFromToday, formatPricePerTonne } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { RfqFigures } from '../../recommendations/rfq-figures.js'
import { channelPath, rfqPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { listedText } from './listed.js'
import { keyOf, NO_RFQ, onChannel, rfqFields, sentences, type TodayContext, type TodayItem } from './today-view.js'

/** Open RFQs that are due soon. */
export async function dueItems({
  rows,
  source,
  now,
  asOf,
  dueWithinDays,
  awarded,
}: TodayContext): Promise<TodayItem[]> {
  const due = rows.filter(
    ({ state, daysToDue, missingSince }) =>
      state === 'open' && missingSince === null && daysToDue !== null && daysToDue >= 0 && daysToDue <= dueWithinDays,
  )
  const figures = await source.rfqs.figures(due, { now, ...(asOf && { asOf }) })
  return due.map((row, at) => ({
    kind: 'due',
    severity: (row.daysToDue ?? 0) <= 1 ? 'high' : 'medium',
    ...rfqFields(row.channel, row.id, row),
    message: sentences(
      `Due ${formatDaysFromToday(row.daysToDue ?? 0)} (${row.responseDueDate}).`,
      listedText(row),
      awardedText(awarded.get(keyOf(row))) ?? offerText(row, figures[at]),
    ),
    since: null,
    action: compareAction(row),
  }))
}

/** What the desk decided already. */
const awardedText = (award: AwardRecord | undefined) =>
  award === undefined ? undefined : `Awarded: ${awardText(award)}.`

/** How many offers there are, and whom to award. */
export function offerText(row: Pick<RfqListRow, 'offers' | 'unreadOffers'>, figures: RfqFigures | undefined): string {
  const newer = figures?.newerTerms ?? 0
  const said = newer === 0 ? '' : ` Of ${formatCount(newer, 'offer')} the RFQ shows newer terms than were read.`
  return `${knownWords(row, figures)}${said}`
}

function knownWords(
  { offers, unreadOffers }: Pick<RfqListRow, 'offers' | 'unreadOffers'>,
  figures: RfqFigures | undefined,
): string {
  if (figures?.accepted) return figures.accepted.message
  if (unreadOffers > 0) return `${unreadText(unreadOffers)}.`
  if (offers === 0) return 'No offers yet.'
  const notRead = figures?.summaryOnly ?? 0
  const count =
    formatCount(offers, 'offer') + (notRead === 0 ? '' : ` (of ${notRead} only the summary was read so far)`)
  if (figures?.award) return `${count}. ${figures.award.message}`
  if (figures === undefined || figures.bestPricePerTonne === null) return `${count}; none can be awarded.`
  const best = formatPricePerTonne(figures.bestPricePerTonne, figures.currency)
  return `${count}, of which ${figures.ranked} can be awarded; the best price is ${best}.`
}

const compareAction = ({ channel, name }: RfqListRow) => ({
  message: 'Compare the offers',
  command: `quotekeeper compare ${quoteForShell(name)} ${onChannel(channel)}`,
  path: rfqPath(channel, name),
})

/** One item per RFQ. For a channel that was first polled in the period, what that poll found is one item. */
export async function offerItems(context: TodayContext, firstPolls: FirstPolls): Promise<TodayItem[]> {
  const { source, since, now } = context
  const items: TodayItem[] = []
  for (const channel of context.channels) {
    const first = await firstPolls(channel)
    const isNew = first !== null && first.end > since
    if (isNew) items.push(await firstPollItem(context, channel, first.start))
    const after = isNew ? first.end : since
    const revisions = await source.store.offerRevisions({ channel, after, asOf: now })
    const rows = await context.rowsOf(revisions)
    items.push(
      ...revisions.flatMap((revision) => rfqOffersItem(revision, rows.get(keyOf({ channel, id: revision.rfqId })))),
    )
  }
  return items.sort((a, b) => byCodeUnit(b.since ?? '', a.since ?? ''))
}

/** When the first poll of a channel's RFQs began and ended; null if there was none. */
export type FirstPolls = (channel: string) => Promise<{ start: string; end: Date } | null>

/** Looks each channel up once. */
export function createFirstPolls(source: TodayContext['source'], now: Date): FirstPolls {
  const known = new Map<string, ReturnType<FirstPolls>>()
  return (channel) => {
    const poll = known.get(channel) ?? firstPollOf(source, channel, now)
    known.set(channel, poll)
    return poll
  }
}

/** More than a month of polls; older ones that found nothing are folded. */
const MAX_POLLS = 10_000

/** When the first poll of a channel's RFQs began and ended; until now if it is still running. */
async function firstPollOf(
  { store }: TodayContext['source'],
  channel: string,
  now: Date,
): Promise<{ start: string; end: Date } | null> {
  const start = await store.firstPollAt({ channel, kind: 'rfqs' })
  if (start === null) return null
  const polls = await store.runs({ channel, kind: 'rfqs', limit: MAX_POLLS })
  const first = polls.findLast(({ startedAt, finishedAt }) => startedAt <= start && (finishedAt ?? start) >= start)
  if (first === undefined) return { start, end: new Date(start) }
  return { start, end: first.finishedAt === null ? now : new Date(first.finishedAt) }
}

async function firstPollItem({ source }: TodayContext, channel: string, since: string): Promise<TodayItem> {
  const found = await source.store.foundByFirstPoll(channel)
  const what = found === null ? '' : `: ${formatCount(found.offers, 'offer')} for ${formatCount(found.rfqs, 'RFQ')}`
  return {
    kind: 'offers',
    severity: 'low',
    ...NO_RFQ,
    channel,
    message: `First polled${what}.`,
    since,
    action: {
      message: 'List the RFQs',
      command: `quotekeeper rfqs ${onChannel(channel)}`,
      path: channelPath(channel),
    },
  }
}

function rfqOffersItem(revision: OfferRevisions, row: RfqListRow | undefined): TodayItem[] {
  if (row === undefined) return []
  const { added, changed, missing, newestAt } = revision
  const parts = [
    added > 0 ? `${added} new` : '',
    changed > 0 ? `${changed} changed` : '',
    missing > 0 ? `${missing} withdrawn` : '',
  ].filter((part) => part !== '')
  const noun = added + changed + missing === 1 ? 'offer' : 'offers'
  return [
    {
      kind: 'offers',
      severity: 'low',
      ...rfqFields(row.channel, row.id, row),
      message: `${parts.join(', ')} ${noun}${row.state === 'open' ? '' : `; the RFQ is ${row.state ?? 'in an unknown state'}`}.`,
      since: newestAt,
      action: {
        message: 'See what changed',
        command: `quotekeeper changes --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
        path: rfqPath(row.channel, row.name),
      },
    },
  ]
}

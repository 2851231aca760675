import { formatCount, formatPercent, formatPricePerTonne } from '../domain/comparison/number-format.js'
import { byCodeUnit } from '../domain/comparison/numbers.js'
import type { OfferRevisions } from '../domain/records.js'
import { quoteForShell } from '../quote-for-shell.js'
import { channelPath, rfqPath } from './page-paths.js'
import type { RfqFigures, RfqListRow } from './rfq-list.js'
import { about, filterOf, keyOf, NO_RFQ, onChannel, type TodayContext, type TodayItem } from './today-model.js'

/** Open RFQs that are due soon. */
export async function dueItems({ rows, source, now, dueWithinDays }: TodayContext): Promise<TodayItem[]> {
  const due = rows.filter(
    ({ state, daysToDue, missingSince }) =>
      state === 'open' && missingSince === null && daysToDue !== null && daysToDue >= 0 && daysToDue <= dueWithinDays,
  )
  const figures = await source.rfqs.figures(due, { now })
  return due.map((row, at) => ({
    kind: 'due',
    severity: (row.daysToDue ?? 0) <= 1 ? 'high' : 'medium',
    ...about(row.channel, row.id, row),
    words: `Due ${daysWords(row.daysToDue ?? 0)} (${row.responseDueDate}). ${offerWords(row, figures[at])}`,
    since: null,
    action: compareAction(row),
  }))
}

const daysWords = (days: number) => (days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`)

function offerWords({ offers }: RfqListRow, figures: RfqFigures | undefined): string {
  if (offers === 0) return 'No offers yet.'
  const count = formatCount(offers, 'offer')
  if (figures === undefined || figures.bestPricePerTonne === null) return `${count}, none can be ranked.`
  const best = `best price ${formatPricePerTonne(figures.bestPricePerTonne, figures.currency)}`
  const covers = figures.coverage === null ? '' : `, ${formatPercent(figures.coverage)} of the wanted volume covered`
  return `${count}, ${best}${covers}.`
}

const compareAction = ({ channel, name }: RfqListRow) => ({
  words: 'Compare the offers',
  command: `quotekeeper compare ${quoteForShell(name)} ${onChannel(channel)}`,
  path: rfqPath(channel, name),
})

/** One item per RFQ; or one per channel if the channel was first polled in the period, so that all its offers are new. */
export async function offerItems(context: TodayContext): Promise<TodayItem[]> {
  const { source, since, now, byId } = context
  const revisions = await source.store.offerRevisions({ ...filterOf(context), after: since, asOf: now })
  const items: TodayItem[] = []
  for (const channel of new Set(revisions.map((revision) => revision.channel))) {
    const own = revisions.filter((revision) => revision.channel === channel)
    const first = await source.store.firstPollAt({ channel, kind: 'rfqs' })
    if (first !== null && new Date(first) > since) items.push(firstPollItem(channel, first, own))
    else
      items.push(
        ...own.flatMap((revision) => rfqOffersItem(revision, byId.get(keyOf({ channel, id: revision.rfqId })))),
      )
  }
  return items.sort((a, b) => byCodeUnit(b.since ?? '', a.since ?? ''))
}

function firstPollItem(channel: string, since: string, revisions: readonly OfferRevisions[]): TodayItem {
  const offers = revisions.reduce((sum, { added }) => sum + added, 0)
  return {
    kind: 'offers',
    severity: 'low',
    ...NO_RFQ,
    channel,
    words: `First polled: ${formatCount(offers, 'offer')} for ${formatCount(revisions.length, 'RFQ')}.`,
    since,
    action: {
      words: 'List the RFQs',
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
      ...about(row.channel, row.id, row),
      words: `${parts.join(', ')} ${noun}${row.state === 'open' ? '' : `; the RFQ is ${row.state ?? 'in an unknown state'}`}.`,
      since: newestAt,
      action: {
        words: 'See what changed',
        command: `quotekeeper history ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
        path: rfqPath(row.channel, row.name),
      },
    },
  ]
}

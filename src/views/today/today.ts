import type { Severity } from '../../compare/flag.js'
import { nameById } from '../../core/text/rfq-name.js'
import { addDays } from '../../core/time/zoned-time.js'
import { byUrgency, type RfqListRow } from '../rfqs/rfq-list.js'
import { awardItems } from './awards.js'
import { behindItems, problemItems, undeliveredItems } from './channels.js'
import { closingItems, pastOverdueItems } from './closing.js'
import { listedItems } from './listed.js'
import { createFirstPolls, dueItems, offerItems } from './offers.js'
import { recommendationItems } from './recommendations.js'
import { rfqItems } from './rfqs.js'
import {
  DUE_WITHIN_DAYS,
  filterOf,
  keyOf,
  type Today,
  type TodayContext,
  type TodayOptions,
  type TodaySource,
} from './today-view.js'

/** What needs attention, most urgent first. */
export async function today(source: TodaySource, options: TodayOptions): Promise<Today> {
  const { asOf, since, dueWithinDays = DUE_WITHIN_DAYS } = options
  const now = asOf ?? options.now
  const moment = { now, ...(asOf && { asOf }) }
  const firstPolls = createFirstPolls(source, now)
  const channels = options.channel === undefined ? await source.store.storedChannels() : [options.channel]
  const rows: RfqListRow[] = []
  for (const channel of channels) {
    const first = await firstPolls(channel)
    const newsOf = {
      // In whatever time zone the channel is.
      dueBy: addDays(now.toISOString().slice(0, 10), dueWithinDays + 1),
      // What a first poll found is no news of each RFQ.
      since: first !== null && first.end > since ? first.end : since,
    }
    rows.push(...(await source.rfqs.rows({ ...moment, channel, newsOf })))
  }
  rows.sort(byUrgency)
  // What the items lead to is shown as it is now, when another RFQ may have the number.
  if (asOf !== undefined) for (const row of rows) row.name = nameById(row.id)
  const standing = await source.store.awards({ ...filterOf(options), standing: true, ...(asOf && { asOf }) })
  const awarded = new Map(standing.map((award) => [keyOf({ channel: award.channel, id: award.rfqId }), award]))
  const context: TodayContext = {
    ...options,
    now,
    dueWithinDays,
    source,
    channels,
    rows,
    awarded,
    rowsOf: createRowLookup(source, rows, moment),
  }
  const offers = await offerItems(context, firstPolls)
  const withOffers = new Set(offers.flatMap(({ channel, rfqId: id }) => (id === null ? [] : [keyOf({ channel, id })])))
  const due = await dueItems(context)
  const fromHistory = [await recommendationItems(context), offers, await rfqItems(context, { firstPolls, withOffers })]
  const closing = asOf === undefined ? await closingItems(context) : await pastOverdueItems(context)
  const awards = await awardItems(context)
  const named = [...due, ...closing.filter(({ kind }) => kind === 'overdue')]
  const groups =
    asOf === undefined
      ? [
          closing,
          awards,
          await behindItems(context),
          await undeliveredItems(context),
          due,
          listedItems(context, named),
          ...fromHistory,
          await problemItems(context),
        ]
      : [closing, awards, due, listedItems(context, named), ...fromHistory]
  // The sort is stable: items of one severity keep the order of the groups.
  const items = groups.flat().sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  return { asOf: now.toISOString(), since: since.toISOString(), dueWithinDays, items }
}

/** Rows that are known are not read again. */
function createRowLookup(
  { rfqs }: TodaySource,
  rows: readonly RfqListRow[],
  moment: { now: Date; asOf?: Date },
): TodayContext['rowsOf'] {
  const known = new Map(rows.map((row) => [keyOf(row), row]))
  return async (wanted) => {
    const missing = wanted.filter(({ channel, rfqId }) => !known.has(keyOf({ channel, id: rfqId })))
    // Of a past moment, all rows are known.
    if (moment.asOf !== undefined) return known
    for (const channel of new Set(missing.map((each) => each.channel))) {
      const ids = missing.flatMap((each) => (each.channel === channel ? each.rfqId : []))
      for (const row of await rfqs.rows({ ...moment, channel, ids })) known.set(keyOf(row), row)
    }
    return known
  }
}

const SEVERITIES: readonly Severity[] = ['high', 'medium', 'low']

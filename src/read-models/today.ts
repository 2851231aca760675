import type { Severity } from '../domain/comparison/flag.js'
import { behindItems, problemItems, undeliveredItems } from './today-channels.js'
import { closingItems } from './today-closing.js'
import {
  DUE_WITHIN_DAYS,
  filterOf,
  keyOf,
  type Today,
  type TodayContext,
  type TodayOptions,
  type TodaySource,
} from './today-model.js'
import { createFirstPolls, dueItems, offerItems } from './today-offers.js'
import { rfqItems } from './today-rfqs.js'

/** What needs a person, most urgent first. */
export async function today(source: TodaySource, options: TodayOptions): Promise<Today> {
  const { now, since, dueWithinDays = DUE_WITHIN_DAYS } = options
  const rows = await source.rfqs.rows({ ...filterOf(options), now })
  const byId = new Map(rows.map((row) => [keyOf(row), row]))
  const context: TodayContext = { ...options, dueWithinDays, source, rows, byId }
  const firstPolls = createFirstPolls(source, now)
  const offers = await offerItems(context, firstPolls)
  const withOffers = new Set(offers.flatMap(({ channel, rfqId: id }) => (id === null ? [] : [keyOf({ channel, id })])))
  const groups = [
    await closingItems(context),
    await behindItems(context),
    await undeliveredItems(context),
    await dueItems(context),
    offers,
    await rfqItems(context, { firstPolls, withOffers }),
    await problemItems(context),
  ]
  // The sort is stable: items of one severity keep the order of the groups.
  const items = groups.flat().sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  return { asOf: now.toISOString(), since: since.toISOString(), dueWithinDays, items }
}

const SEVERITIES: readonly Severity[] = ['high', 'medium', 'low']

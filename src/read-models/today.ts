import type { Severity } from '../compare/flag.js'
import { nameById } from '../core/rfq-name.js'
import { awardItems } from './today-awards.js'
import { behindItems, problemItems, undeliveredItems } from './today-channels.js'
import { closingItems, pastOverdueItems } from './today-closing.js'
import { listedItems } from './today-listed.js'
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
import { recommendationItems } from './today-recommendations.js'
import { rfqItems } from './today-rfqs.js'

/** What needs a person, most urgent first. */
export async function today(source: TodaySource, options: TodayOptions): Promise<Today> {
  const { asOf, since, dueWithinDays = DUE_WITHIN_DAYS } = options
  const now = asOf ?? options.now
  const rows = await source.rfqs.rows({ ...filterOf(options), now, ...(asOf && { asOf }) })
  // What the items lead to is shown as it is now, when another RFQ may have the number.
  if (asOf !== undefined) for (const row of rows) row.name = nameById(row.id)
  const byId = new Map(rows.map((row) => [keyOf(row), row]))
  const context: TodayContext = { ...options, now, dueWithinDays, source, rows, byId }
  const firstPolls = createFirstPolls(source, now)
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

const SEVERITIES: readonly Severity[] = ['high', 'medium', 'low']

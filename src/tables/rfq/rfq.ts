import { z } from 'zod'
import { parseStoredRfq } from '../../compare/input/stored-documents.js'
import { rfqFacts } from '../../compare/rfq/rfq-terms.js'
import type { Settings } from '../../core/decision/settings.js'
import { dueOf } from '../channels/channel-rules.js'
import { findRfq, type RfqAddress, type RfqRef } from '../find-rfq.js'
import { body, channelKey, count, nullableNumber, nullableText, observation, observationOf, text } from '../schema.js'
import type { ViewSource } from '../source.js'
import { type PriceHistory, type PriceQuery, priceHistoryOf } from './price-history.js'
import { type RfqView, rfqView } from './rfq-view.js'

/** An RFQ with its document. */
export const rfqDetail = z
  .strictObject({
    channel: channelKey,
    id: text,
    name: text.describe('What to call it in paths and commands.'),
    number: nullableNumber,
    reference: nullableText,
    title: nullableText,
    state: nullableText.describe('`open`, `closed`, or what else the marketplace sent.'),
    responseDueDate: nullableText,
    fulfilmentDueDate: nullableText,
    minVolume: nullableNumber,
    maxVolume: nullableNumber,
    minUnitPrice: nullableNumber,
    maxUnitPrice: nullableNumber,
    currency: nullableText,
    daysToDue: z.int().nullable().describe('Negative after the due date. Counted in `timeZone`.'),
    timeZone: text.describe("The channel's, in which due dates end at midnight."),
    overdue: z.boolean().describe('Open, past due and past the grace period.'),
    offers: count.describe('Offers that are not missing.'),
    unreadOffers: count.describe('Offers that the list shows of an RFQ that was never read itself.'),
    readState: z
      .enum(['read', 'changed-since-read', 'not-read'])
      .describe(
        'Whether it was read itself, and whether its entry in the list changed since. `not-read` shows the entry.',
      ),
    closedAt: nullableText,
    ...observation,
    body,
  })
  .meta({ id: 'Rfq' })
type RfqDetail = z.infer<typeof rfqDetail>

/** The comparison of the offers for an RFQ, and how the RFQ is called. */
export interface NamedRfqView extends RfqRef {
  view: RfqView
}

/** One RFQ. All of them throw FilterError for a name that leads to none. */
export const rfqViews = (source: ViewSource) => ({
  async rfq(address: RfqAddress): Promise<RfqDetail> {
    const { rfq, responses, channel, id, name } = await findRfq(source.store, address)
    const parsed = parseStoredRfq(rfq)
    const terms = rfqFacts(parsed)
    const { state, responseDueDate: dueDate } = terms
    return {
      ...{ channel, id, name },
      ...terms,
      ...dueOf({ state, dueDate }, source.rulesOf(channel), address.asOf ?? address.now),
      offers: responses.filter(({ missingSince }) => missingSince === null).length,
      closedAt: parsed.document?.closedAt ?? null,
      ...observationOf(rfq),
      body: rfq.body,
    }
  },
  /** @param address.settings those that were asked for; default: the configured ones */
  async comparison(address: RfqAddress & { settings?: Settings }): Promise<NamedRfqView> {
    const ref = await source.findRfq(address)
    return { ...ref, view: rfqView(await source.compare({ ...address, channel: ref.channel, rfqId: ref.id })) }
  },
  /** The prices of some offers for an RFQ until a moment. */
  prices: (query: PriceQuery): Promise<PriceHistory[]> => priceHistoryOf(source.store, query),
})

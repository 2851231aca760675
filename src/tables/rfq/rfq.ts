import { z } from 'zod'
import { parseStoredRfq } from '../../compare/input/stored-documents.js'
import { rfqFacts } from '../../compare/rfq/rfq-terms.js'
import type { Settings } from '../../core/decision/settings.js'
import { dueOf } from '../channels/channel-rules.js'
import { findRfq, type RfqAddress, type RfqRef } from '../find-rfq.js'
import { RFQ_FACTS } from '../lists/rfqs.js'
import { jsonRow, jsonSchema } from '../print/json.js'
import { body, count, nullableText, observation, observationOf } from '../schema.js'
import type { ViewSource } from '../source.js'
import { pricesOf } from './price-history.js'
import { type RfqView, rfqView } from './rfq-view.js'

/** An RFQ with its document, as programs get it. */
export const rfqSchema = jsonSchema(RFQ_FACTS)
  .extend({
    offers: count.describe('Offers that are not missing.'),
    overdue: z.boolean().describe('Open, past due and past the grace period.'),
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

/** The comparison of the offers for an RFQ, and how the RFQ is called. */
export interface NamedRfqView extends RfqRef {
  view: RfqView
}

/** One RFQ. All of them throw FilterError for a name that leads to none. */
export const rfqViews = (source: ViewSource) => ({
  async rfq(address: RfqAddress): Promise<z.infer<typeof rfqSchema>> {
    const { rfq, responses, channel, id, name } = await findRfq(source.store, address)
    const parsed = parseStoredRfq(rfq)
    const facts = rfqFacts(parsed)
    const { state, responseDueDate: dueDate, readState } = facts
    const due = dueOf({ state, dueDate }, source.rulesOf(channel), address.asOf ?? address.now)
    return {
      ...jsonRow(RFQ_FACTS, { ...facts, ...due, channel, id, name }),
      offers: responses.filter(({ missingSince }) => missingSince === null).length,
      ...{ overdue: due.overdue, readState, closedAt: parsed.document?.closedAt ?? null },
      ...observationOf(rfq),
      body: rfq.body,
    }
  },
  /** @param address.settings those that were asked for; default: the configured ones */
  async comparison(address: Parameters<ViewSource['findRfq']>[0] & { settings?: Settings }): Promise<NamedRfqView> {
    const ref = await source.findRfq(address)
    return { ...ref, view: rfqView(await source.compare({ ...address, channel: ref.channel, rfqId: ref.id })) }
  },
  prices: (rfq: Parameters<typeof pricesOf>[1]) => pricesOf(source.store, rfq),
})

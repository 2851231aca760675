import { z } from 'zod'
import type { Settings } from '../../core/decision/settings.js'
import { parseStored } from '../../core/documents/observation.js'
import { factsOf } from '../../recommendations/rfq-facts.js'
import { bodyOf, documentBody, observation, observationOf } from '../document.js'
import { type Lookup, type RfqAddress, type RfqRef, withRfq } from '../find-rfq.js'
import { channelDates, dueOf } from '../rfqs/rfq-list.js'
import { rfqTerms } from '../rfqs/rfqs.js'
import { nullableText } from '../schema.js'
import type { ViewSource } from '../source.js'
import { type RfqView, rfqView } from './rfq-view.js'
import { momentsOf, priceHistoryOf } from './timeline.js'

export const rfqDetail = z
  .strictObject({ ...rfqTerms, closedAt: nullableText, ...observation, ...documentBody })
  .meta({ id: 'Rfq' })
/** An RFQ with its document. */
export type RfqDetail = z.infer<typeof rfqDetail>

/** The comparison of the offers for an RFQ, and how the RFQ is called. */
export interface NamedRfqView extends RfqRef {
  view: RfqView
}

/** One RFQ. */
export const rfqViews = (source: ViewSource) => ({
  rfq: (address: RfqAddress): Promise<Lookup<RfqDetail>> =>
    withRfq(source.store, address, async ({ rfq, responses }, { name }) => {
      const facts = factsOf(rfq)
      const { names: _names, ...terms } = facts
      const dates = channelDates(source.rulesOf(rfq.channel), address.asOf ?? address.now)
      return {
        ...{ channel: rfq.channel, id: rfq.id, name },
        ...terms,
        ...dueOf(facts, dates),
        offers: responses.filter(({ missingSince }) => missingSince === null).length,
        closedAt: parseStored('rfq', rfq.shape, rfq.body).document?.closedAt ?? null,
        ...observationOf(rfq),
        ...bodyOf(rfq),
      }
    }),
  /** @param address.settings those that were asked for; default: those in force at the moment */
  comparison: ({ settings, ...address }: RfqAddress & { settings?: Settings }): Promise<Lookup<NamedRfqView>> =>
    withRfq(source.store, { ...address, withoutResponses: true }, async ({ rfq }, ref) => ({
      ...ref,
      view: rfqView(await source.compare(rfq, address, settings)),
    })),
  /** When an RFQ and its offers changed, newest first, whatever the moment of a page; and the prices of some offers until then. */
  async timeline({ channel, id: rfqId, offerIds, asOf }: TimelineQuery) {
    const [moments, prices] = await Promise.all([
      momentsOf(source.store, { channel, rfqId }),
      priceHistoryOf(source.store, { channel, rfqId, offerIds, asOf }),
    ])
    return { moments, prices }
  },
})

interface TimelineQuery {
  channel: string
  id: string
  offerIds: readonly string[]
  asOf: Date
}

import { z } from 'zod'
import type { OfferDetail, OfferItem } from '../../tables/offer/offer.js'
import type { RfqDetail } from '../../tables/rfq/rfq.js'
import type { RfqView } from '../../tables/rfq/rfq-view.js'
import { KNOWN_SETTINGS } from '../../tables/settings.js'
import { documentMembers, fitAnswer, MAX_ANSWER, shorten } from '../answer-size.js'
import { pageOf, ToolCall, ToolError } from '../tool-call.js'
import { asOf, identifier, ofRfq, paging } from './arguments.js'
import { sourceOf, tool } from './tool.js'

const setting = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

export const rfqTools = [
  tool({
    name: 'get_rfq',
    title: 'One RFQ with its offers',
    description:
      'One RFQ: its terms, its document as the marketplace sent it, and its offers in the order of their numbers. ' +
      'compare_offers ranks them.',
    input: z.strictObject({ ...ofRfq, ...asOf, ...paging('Offers') }),
    async answer({ as_of, limit, cursor, ...name }, deps) {
      const call = await ToolCall.begin(deps, as_of)
      const found = await call.findRfq(name)
      const rfq = await call.readRfq<RfqDetail>('readRfq', found)
      const { items } = await call.readRfq<{ items: OfferItem[] }>('listOffers', found)
      return fitAnswer(limit, (maxItems) => {
        const page = pageOf(items, ({ id }) => id, { cursor, limit: maxItems })
        return call.answer(found.channel, {
          rfq: {
            ...known('rfq', rfq),
            ...documentMembers(withoutResponses(rfq)),
          },
          offers: { ...page, items: page.items.map((offer) => known('offer', offer)) },
        })
      })
    },
  }),
  tool({
    name: 'get_offer',
    title: 'One offer with its versions',
    description:
      'One offer: its terms, every version with what it changed, newest first, and the document of one version as the ' +
      'marketplace sent it.',
    input: z.strictObject({
      ...ofRfq,
      offer: identifier.describe('Id of the offer, as get_rfq and compare_offers have it.'),
      version: z.int().min(1).optional().describe('Whose document to show. Default: the newest.'),
      ...asOf,
      ...paging('Versions'),
    }),
    async answer({ as_of, limit, cursor, offer: id, version, ...name }, deps) {
      const call = await ToolCall.begin(deps, as_of)
      const found = await call.findRfq(name)
      const { versions, ...offer } = await call.readRfq<OfferDetail>('readOffer', found, {}, { offer: id })
      const shown = version === undefined ? offer : versions.find((each) => each.version === version)
      if (shown === undefined)
        throw new ToolError(`version ${version} of the offer is not known; known are 1 to ${offer.version}`)
      const rows = versions.map(({ body: _body, bodyText: _text, version: number, observedAt, ...row }) => ({
        ...row,
        ...sourceOf('offer', id, number, observedAt),
      }))
      return fitAnswer(limit, (maxItems) =>
        call.answer(found.channel, {
          offer: known('offer', offer),
          document: { ...sourceOf('offer', id, shown.version, shown.observedAt), ...documentMembers(shown) },
          versions: pageOf(rows, ({ source }) => String(source.version), { cursor, limit: maxItems }),
        }),
      )
    },
  }),
  tool({
    name: 'compare_offers',
    title: 'Comparison of the offers for an RFQ',
    description:
      'Whom to award, why, what to check first and what would change it; the awards to choose from; what to ask developers; then the ' +
      'offers by rank: price per tonne, coverage, what each does not meet, warnings. With other settings it answers what-if ' +
      'questions.',
    input: z.strictObject({
      ...ofRfq,
      settings: z
        .record(z.string().max(100), setting)
        .optional()
        .describe(
          `Settings of the comparison to replace for this answer, such as {"volume": 5000, "awardTolerance": 0}. ` +
            `Known: ${KNOWN_SETTINGS.join(', ')}.`,
        ),
      ...asOf,
      ...paging('Offers', 15),
    }),
    async answer({ as_of, limit, cursor, settings = {}, ...name }, deps) {
      const call = await ToolCall.begin(deps, as_of)
      const found = await call.findRfq(name)
      const replaced = Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)]))
      const view = await call.readRfq<RfqView>('compareOffers', found, replaced)
      const { offers, asOf: _asOf, generatedAt: _generatedAt, ...content } = view
      const { source, ...rfq } = view.rfq
      // Awards and questions of hundreds of offers would leave no room for the offers themselves.
      const decided = shorten(content, MAX_ANSWER / 2)
      return fitAnswer(limit, (maxItems) => {
        const page = pageOf(offers, ({ id }) => id, { cursor, limit: maxItems })
        return call.answer(found.channel, {
          ...decided,
          settingsReplaced: Object.keys(replaced),
          rfq: { ...rfq, ...sourceOf('rfq', source.id, source.version, source.observedAt) },
          offers: { ...page, items: page.items.map((offer) => known('offer', offer)) },
        })
      })
    },
  }),
]

/** A document without its text, and the version it was read from. */
function known<Known extends { id: string; version: number; observedAt: string; body?: unknown; bodyText?: unknown }>(
  document: 'rfq' | 'offer',
  { body: _body, bodyText: _text, version, observedAt, ...terms }: Known,
) {
  return { ...terms, ...sourceOf(document, String((terms as unknown as Known).id), version, observedAt) }
}

/** The responses inside the document of an RFQ are short forms of its offers. */
function withoutResponses({ body, bodyText }: Pick<RfqDetail, 'body' | 'bodyText'>) {
  if (bodyText !== null || body === null || typeof body !== 'object') return { body, bodyText }
  const { responses: _responses, ...document } = body as { responses?: unknown }
  return { body: document, bodyText }
}

import { z } from 'zod'
import type { OfferReport } from '../../compare/offer/offer-report-model.js'
import { changesOfVersion } from '../../core/changes/describe-changes.js'
import type { Settings } from '../../core/decision/settings.js'
import { comparableId } from '../../core/documents/identifier.js'
import { withRoundedNumbers } from '../../core/text/number-format.js'
import { FilterError } from '../filter-error.js'
import { findRfq, type RfqAddress } from '../find-rfq.js'
import { jsonRow, jsonRows, jsonSchema } from '../print/json.js'
import { rfqView } from '../rfq/rfq-view.js'
import {
  body,
  channelKey,
  nullableText,
  observation,
  observationOf,
  pick,
  text,
  timestamp,
  unvalidated,
} from '../schema.js'
import type { ViewSource } from '../source.js'
import { DELIVERY_COLUMNS, offerLines, offerPrepayments, PREPAYMENT_COLUMNS } from './offer-lines.js'
import { OFFER_COLUMNS } from './offer-view.js'

const versionSchema = z.strictObject({
  version: z.int().min(1),
  contentHash: text,
  notBefore: timestamp.nullable(),
  observedAt: timestamp,
  supersededAt: timestamp.nullable(),
  valid: z.boolean(),
  summaryOnly: z.boolean().describe('Only the summary within the RFQ was known.'),
  changes: z.array(text).describe('One sentence per difference to the version before; empty for the first.'),
  body,
})
export type OfferVersion = z.infer<typeof versionSchema>

const moreSchema = z.strictObject({
  ...{ channel: channelKey, rfqId: text },
  ...observation,
  asOf: timestamp,
  rateMessage: nullableText.describe('That rate and its source; null if the offer has the currency of the comparison.'),
  metrics: unvalidated<OfferReport['metrics']>().describe('Every figure, and why there is no price.'),
  review: unvalidated<OfferReport['terms']['review']>(),
  questions: z.array(text).describe('What to ask the developer about it.'),
  breakEven: nullableText.describe(
    'Up to which price it stays in the recommended award; null if it is not part of it, or if that is not known.',
  ),
  versions: z.array(versionSchema).describe('Newest first.'),
  body,
})

/** One offer as programs get it. */
export const offerSchema = jsonSchema(OFFER_COLUMNS)
  .extend(moreSchema.shape)
  .extend({
    lines: z.array(jsonSchema(DELIVERY_COLUMNS)).describe('Its deliveries and their vintages.'),
    prepayments: z.array(jsonSchema(PREPAYMENT_COLUMNS)),
  })
  .meta({ id: 'Offer' })

/** One offer with everything behind its figures, and its versions. */
export type OfferDetail = Awaited<ReturnType<typeof readOffer>>

/** The offer as `offerSchema` describes it. */
export const offerJson = (offer: OfferDetail): z.input<typeof offerSchema> => ({
  ...jsonRow(OFFER_COLUMNS, offer),
  ...pick(moreSchema, { ...offer, metrics: withRoundedNumbers(offer.metrics), review: offer.terms.review }),
  lines: jsonRows(DELIVERY_COLUMNS, offer.lines),
  prepayments: jsonRows(PREPAYMENT_COLUMNS, offer.prepayments),
})

export interface OfferAddress extends RfqAddress {
  /** Its id or its number. */
  offer: string
  /** Default: the configured ones. */
  settings?: Settings
  /** Whether to return every version with its document. Default true. */
  withDocuments?: boolean
}

/** @throws FilterError for a name that leads to no RFQ, or to no offer of it */
export async function readOffer(source: ViewSource, address: OfferAddress) {
  const { asOf, withDocuments = true } = address
  const { channel, id: rfqId, name, responses } = await findRfq(source.store, address)
  const { decision, currency, offers, ...report } = rfqView(await source.compare({ ...address, channel, rfqId }))
  const offer =
    offers.find(({ id }) => comparableId(id) === comparableId(address.offer)) ??
    offers.find(({ sequence }) => String(sequence) === address.offer)
  const response = responses.find(({ id }) => id === offer?.id)
  // Without one that was observed after the RFQ was found.
  if (response === undefined || offer === undefined) {
    const message = `RFQ ${name} of ${channel} has no offer ${address.offer}${asOf ? ' at this moment' : ''}`
    throw new FilterError('offer', message, 404)
  }
  const history = await source.store.rfqHistory(channel, rfqId, asOf)
  const versions = history.filter(({ kind, id }) => kind === 'response' && id === offer.id)
  const questions = decision.questions.flatMap((developer) => developer.offers)
  return {
    ...offer,
    ...{ channel, rfqId, ...observationOf(response), asOf: report.asOf, body: response.body },
    ...{ lines: offerLines(offer), prepayments: offerPrepayments(offer) },
    rateMessage: currency.rates.find((each) => each.currency === offer.terms.currencyCode)?.message ?? null,
    questions: questions.find((each) => each.offerId === offer.id)?.questions ?? [],
    breakEven: decision.recommendation.breakEven.find((each) => each.offerId === offer.id)?.message ?? null,
    versions: versions
      .map((each, at): OfferVersion => {
        const previous = versions[at - 1]
        return pick(versionSchema, {
          ...{ ...each, summaryOnly: each.shape === 'summary', body: withDocuments ? each.body : null },
          changes: previous === undefined ? [] : changesOfVersion(previous, each),
        })
      })
      .reverse(),
  }
}

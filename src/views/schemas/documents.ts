import { z } from 'zod'
import { offerViewSchema } from '../offer/offer-view.js'
import { channelKey, count, nullableText, number, text, timestamp } from './common.js'

const documentBody = {
  body: z.unknown().describe('The document as received, parsed, with fields that the API description lacks.'),
  bodyText: nullableText.describe('Its text, if parsing it loses something, such as digits of a number; else null.'),
}

/** What Quotekeeper knows about a document besides its content. */
const observation = {
  version: z.int().min(1),
  notBefore: timestamp.nullable().describe('The last observation that still showed the version before it.'),
  observedAt: timestamp.describe('The first observation of this version.'),
  firstObservedAt: timestamp,
  lastObservedAt: timestamp.nullable().describe('Null as of a past moment.'),
  readAt: timestamp
    .nullable()
    .describe('When the document itself was last read. Null if only its summary is known, and as of a past moment.'),
  missingSince: timestamp.nullable(),
  valid: z.boolean().describe('Whether the document matches the API description.'),
}

export const apiChannel = z
  .strictObject({
    channel: channelKey,
    autoClose: z.enum(['on', 'dry-run', 'off']),
    timeZone: text,
    graceHours: z.number(),
    polls: z.array(
      z.strictObject({
        kind: z.enum(['listings', 'rfqs']),
        completeAt: timestamp.nullable(),
        ok: z.boolean().describe('Whether one completed within three intervals of the schedule.'),
        message: text,
        lostEntriesAt: timestamp
          .nullable()
          .describe('When the newest poll found that the list had suddenly lost most of its entries; null otherwise.'),
      }),
    ),
    rfqs: z
      .strictObject({ open: count, closed: count, other: count, overdue: count })
      .describe('Without missing ones.'),
  })
  .meta({ id: 'Channel' })

const listed = z
  .strictObject({
    at: timestamp.describe('When the first list that said so was recorded.'),
    readAt: timestamp
      .nullable()
      .describe('When the RFQ itself was last read. With `as_of`, first after that list; null if it was not.'),
    state: nullableText.describe('Null if the list says the same; so are the dates.'),
    responseDueDate: nullableText,
    fulfilmentDueDate: nullableText,
    removedOffers: z.array(z.strictObject({ id: text, name: text })).describe('Offers that the list no longer has.'),
    addedOffers: z.array(text).describe('Ids of offers that only the list has.'),
    fields: z.array(text).describe('Names of other members that differ.'),
    contradicts: z.boolean().describe('It keeps the RFQ from being closed.'),
    own: text
      .optional()
      .describe(
        'What the RFQ itself says instead, if it was read since the list first said so: `open`, `due 2026-11-20`, or both.',
      ),
    ambiguous: z
      .literal(true)
      .optional()
      .describe('Parsing the list entry lost something that matters, such as one of two values of a key.'),
    message: text.describe('The same in one sentence.'),
  })
  .nullable()
  .describe(
    'What a newer list says otherwise than the RFQ, or how an older one contradicts it. Null if nothing. With `as_of`, what was known then.',
  )

const rfqTerms = {
  channel: channelKey,
  id: text,
  number,
  reference: nullableText,
  title: nullableText,
  state: nullableText.describe('`open`, `closed`, or what else the marketplace sent.'),
  responseDueDate: nullableText,
  fulfilmentDueDate: nullableText,
  minVolume: number,
  maxVolume: number,
  minUnitPrice: number,
  maxUnitPrice: number,
  currency: nullableText,
}

export const rfqFigures = z
  .strictObject({
    ranked: count.describe('Offers that compete: open, comparable, and meeting every hard requirement.'),
    summaryOnly: count.describe('Offers of which only the summary is known: they were not read yet, or cannot be.'),
    newerTerms: count.describe(
      'Offers of which the RFQ, read after them, shows another volume, total, currency, expiry date or contract type.',
    ),
    meetRequirements: count.describe(
      'Offers within the limits that the RFQ states and not rejected by their review, whatever their status.',
    ),
    wanted: number.describe('Tonnes asked for: the least that an award must have.'),
    volume: z.number().describe('Tonnes of the ranked offers.'),
    coverage: number.describe(
      'The share of the tonnes asked for that they cover, at most 1; null if offers were not read yet.',
    ),
    currency: nullableText,
    bestPricePerTonne: number,
    bestPriceOffer: nullableText,
    award: z
      .strictObject({
        status: z.enum(['award', 'partial', 'accepted', 'none', 'no-volume', 'no-offers']),
        offers: z.array(z.string()).describe('Labels of the awarded offers.'),
        tonnes: z.number(),
        pricePerTonne: number,
        coverage: number.describe('Share of the tonnes asked for, at most 1.'),
        message: text,
      })
      .nullable()
      .describe(
        'The recommended award; null if the award rule is `best-score` (see the comparison), or if offers were not read yet.',
      ),
    accepted: z
      .strictObject({
        offers: z.array(z.string()).describe('Their labels.'),
        tonnes: z.number().describe('Tonnes that are known.'),
        pricePerTonne: number.describe('Null unless all can be compared.'),
        message: text,
      })
      .nullable()
      .describe('The accepted offers; null if there are none.'),
  })
  .meta({ id: 'RfqFigures' })

const unreadOffers = count.describe('Offers that the list shows of an RFQ that was never read itself.')

export const rfqItem = z
  .strictObject({
    ...rfqTerms,
    name: text.describe('What to call it in paths and commands.'),
    daysToDue: z.int().nullable().describe('Negative after the due date. Counted in the time zone of the channel.'),
    overdue: z.boolean().describe('Open, past due and past the grace period.'),
    offers: count.describe('Offers that are not missing.'),
    unreadOffers,
    changedAt: timestamp,
    missingSince: timestamp.nullable(),
    valid: z.boolean(),
    version: z.int().min(1),
    listed,
    figures: rfqFigures.optional().describe('Only with `figures=true`.'),
  })
  .meta({ id: 'RfqItem' })

export const rfqDetail = z
  .strictObject({
    ...rfqTerms,
    closedAt: nullableText,
    offers: count,
    unreadOffers,
    listed,
    ...observation,
    ...documentBody,
  })
  .meta({ id: 'Rfq' })

const offerTerms = offerViewSchema.extend({ channel: channelKey, rfqId: text, ...observation })
export const offerItem = offerTerms.meta({ id: 'OfferItem' })

export const offerDetail = offerTerms
  .extend({
    ...documentBody,
    versions: z.array(
      z.strictObject({
        version: z.int().min(1),
        contentHash: text,
        notBefore: timestamp.nullable(),
        observedAt: timestamp,
        supersededAt: timestamp.nullable(),
        valid: z.boolean(),
        changes: z.array(text).describe('One sentence per difference to the version before; empty for the first.'),
        ...documentBody,
      }),
    ),
  })
  .meta({ id: 'Offer' })

const listingTerms = {
  channel: channelKey,
  id: text,
  projectName: nullableText,
  organizationName: nullableText,
  country: nullableText,
  registry: nullableText,
  registryId: nullableText,
  currency: nullableText,
  minUnitPrice: number,
  maxUnitPrice: number,
  totalAvailableVolume: number,
  ...observation,
}
export const listingItem = z.strictObject(listingTerms).meta({ id: 'ListingItem' })
export const listingDetail = z.strictObject({ ...listingTerms, ...documentBody }).meta({ id: 'Listing' })

export type ApiChannel = z.input<typeof apiChannel>
export type RfqDetail = z.input<typeof rfqDetail>
export type OfferItem = z.input<typeof offerItem>
export type OfferDetail = z.input<typeof offerDetail>
export type ListingItem = z.input<typeof listingItem>
export type ListingDetail = z.input<typeof listingDetail>

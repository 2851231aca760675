/**
 * Schemas of the marketplace's documents, as docs/MARKETPLACE.md describes them. docs/GLOSSARY.md defines the terms.
 *
 * They state what the API description promises. Bodies are parsed with `parseLeniently` (lenient-parser.ts), which
 * accepts absent, null and unknown values and reports each deviation as a problem.
 */
import { z } from 'zod'
import { comparableInstant, composed } from '../text/comparable-text.js'
import { comparableId, isUsableIdentifier } from './identifier.js'

/** The kinds in which documents are sent: in an RFQ, a response is its summary. */
export type SentKind = keyof typeof SCHEMAS
/** The kinds of document whose history is kept. */
export type DocumentKind = Exclude<SentKind, 'summary'>
/** What a document is about. An RFQ has two: its entry in the list, and the RFQ itself. */
export type SubjectKind = Exclude<DocumentKind, 'rfq-entry'>
/**
 * How much of a document could be read: `full`; `list` for an RFQ known only by its list entry; `summary` for a
 * response known only by its summary within the RFQ.
 */
export type DocumentShape = 'full' | 'list' | 'summary'

/** The only value a document must have: a list entry without it is dropped and reported as a problem. Requests have it as sent. */
const identifier = z.string().refine(isUsableIdentifier).brand('identifier')
/** The identifier of another document, in the form in which it is compared. */
const reference = z.string().overwrite(comparableId)
const text = z.string().overwrite(composed)
/** ISO 8601 calendar date, YYYY-MM-DD. */
const calendarDate = z.iso.date()
/** ISO 8601 timestamp. Promised in UTC with milliseconds; some values arrive in other forms. */
const dateTime = z
  .string()
  .overwrite(comparableInstant)
  .check(z.iso.datetime({ offset: true }))

/** A value that may be absent or null. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullable().default(null)

const contractType = z.enum(['spot', 'forward'])
/** The documented states of an RFQ. */
export const RFQ_STATES = ['open', 'closed'] as const
const rfqState = z.enum(RFQ_STATES)
const responseStatus = z.enum(['submitted', 'accepted', 'rejected'])
const reasonForPurchase = z.enum(['buyToRetire', 'buyToSell', 'other'])
/** `value` in tonnes CO2e; `type` for example `fixed`. */
const volume = z.strictObject({ type: text, value: z.number() })

const creditAvailability = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  availableVolume: volume,
  mitigationTypes: z.array(text),
  estimatedTradableDate: calendarDate,
})
const availableVolumeRange = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  availableVolumeRange: z.strictObject({ min: z.number(), max: z.number() }),
  mitigationTypes: z.array(text),
})

const listing = z.strictObject({
  id: identifier,
  additionalData: optional(z.record(z.string(), z.unknown())),
  notableBuyersAndInvestors: z.array(text),
  projectName: text,
  projectDescription: optional(text),
  country: text,
  firstIssuanceDate: optional(calendarDate),
  projectStartDate: optional(text),
  projectEndDate: optional(text),
  ecosystemTypes: z.array(text),
  ecosystemSubtypes: z.array(text),
  methodologies: z.array(text),
  currentProjectStages: z.array(text),
  mainMitigationActivity: text,
  registry: text,
  certificationLabels: z.union([text, z.array(text)]),
  registryId: text,
  additionalDocumentation: z.strictObject({ url: text, expires: z.number() }),
  organizationName: text,
  organizationDescription: text,
  creditAvailability: z.array(creditAvailability),
  totalAvailableVolume: volume,
  availableVolume: z.array(availableVolumeRange),
  pricing: z.strictObject({
    currency: text,
    minUnitPrice: z.number(),
    maxUnitPrice: z.number(),
    notes: optional(text),
  }),
  storefrontUrl: text,
})

const vintageYear = z.union([z.number(), z.literal('Any')])

const rfqFields = {
  id: identifier,
  listingIds: z.array(reference),
  state: rfqState,
  number: z.number(),
  reference: text,
  buyerDescription: text,
  contractTypes: z.array(contractType),
  title: text,
  fulfilmentDueDate: calendarDate,
  minVolume: z.number(),
  maxVolume: z.number(),
  minVintageYear: vintageYear,
  maxVintageYear: vintageYear,
  pricing: z.strictObject({ minUnitPrice: z.number(), maxUnitPrice: z.number(), currency: text }),
  additionalRequirements: optional(text),
  reasonForPurchase,
  createdAt: dateTime,
  updatedAt: dateTime,
  openedAt: optional(dateTime),
  closedAt: optional(dateTime),
  responseDueDate: calendarDate,
}

const summary = z.strictObject({
  id: identifier,
  listingId: reference,
  projectDeveloperName: text,
  projectName: text,
  status: responseStatus,
  totalVolume: z.number(),
  currency: text,
  totalPrice: z.number(),
  expiryDate: optional(calendarDate),
  submittedAt: dateTime,
  contractType,
})

const vintage = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  volume: z.number(),
  unitPrice: z.number(),
  name: optional(text),
  mitigationTypes: z.array(text),
})
const scheduledDelivery = z.strictObject({
  fulfilmentDueDate: calendarDate,
  fulfilmentMethod: text,
  vintages: z.array(vintage),
})
const prePayment = z.strictObject({ amount: z.number(), paymentDueDate: calendarDate })
const review = z.strictObject({
  status: text,
  offerId: reference,
  source: text,
  sourceId: reference,
  comment: optional(text),
  createdAt: dateTime,
  updatedAt: dateTime,
})
const offer = z.strictObject({
  contractType,
  currency: text,
  scheduledDeliveries: z.array(scheduledDelivery),
  prePayments: z.array(prePayment),
  totalVolume: z.number(),
  totalPrice: z.number(),
  additionalNotesToBuyer: optional(text),
  expiryDate: optional(calendarDate),
  review: optional(review),
})

/** The schema of each kind of document as it is sent. */
export const SCHEMAS = {
  listing,
  /** An RFQ as an element of the list: its `responses` hold `id` and `listingId` only. */
  'rfq-entry': z.strictObject({
    ...rfqFields,
    responses: z.array(z.strictObject({ id: identifier, listingId: reference })),
  }),
  /** An RFQ as read by its identifier. */
  rfq: z.strictObject({ ...rfqFields, responses: z.array(summary) }),
  /** A project developer's response to an RFQ, with its offer. */
  response: z.strictObject({
    id: identifier,
    listingId: reference,
    projectName: text,
    projectDeveloperName: text,
    status: responseStatus,
    submittedAt: dateTime,
    offer,
  }),
  summary,
}

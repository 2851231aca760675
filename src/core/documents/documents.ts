/**
 * Schemas of the marketplace's documents, as docs/MARKETPLACE.md describes them. docs/GLOSSARY.md defines the terms.
 *
 * They state what the API description promises. Bodies are parsed with `parseLeniently` (lenient-parser.ts), which
 * accepts absent, null and unknown values and reports each deviation as a problem.
 */
import { z } from 'zod'

/** The kinds of document whose history is kept. */
export type DocumentKind = 'listing' | 'rfq-entry' | 'rfq' | 'response'
/** What a document is about. An RFQ has two: its entry in the list, and the RFQ itself. */
export type SubjectKind = Exclude<DocumentKind, 'rfq-entry'>
/**
 * How much of a document could be read: `full`; `list` for an RFQ known only by its list entry; `summary` for a
 * response known only by its summary within the RFQ.
 */
export type DocumentShape = 'full' | 'list' | 'summary'

/** The only value a document must have: a list entry without it is dropped and reported as a problem. */
export const identifier = z.string().min(1).brand('identifier')
/** The identifier of another document. */
export const reference = z.string()
/** ISO 8601 calendar date, YYYY-MM-DD. */
const calendarDate = z.iso.date()
/** ISO 8601 timestamp. Promised in UTC with milliseconds; some values arrive in other forms. */
const dateTime = z.iso.datetime({ offset: true })

const contractType = z.enum(['spot', 'forward'])
/** The documented states of an RFQ. */
export const RFQ_STATES = ['open', 'closed'] as const
const rfqState = z.enum(RFQ_STATES)
const responseStatus = z.enum(['submitted', 'accepted', 'rejected'])
const reasonForPurchase = z.enum(['buyToRetire', 'buyToSell', 'other'])
const ecosystemType = z.enum([
  'ForestsAndWoodlands',
  'Wetlands',
  'Grasslands',
  'AgriculturalLands',
  'OceansAndCoastalAreas',
  'RestoredLands',
])
const ecosystemSubtype = z.enum([
  'TropicalRainforests',
  'TemperateForests',
  'BorealForests',
  'Woodlands',
  'Mangroves',
  'Peatlands',
  'FreshwaterWetlands',
  'SaltMarshes',
  'TropicalSavannas',
  'TemperateGrasslands',
  'Shrublands',
  'SteppesAndPrairies',
  'Croplands',
  'AgroforestrySystems',
  'SeagrassMeadows',
  'CoralReefs',
  'KelpForests',
  'ReforestedAreas',
  'RestoredWetlands',
  'RehabilitatedMines',
])

const fileObject = z.strictObject({
  fileName: z.string(),
  contentType: z.string(),
  fileSizeBytes: z.number(),
  uploadedAt: dateTime,
})
const additionalValue = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()), fileObject])
/** `value` in tonnes CO2e; `type` for example `fixed`. */
const volume = z.strictObject({ type: z.string(), value: z.number() })

const creditAvailability = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  availableVolume: volume,
  mitigationTypes: z.array(z.string()),
  estimatedTradableDate: calendarDate,
})
const availableVolumeRange = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  availableVolumeRange: z.strictObject({ min: z.number(), max: z.number() }),
  mitigationTypes: z.array(z.string()),
})

export const listingDocument = z.strictObject({
  id: identifier,
  additionalData: z.record(z.string(), additionalValue).nullable(),
  notableBuyersAndInvestors: z.array(z.string()),
  projectName: z.string(),
  projectDescription: z.string().nullable(),
  country: z.string(),
  firstIssuanceDate: calendarDate.nullable(),
  projectStartDate: z.string().nullable(),
  projectEndDate: z.string().nullable(),
  ecosystemTypes: z.array(ecosystemType),
  ecosystemSubtypes: z.array(ecosystemSubtype),
  methodologies: z.array(z.string()),
  currentProjectStages: z.array(z.string()),
  mainMitigationActivity: z.string(),
  registry: z.string(),
  certificationLabels: z.union([z.string(), z.array(z.string())]),
  registryId: z.string(),
  additionalDocumentation: z.strictObject({ url: z.string(), expires: z.number() }),
  organizationName: z.string(),
  organizationDescription: z.string(),
  creditAvailability: z.array(creditAvailability),
  totalAvailableVolume: volume,
  availableVolume: z.array(availableVolumeRange),
  pricing: z.strictObject({
    currency: z.string(),
    minUnitPrice: z.number(),
    maxUnitPrice: z.number(),
    notes: z.string().nullish(),
  }),
  storefrontUrl: z.string(),
})

const vintageYear = z.union([z.number(), z.literal('Any')])

const rfqFields = {
  id: identifier,
  listingIds: z.array(reference),
  state: rfqState,
  number: z.number(),
  reference: z.string(),
  buyerDescription: z.string(),
  contractTypes: z.array(contractType),
  title: z.string(),
  fulfilmentDueDate: calendarDate,
  minVolume: z.number(),
  maxVolume: z.number(),
  minVintageYear: vintageYear,
  maxVintageYear: vintageYear,
  pricing: z.strictObject({ minUnitPrice: z.number(), maxUnitPrice: z.number(), currency: z.string() }),
  additionalRequirements: z.string().nullish(),
  reasonForPurchase,
  createdAt: dateTime,
  updatedAt: dateTime,
  openedAt: dateTime.nullish(),
  closedAt: dateTime.nullish(),
  responseDueDate: calendarDate,
}

export const responseSummary = z.strictObject({
  id: identifier,
  listingId: reference,
  projectDeveloperName: z.string(),
  projectName: z.string(),
  status: responseStatus,
  totalVolume: z.number(),
  currency: z.string(),
  totalPrice: z.number(),
  expiryDate: calendarDate.nullish(),
  submittedAt: dateTime,
  contractType,
})

/** An RFQ as an element of the list: its `responses` hold `id` and `listingId` only. */
export const rfqListDocument = z.strictObject({
  ...rfqFields,
  responses: z.array(z.strictObject({ id: identifier, listingId: reference })),
})

/** An RFQ as read by its identifier. */
export const rfqDocument = z.strictObject({ ...rfqFields, responses: z.array(responseSummary) })

const vintage = z.strictObject({
  reportingPeriodStart: calendarDate,
  reportingPeriodEnd: calendarDate,
  volume: z.number(),
  unitPrice: z.number(),
  name: z.string().nullish(),
  mitigationTypes: z.array(z.string()),
})
const scheduledDelivery = z.strictObject({
  fulfilmentDueDate: calendarDate,
  fulfilmentMethod: z.string(),
  vintages: z.array(vintage),
})
const prePayment = z.strictObject({ amount: z.number(), paymentDueDate: calendarDate })
const review = z.strictObject({
  status: z.string(),
  offerId: reference,
  source: z.string(),
  sourceId: reference,
  comment: z.string().nullish(),
  createdAt: dateTime,
  updatedAt: dateTime,
})
const offer = z.strictObject({
  contractType,
  currency: z.string(),
  scheduledDeliveries: z.array(scheduledDelivery),
  prePayments: z.array(prePayment),
  totalVolume: z.number(),
  totalPrice: z.number(),
  additionalNotesToBuyer: z.string().nullish(),
  expiryDate: calendarDate.nullish(),
  review: review.nullish(),
})

/** A project developer's response to an RFQ, with its offer. */
export const responseDocument = z.strictObject({
  id: identifier,
  listingId: reference,
  projectName: z.string(),
  projectDeveloperName: z.string(),
  status: responseStatus,
  submittedAt: dateTime,
  offer,
})

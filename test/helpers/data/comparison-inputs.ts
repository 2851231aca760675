/**
 * Builders of realistic comparison inputs: documents as the marketplace sends them, wrapped as stored documents.
 * Each builder takes the members a test is about and fills in the rest.
 */
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../../../src/compare/input/stored-documents.js'
import { compareOffers, type RfqReport } from '../../../src/compare/report/compare-offers.js'
import { type SettingsInput, settingsSchema } from '../../../src/core/decision/settings.js'
import type { KnownDocument } from '../../../src/core/records.js'
import { aListing, anRfq, summaryOf } from './sample-documents.js'

export { summaryOf }

type Body = Record<string, unknown>

/** The as-of moment of the inputs. */
const AS_OF = new Date('2026-03-16T12:00:00.000Z')
export const RFQ_ID = '10000000-0000-4000-8000-000000000001'
/** `listingId(1)`, … */
export const listingId = (number: number): string => `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`
/** `offerId(1)`, … */
export const offerId = (number: number): string => `30000000-0000-4000-8000-${String(number).padStart(12, '0')}`

export const vintage = (of: Body = {}): Body => ({
  reportingPeriodStart: '2023-01-01',
  reportingPeriodEnd: '2023-12-31',
  volume: 10_000,
  unitPrice: 12,
  name: 'Vintage 2023',
  mitigationTypes: ['removal'],
  ...of,
})

export const delivery = (of: Body = {}): Body => ({
  fulfilmentDueDate: '2026-09-30',
  fulfilmentMethod: 'registryTransfer',
  vintages: [vintage()],
  ...of,
})

/** Stated volume and total price match the deliveries unless overridden. */
export function offer(of: Body = {}): Body {
  const deliveries = (of.scheduledDeliveries ?? [delivery()]) as { vintages?: Body[] }[] | null
  const lines = (deliveries ?? []).flatMap((one) => one.vintages ?? []) as { volume: number; unitPrice: number }[]
  return {
    contractType: 'forward',
    currency: 'USD',
    scheduledDeliveries: deliveries,
    prePayments: [],
    totalVolume: lines.reduce((total, line) => total + line.volume, 0),
    totalPrice: lines.reduce((total, line) => total + line.volume * line.unitPrice, 0),
    additionalNotesToBuyer: 'Delivery through the registry, buyer account to be named.',
    expiryDate: '2026-06-30',
    review: null,
    ...of,
  }
}

/** Response number 1, 2, …: id, developer and listing follow the number. `offer` is passed to `offer()`. */
export function response(number: number, of: Body & { offer?: Body | null } = {}): Body {
  const terms = of.offer === null ? null : offer(of.offer ?? {})
  return {
    id: offerId(number),
    listingId: listingId(number),
    projectName: `Project ${number}`,
    projectDeveloperName: `Developer ${number}`,
    status: 'submitted',
    submittedAt: `2026-03-0${1 + (number % 9)}T09:00:00.000Z`,
    ...of,
    offer: terms,
  }
}

/** Terms with one delivery of these lines. */
export const lines = (...vintages: Body[]): Body => ({
  scheduledDeliveries: [delivery({ vintages: vintages.map((one) => vintage(one)) })],
})

/** Response number 1, 2, … with so many tonnes at a price, delivered on 30 September 2026. */
export const sized = (
  number: number,
  volume: number,
  unitPrice: number,
  { offer: terms = {}, ...of }: Body & { offer?: Body } = {},
): Body => response(number, { ...of, offer: { ...lines({ volume, unitPrice }), ...terms } })

export const rfq = (of: Body = {}): Body =>
  anRfq(RFQ_ID, {
    listingIds: [1, 2, 3, 4, 5].map(listingId),
    ...{ number: 4711, reference: 'RFQ-2026-0042', title: 'Removals for 2026' },
    ...{ contractTypes: ['spot', 'forward'], fulfilmentDueDate: '2026-12-31', responseDueDate: '2026-03-20' },
    ...{ minVolume: 10_000, maxVolume: 50_000, minVintageYear: 2021, maxVintageYear: 2026 },
    pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: 'USD' },
    additionalRequirements: 'No double claiming.',
    responses: [],
    ...of,
  })

export const listing = (number: number, of: Body = {}): Body =>
  aListing(listingId(number), {
    projectName: `Project ${number}`,
    organizationName: `Developer ${number}`,
    registryId: `VCS-${1000 + number}`,
    totalAvailableVolume: { type: 'fixed', value: 250_000 },
    ...of,
  })

const AT = '2026-03-10T10:00:00.000Z'
/** A document with the metadata of the store, observed on 10 March. */
export function storedDocument(body: unknown, of: Partial<KnownDocument> = {}): KnownDocument {
  return {
    ...{ channel: 'acme/forest', kind: 'response', rfqId: null, entry: null, bodyText: JSON.stringify(body) },
    id: String((body as Body | null)?.id ?? 'unidentified-0'),
    ...{ version: 1, contentHash: 'a'.repeat(64), notBefore: null, supersededAt: null, missingSince: null },
    ...{ firstObservedAt: AT, observedAt: AT, lastObservedAt: AT, readAt: AT, runId: 7, valid: true },
    shape: 'full',
    body,
    ...of,
  }
}

export interface ComparisonOverrides
  extends Partial<Omit<ComparisonInput, 'rfq' | 'responses' | 'listings' | 'settings'>> {
  settings?: SettingsInput
  rfq?: Body
  /** Bodies made with `response`, or stored documents where their metadata matter. */
  responses?: (Body | KnownDocument)[]
  listings?: (Body | KnownDocument)[]
  /** Stored metadata of the RFQ. */
  rfqStored?: Partial<KnownDocument>
}

const isStored = (one: Body | KnownDocument): one is KnownDocument => 'contentHash' in one
const asStored = (one: Body | KnownDocument): KnownDocument => (isStored(one) ? one : storedDocument(one))

/** One RFQ with its responses (default: `sampleResponses`). The RFQ lists those that are not missing. */
export function comparisonInput(scene: ComparisonOverrides = {}): ComparisonInput {
  const { rfq: rfqOverrides, responses = sampleResponses(), listings, rfqStored, settings = {}, ...rest } = scene
  const documents = responses.map(asStored)
  const shown = documents.filter((one) => one.missingSince === null && isObject(one.body))
  const summaries = shown.map((one) => (one.shape === 'full' ? summaryOf(one.body as Body) : one.body))
  const rfqBody = rfq({ responses: summaries, ...rfqOverrides })
  const projects = (listings ?? [1, 2, 3, 4, 5].map((number) => listing(number))).map(asStored)
  return {
    channel: 'acme/forest',
    timeZone: 'UTC',
    asOf: AS_OF,
    generatedAt: new Date('2026-03-16T12:05:00.000Z'),
    programVersion: '0.0.0-test',
    rfq: parseStoredRfq(storedDocument(rfqBody, rfqStored)),
    responses: documents.map(parseStoredResponse),
    listings: projects.map(parseStoredListing),
    problems: [],
    decisions: [],
    claims: [],
    settings: settingsSchema.parse(settings),
    ...rest,
  }
}

/** The report on one RFQ with its responses. */
export const reportOn = (scene: ComparisonOverrides = {}): RfqReport => compareOffers(comparisonInput(scene))

const isObject = (value: unknown): value is Body => value !== null && typeof value === 'object'

/** A review of 5 March. */
export const review = (status: string, comment = 'As found.'): Body => ({
  ...{ status, offerId: 'o', source: 'ECB', sourceId: 's', comment },
  ...{ createdAt: '2026-03-05T10:00:00.000Z', updatedAt: '2026-03-05T10:00:00.000Z' },
})

/** Five realistic offers: spot and forward, several vintages, pre-payments, a euro price, an early expiry date. */
export function sampleResponses(): Body[] {
  const next = { reportingPeriodStart: '2024-01-01', reportingPeriodEnd: '2024-12-31', name: 'Vintage 2024' }
  const split = lines({ volume: 16_000, unitPrice: 11.2 }, { volume: 4_000, unitPrice: 11.2, ...next })
  const prePayments = [{ amount: 40_000, paymentDueDate: '2026-04-15' }]
  const twoDates = {
    scheduledDeliveries: ['2026-06-30', '2026-09-30'].map((fulfilmentDueDate) => {
      return delivery({ fulfilmentDueDate, vintages: [vintage({ volume: 15_000, unitPrice: 9.9 })] })
    }),
  }
  const savanna = { projectDeveloperName: 'Savanna Carbon', projectName: 'Mara Grasslands' }
  return [
    response(1, { ...savanna, offer: { ...split, prePayments } }),
    sized(2, 12_000, 14.5, { offer: { contractType: 'spot', review: review('accepted') } }),
    response(3, { offer: { currency: 'EUR', ...twoDates } }),
    sized(4, 9_500, 9.8, {
      ...savanna,
      projectName: 'Tsavo',
      offer: { totalVolume: 10_000, expiryDate: '2026-03-25' },
    }),
    sized(5, 40_000, 17.5, { status: 'rejected' }),
  ]
}

/** Settings with an exchange rate for euro offers. */
export const EURO_SETTINGS = {
  currency: 'USD',
  exchangeRates: { EUR: { rate: 1.1, date: '2026-03-13', source: 'ECB' } },
}

/** A number generator for large inputs; the same seed gives the same numbers. */
function seededNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** `count` responses with `lines` deliveries each, from developers with about two responses each. */
export function manyResponses(count: number, lines: number, seed = 1): Body[] {
  const next = seededNumbers(seed)
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return Array.from({ length: count }, (_, at) => {
    const price = between(800, 1600) / 100
    const scheduledDeliveries = Array.from({ length: lines }, (_line, index) =>
      delivery({
        fulfilmentDueDate: `2026-${String(4 + (index % 9)).padStart(2, '0')}-15`,
        vintages: [
          vintage({
            volume: between(50, 900),
            unitPrice: price + (index % 3) / 10,
            reportingPeriodStart: `${2020 + (index % 5)}-01-01`,
            reportingPeriodEnd: `${2020 + (index % 5)}-12-31`,
          }),
        ],
      }),
    )
    return response(at + 1, {
      listingId: listingId(1 + (at % 5)),
      projectDeveloperName: `Developer ${between(1, Math.ceil(count / 2))}`,
      offer: { scheduledDeliveries },
    })
  })
}

import { aListing, anRfq, aResponse } from '../helpers/data/sample-documents.js'

/** A document as the API sends it. Tests change members, also to what the API does not describe. */
export type Document = Record<string, unknown> & { id: string }

/** The identifier of a numbered document. */
export const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** The date so many days from now, by a clock. */
export const day = (offset: number, now = Date.now()): string =>
  new Date(now + offset * 86_400_000).toISOString().slice(0, 10)

/** An RFQ for 1,000 to 5,000 t that is due in ten days. */
export function rfq(number: number, over: Record<string, unknown> = {}): Document {
  const { responses: _, ...document } = anRfq(id(number))
  return {
    ...document,
    ...{ number, reference: `REF-${number}`, title: `RFQ ${number}`, listingIds: [id(1)] },
    ...{ minVolume: 1000, maxVolume: 5000, pricing: { minUnitPrice: 8, maxUnitPrice: 15, currency: 'USD' } },
    ...{ fulfilmentDueDate: day(90), responseDueDate: day(10), ...over },
  }
}

/** A line of a delivery: tonnes of one year. */
export const vintage = (year: number, volume: number, unitPrice: number): Record<string, unknown> => ({
  reportingPeriodStart: `${year}-01-01`,
  reportingPeriodEnd: `${year}-12-31`,
  volume,
  unitPrice,
  name: `${year}`,
  mitigationTypes: ['removal'],
})

type Line = { volume: number; unitPrice: number }

/**
 * A response to an RFQ, of listing 1.
 * @param lines the tonnes offered; volume and total are their sums
 * @param over members of the response that differ
 * @param terms members of the offer that differ
 */
export function response(
  number: number,
  lines: Record<string, unknown>[] = [vintage(2022, 1000, 10.5), vintage(2023, 500, 11.25)],
  over: Record<string, unknown> = {},
  terms: Record<string, unknown> = {},
): Document {
  const sum = (figure: (line: Line) => number) => (lines as Line[]).reduce((total, line) => total + figure(line), 0)
  return aResponse(id(number), {
    listingId: id(1),
    projectDeveloperName: `Developer ${number}`,
    offer: {
      ...aResponse().offer,
      scheduledDeliveries: [{ fulfilmentDueDate: day(60), fulfilmentMethod: 'transfer', vintages: lines }],
      prePayments: [],
      totalVolume: sum(({ volume }) => volume),
      totalPrice: sum(({ volume, unitPrice }) => volume * unitPrice),
      expiryDate: day(30),
      ...terms,
    },
    ...over,
  })
}

/** A project listing with 5,000 t of 2022. */
export function listing(number: number, over: Record<string, unknown> = {}): Document {
  const period = { reportingPeriodStart: '2022-01-01', reportingPeriodEnd: '2022-12-31', mitigationTypes: ['removal'] }
  const file = {
    fileName: 'd.pdf',
    contentType: 'application/pdf',
    fileSizeBytes: 10,
    uploadedAt: '2026-10-01T10:00:00.000Z',
  }
  return aListing(id(number), {
    additionalData: { note: 'x', count: 3, flag: true, nothing: null, tags: ['a', 'b'], file },
    projectName: `Project ${number}`,
    registryId: `VCS${number}`,
    creditAvailability: [
      { ...period, availableVolume: { type: 'fixed', value: 5000 }, estimatedTradableDate: '2024-01-01' },
    ],
    totalAvailableVolume: { type: 'fixed', value: 5000 },
    availableVolume: [{ ...period, availableVolumeRange: { min: 100, max: 5000 } }],
    pricing: { currency: 'USD', minUnitPrice: 9, maxUnitPrice: 14, notes: '' },
    ...over,
  })
}

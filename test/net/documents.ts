/** A document as the API sends it. Tests change members, also to what the API does not describe. */
export type Document = Record<string, unknown> & { id: string }

/** The identifier of a numbered document. */
export const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** The date so many days from now, by a clock. */
export const day = (offset: number, now = Date.now()): string =>
  new Date(now + offset * 86_400_000).toISOString().slice(0, 10)

/** An RFQ for 1,000 to 5,000 t that is due in ten days. */
export function rfq(number: number, over: Record<string, unknown> = {}): Document {
  return {
    id: id(number),
    listingIds: [id(1)],
    state: 'open',
    number,
    reference: `REF-${number}`,
    buyerDescription: 'A buyer',
    contractTypes: ['spot'],
    title: `RFQ ${number}`,
    fulfilmentDueDate: day(90),
    minVolume: 1000,
    maxVolume: 5000,
    minVintageYear: 2020,
    maxVintageYear: 'Any',
    pricing: { minUnitPrice: 8, maxUnitPrice: 15, currency: 'USD' },
    additionalRequirements: '',
    reasonForPurchase: 'buyToRetire',
    createdAt: '2026-09-01T08:00:00.000Z',
    updatedAt: '2026-09-01T08:00:00.000Z',
    openedAt: '2026-09-01T08:00:00.000Z',
    closedAt: null,
    responseDueDate: day(10),
    ...over,
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
  return {
    id: id(number),
    listingId: id(1),
    projectName: 'Project 1',
    projectDeveloperName: `Developer ${number}`,
    status: 'submitted',
    submittedAt: '2026-10-01T10:00:00.123Z',
    offer: {
      contractType: 'spot',
      currency: 'USD',
      scheduledDeliveries: [{ fulfilmentDueDate: day(60), fulfilmentMethod: 'transfer', vintages: lines }],
      prePayments: [],
      totalVolume: sum(({ volume }) => volume),
      totalPrice: sum(({ volume, unitPrice }) => volume * unitPrice),
      additionalNotesToBuyer: '',
      expiryDate: day(30),
      review: null,
      ...terms,
    },
    ...over,
  }
}

/** What an RFQ says of a response. */
export function summaryOf(response: Document): Record<string, unknown> {
  const { id, listingId, projectDeveloperName, projectName, status, submittedAt } = response
  const offer = (response.offer ?? {}) as Record<string, unknown>
  const { totalVolume, currency, totalPrice, expiryDate, contractType } = offer
  return {
    ...{ id, listingId, projectDeveloperName, projectName, status, submittedAt },
    ...{ totalVolume, currency, totalPrice, expiryDate, contractType },
  }
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
  return {
    id: id(number),
    additionalData: { note: 'x', count: 3, flag: true, nothing: null, tags: ['a', 'b'], file },
    notableBuyersAndInvestors: ['Fund'],
    projectName: `Project ${number}`,
    projectDescription: null,
    country: 'KE',
    firstIssuanceDate: null,
    projectStartDate: '2019-01-01',
    projectEndDate: null,
    ecosystemTypes: ['Wetlands'],
    ecosystemSubtypes: ['Mangroves'],
    methodologies: ['VM0033'],
    currentProjectStages: ['issued'],
    mainMitigationActivity: 'BlueCarbon',
    registry: 'Verra',
    certificationLabels: ['CCB'],
    registryId: `VCS${number}`,
    organizationName: 'Org',
    organizationDescription: 'Desc',
    creditAvailability: [
      { ...period, availableVolume: { type: 'fixed', value: 5000 }, estimatedTradableDate: '2024-01-01' },
    ],
    totalAvailableVolume: { type: 'fixed', value: 5000 },
    availableVolume: [{ ...period, availableVolumeRange: { min: 100, max: 5000 } }],
    pricing: { currency: 'USD', minUnitPrice: 9, maxUnitPrice: 14, notes: '' },
    storefrontUrl: 'https://example.test/p',
    ...over,
  }
}

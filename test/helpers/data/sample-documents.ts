/** Valid marketplace documents, for tests to modify. */
export const aListing = (id = 'listing-1', more: Record<string, unknown> = {}) => ({
  id,
  additionalData: null,
  notableBuyersAndInvestors: [],
  projectName: 'Mangroves of the Delta',
  projectDescription: null,
  country: 'ID',
  firstIssuanceDate: '2021-04-01',
  projectStartDate: '2019-01-01',
  projectEndDate: '2049-01-01',
  ecosystemTypes: ['Wetlands'],
  ecosystemSubtypes: ['Mangroves'],
  methodologies: ['VM0033'],
  currentProjectStages: ['issuing'],
  mainMitigationActivity: 'restoration',
  registry: 'Verra',
  certificationLabels: ['CCB'],
  registryId: 'VCS-1234',
  additionalDocumentation: { url: 'https://files.example.com/a?signature=1', expires: 1_700_000_000 },
  organizationName: 'Delta Blue',
  organizationDescription: 'A developer',
  creditAvailability: [],
  totalAvailableVolume: { type: 'fixed', value: 10_000 },
  availableVolume: [],
  pricing: { currency: 'USD', minUnitPrice: 10, maxUnitPrice: 20, notes: '' },
  storefrontUrl: 'https://market.example.com/p/1',
  ...more,
})

export const aSummary = (id = 'response-1', more: Record<string, unknown> = {}) => ({
  id,
  listingId: 'listing-1',
  projectDeveloperName: 'Delta Blue',
  projectName: 'Mangroves of the Delta',
  status: 'submitted',
  totalVolume: 1000,
  currency: 'USD',
  totalPrice: 15_000,
  expiryDate: '2026-12-31',
  submittedAt: '2026-11-02T10:00:00.000Z',
  contractType: 'spot',
  ...more,
})

export const anRfq = (id = 'rfq-1', more: Record<string, unknown> = {}) => ({
  id,
  listingIds: ['listing-1'],
  state: 'open',
  number: 1042,
  reference: 'RFQ-1042',
  buyerDescription: 'A buyer',
  contractTypes: ['spot'],
  title: 'Blue carbon',
  fulfilmentDueDate: '2027-03-01',
  minVolume: 500,
  maxVolume: 2000,
  minVintageYear: 2020,
  maxVintageYear: 'Any',
  pricing: { minUnitPrice: 10, maxUnitPrice: 20, currency: 'USD' },
  additionalRequirements: '',
  reasonForPurchase: 'buyToRetire',
  createdAt: '2026-11-01T09:00:00.000Z',
  updatedAt: '2026-11-01T09:00:00.000Z',
  openedAt: '2026-11-01T09:00:00.000Z',
  closedAt: null,
  responseDueDate: '2026-11-20',
  responses: [aSummary()],
  ...more,
})

export const aResponse = (id = 'response-1', more: Record<string, unknown> = {}) => ({
  id,
  listingId: 'listing-1',
  projectName: 'Mangroves of the Delta',
  projectDeveloperName: 'Delta Blue',
  status: 'submitted',
  submittedAt: '2026-11-02T10:00:00.000Z',
  offer: {
    contractType: 'spot',
    currency: 'USD',
    scheduledDeliveries: [
      {
        fulfilmentDueDate: '2027-02-01',
        fulfilmentMethod: 'transfer',
        vintages: [
          {
            reportingPeriodStart: '2022-01-01',
            reportingPeriodEnd: '2022-12-31',
            volume: 1000,
            unitPrice: 15,
            name: '2022',
            mitigationTypes: ['removal'],
          },
        ],
      },
    ],
    prePayments: [{ amount: 5000, paymentDueDate: '2026-12-01' }],
    totalVolume: 1000,
    totalPrice: 15_000,
    additionalNotesToBuyer: '',
    expiryDate: '2026-12-31',
    review: null,
  },
  ...more,
})

/** What an RFQ says of a response. */
export function summaryOf(response: Record<string, unknown>): Record<string, unknown> {
  const { id, listingId, projectDeveloperName, projectName, status, submittedAt } = response
  const offer = (response.offer ?? {}) as Record<string, unknown>
  const { totalVolume, currency, totalPrice, expiryDate, contractType } = offer
  return {
    ...{ id, listingId, projectDeveloperName, projectName, status, submittedAt },
    ...{ totalVolume, currency, totalPrice, expiryDate, contractType },
  }
}

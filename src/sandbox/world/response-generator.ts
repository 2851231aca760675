import type { Faker } from '@faker-js/faker'
import { calendarDate, daysAfter, timestamp, yearOf } from './calendar-dates.js'
import { offerNotes, reviewComments } from './catalogue.js'
import type { Listing, Offer, Review, RfqResponse, RfqTerms, ScheduledDelivery, Vintage } from './document-types.js'
import { cents, sum } from './listing-generator.js'
import type { SeededRandom } from './seeded-random.js'

interface ResponseInput {
  /** Determines the id and all other values, e.g. `<rfq id>/response/2`. */
  seed: string
  rfq: RfqTerms
  listing: Listing
  /** Epoch milliseconds. */
  submittedAt: number
}

/** Generates a response to an RFQ. About one in four has a flaw that a buyer should notice; all match the schema. */
export function makeResponse(random: SeededRandom, { seed, rfq, listing, submittedAt }: ResponseInput): RfqResponse {
  const id = random.uuid(seed)
  const offerId = random.uuid(`${seed}/offer`)
  const sourceId = random.uuid(`${seed}/reviewer`)
  const f = random.faker(seed)
  const offer = makeOffer(f, rfq, listing, submittedAt)
  return {
    id,
    listingId: listing.id,
    projectName: listing.projectName,
    projectDeveloperName: listing.organizationName,
    status: 'submitted',
    submittedAt: timestamp(submittedAt),
    offer: { ...offer, review: makeReview({ offerId, sourceId, submittedAt }) },
  }
}

/** New terms for an offer: a few per cent cheaper, with a later expiry date. */
export function reviseOffer(f: Faker, { offer }: RfqResponse, now: number): Partial<Offer> {
  const factor = 1 - f.number.float({ min: 0.01, max: 0.06 })
  const scheduledDeliveries = offer.scheduledDeliveries.map((delivery) => ({
    ...delivery,
    vintages: delivery.vintages.map((vintage) => ({ ...vintage, unitPrice: cents(vintage.unitPrice * factor) })),
  }))
  return {
    scheduledDeliveries,
    prePayments: offer.prePayments.map((payment) => ({ ...payment, amount: cents(payment.amount * factor) })),
    ...totals(scheduledDeliveries),
    expiryDate: daysAfter(calendarDate(now), f.number.int({ min: 21, max: 45 })),
    additionalNotesToBuyer: 'Revised terms; replaces our earlier offer.',
  }
}

/** The review after the channel accepted or rejected the offer. */
export function decideReview(f: Faker, review: Review, now: number): Review {
  const status = f.datatype.boolean(0.8) ? 'accepted' : 'rejected'
  return { ...review, status, comment: reviewComments[status], updatedAt: timestamp(now) }
}

function makeOffer(f: Faker, rfq: RfqTerms, listing: Listing, submittedAt: number): Omit<Offer, 'review'> {
  const contractType = f.helpers.arrayElement(rfq.contractTypes)
  const scheduledDeliveries = makeDeliveries(f, { rfq, listing, contractType, submittedAt })
  const total = totals(scheduledDeliveries)
  return withFlaw(f, {
    contractType,
    currency: rfq.pricing.currency,
    scheduledDeliveries,
    prePayments: contractType === 'forward' ? makePrePayments(f, total.totalPrice, submittedAt) : [],
    ...total,
    additionalNotesToBuyer: f.datatype.boolean(0.6) ? f.helpers.arrayElement(offerNotes) : '',
    expiryDate: daysAfter(rfq.responseDueDate, f.number.int({ min: 10, max: 60 })),
  })
}

/** Adds one of the flaws seen in real offers, or none. */
function withFlaw(f: Faker, offer: Omit<Offer, 'review'>): Omit<Offer, 'review'> {
  return f.helpers.weightedArrayElement<() => Omit<Offer, 'review'>>([
    { weight: 20, value: () => offer },
    { weight: 1, value: () => ({ ...offer, totalPrice: cents(offer.totalPrice + 0.03) }) },
    { weight: 1, value: () => ({ ...offer, totalPrice: cents(offer.totalPrice * 0.98) }) },
    { weight: 1, value: () => ({ ...offer, totalVolume: offer.totalVolume + 500 }) },
    { weight: 1, value: () => ({ ...offer, currency: offer.currency === 'EUR' ? 'USD' : 'EUR' }) },
    { weight: 1, value: () => ({ ...offer, expiryDate: null }) },
    { weight: 1, value: () => ({ ...offer, prePayments: [], additionalNotesToBuyer: 'Payment terms to be agreed.' }) },
  ])()
}

const totals = (deliveries: readonly ScheduledDelivery[]): Pick<Offer, 'totalVolume' | 'totalPrice'> => {
  const vintages = deliveries.flatMap((delivery) => delivery.vintages)
  return {
    totalVolume: sum(vintages.map((vintage) => vintage.volume)),
    totalPrice: cents(sum(vintages.map((vintage) => vintage.volume * vintage.unitPrice))),
  }
}

interface DeliveryInput extends Pick<ResponseInput, 'rfq' | 'listing' | 'submittedAt'> {
  contractType: Offer['contractType']
}

function makeDeliveries(f: Faker, { rfq, listing, contractType, submittedAt }: DeliveryInput): ScheduledDelivery[] {
  const count = contractType === 'spot' ? 1 : f.number.int({ min: 1, max: 4 })
  const volume = Math.max(10, Math.round(offeredVolume(f, rfq, listing) / count / 10) * 10)
  const price = offeredPrice(f, listing)
  const firstDueInDays = contractType === 'spot' ? 45 : 150
  const fulfilmentMethod = f.helpers.arrayElement(['registryTransfer', 'registryTransfer', 'retirementOnBehalf'])
  return Array.from({ length: count }, (_, deliveryIndex) => ({
    fulfilmentDueDate: daysAfter(
      calendarDate(submittedAt),
      firstDueInDays + deliveryIndex * 180 + f.number.int({ min: 0, max: 30 }),
    ),
    fulfilmentMethod,
    vintages: makeVintages(f, { listing, contractType, deliveryIndex, volume, price }),
  }))
}

/** Tonnes: mostly between the RFQ's minimum and maximum volume, and usually no more than the listing has available. */
function offeredVolume(f: Faker, { minVolume, maxVolume }: RfqTerms, listing: Listing): number {
  const volume = minVolume + (maxVolume - minVolume) * f.number.float({ min: -0.1, max: 0.8 })
  const available = listing.totalAvailableVolume.value
  return f.datatype.boolean(0.9) ? Math.min(volume, available) : volume
}

/** A unit price near the listing's range; in rare cases well above it. */
function offeredPrice(f: Faker, { pricing }: Listing): number {
  const listPrice = f.number.float({ min: pricing.minUnitPrice, max: pricing.maxUnitPrice })
  return listPrice * f.number.float({ min: 0.96, max: f.datatype.boolean(0.1) ? 1.3 : 1.04 })
}

interface VintageInput {
  listing: Listing
  contractType: Offer['contractType']
  /** Within the offer, from 0. */
  deliveryIndex: number
  /** Tonnes in the delivery. */
  volume: number
  price: number
}

function makeVintages(f: Faker, { listing, contractType, deliveryIndex, volume, price }: VintageInput): Vintage[] {
  const batches = listing.creditAvailability
  const newest = batches.at(-1)
  const years =
    contractType === 'forward'
      ? [yearOf(newest?.reportingPeriodStart ?? '2024') + 1 + deliveryIndex]
      : pastYears(f, batches)
  const volumePerVintage = Math.floor(volume / years.length)
  return years.map((year, index) => ({
    reportingPeriodStart: `${year}-01-01`,
    reportingPeriodEnd: `${year}-12-31`,
    volume: index === 0 ? volume - volumePerVintage * (years.length - 1) : volumePerVintage,
    unitPrice: cents(price * (1 + 0.015 * index)),
    name: `${listing.registryId}-${year}`,
    mitigationTypes: newest?.mitigationTypes ?? ['removal'],
  }))
}

function pastYears(f: Faker, batches: Listing['creditAvailability']): number[] {
  const years = batches.map((batch) => yearOf(batch.reportingPeriodStart))
  return f.helpers.arrayElements(years, { min: 1, max: 2 }).sort()
}

function makePrePayments(f: Faker, totalPrice: number, submittedAt: number): Offer['prePayments'] {
  const shares = f.helpers.arrayElement([[], [0.1], [0.2], [0.3], [0.15, 0.15]])
  return shares.map((share, index) => ({
    amount: cents(totalPrice * share),
    paymentDueDate: daysAfter(calendarDate(submittedAt), 30 + 60 * index + f.number.int({ min: 0, max: 20 })),
  }))
}

interface ReviewInput extends Pick<ResponseInput, 'submittedAt'> {
  offerId: string
  /** Id of the reviewer. */
  sourceId: string
}

function makeReview({ offerId, sourceId, submittedAt }: ReviewInput): Review {
  const createdAt = timestamp(submittedAt)
  return {
    status: 'pending',
    offerId,
    source: 'channel',
    sourceId,
    comment: reviewComments.pending,
    createdAt,
    updatedAt: createdAt,
  }
}

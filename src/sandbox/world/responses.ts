import { sum } from '../../core/numbers.js'
import { addDays } from '../../core/time/calendar-days.js'
import { calendarDate, cents, timestamp, yearOf } from './calendar.js'
import { offerNotes, reviewComments } from './catalogue.js'
import type { RandomValues, SeededRandom } from './random.js'
import type { Listing, Offer, RfqResponse, RfqTerms } from './records.js'

type Review = NonNullable<Offer['review']>
type Delivery = Offer['scheduledDeliveries'][number]
type Vintage = Delivery['vintages'][number]

interface ResponseInput {
  /** Determines the id and all other values, e.g. `<rfq id>/response/2`. */
  seed: string
  rfq: RfqTerms
  listing: Listing
  submittedAt: Date
}

/** Generates a response to an RFQ. About one in four has a flaw that a buyer should notice; all match the schema. */
export function makeResponse(random: SeededRandom, { seed, rfq, listing, submittedAt }: ResponseInput): RfqResponse {
  const createdAt = timestamp(submittedAt)
  const review = {
    ...{ status: 'pending', offerId: random.uuid(`${seed}/offer`), source: 'channel' },
    ...{ sourceId: random.uuid(`${seed}/reviewer`), comment: reviewComments.pending, createdAt, updatedAt: createdAt },
  }
  return {
    id: random.uuid(seed),
    listingId: listing.id,
    projectName: listing.projectName,
    projectDeveloperName: listing.organizationName,
    status: 'submitted',
    submittedAt: createdAt,
    offer: { ...makeOffer(random.values(seed), rfq, listing, calendarDate(submittedAt)), review },
  }
}

/** New terms for an offer: a few per cent cheaper, with a later expiry date. */
export function reviseOffer(values: RandomValues, { offer }: RfqResponse, now: number): Partial<Offer> {
  const factor = 1 - values.number(0.01, 0.06)
  const scheduledDeliveries = offer.scheduledDeliveries.map((delivery) => ({
    ...delivery,
    vintages: delivery.vintages.map((vintage) => ({ ...vintage, unitPrice: cents(vintage.unitPrice * factor) })),
  }))
  return {
    scheduledDeliveries,
    prePayments: offer.prePayments.map((payment) => ({ ...payment, amount: cents(payment.amount * factor) })),
    ...totals(scheduledDeliveries),
    expiryDate: addDays(calendarDate(now), values.integer(21, 45)),
    additionalNotesToBuyer: 'Revised terms; replaces our earlier offer.',
  }
}

/** The response after the channel accepted or rejected the offer in its review. */
export function reviewed(values: RandomValues, response: RfqResponse, now: number): RfqResponse {
  const status = values.chance(0.8) ? 'accepted' : 'rejected'
  const decision = { status, comment: reviewComments[status], updatedAt: timestamp(now) }
  return { ...response, offer: { ...response.offer, review: { ...(response.offer.review as Review), ...decision } } }
}

function makeOffer(values: RandomValues, rfq: RfqTerms, listing: Listing, submitted: string): Omit<Offer, 'review'> {
  const contractType = values.pick(rfq.contractTypes)
  const scheduledDeliveries = makeDeliveries(values, { rfq, listing, contractType, submitted })
  const total = totals(scheduledDeliveries)
  return withFlaw(values, {
    contractType,
    currency: rfq.pricing.currency,
    scheduledDeliveries,
    prePayments: contractType === 'forward' ? makePrePayments(values, total.totalPrice, submitted) : [],
    ...total,
    additionalNotesToBuyer: values.chance(0.6) ? values.pick(offerNotes) : '',
    expiryDate: addDays(rfq.responseDueDate, values.integer(10, 60)),
  })
}

/** Adds one of the flaws seen in real offers, or none. */
function withFlaw(values: RandomValues, offer: Omit<Offer, 'review'>): Omit<Offer, 'review'> {
  const flaw = values.weighted<Partial<Offer>>([
    [20, {}],
    [1, { totalPrice: cents(offer.totalPrice + 0.03) }],
    [1, { totalPrice: cents(offer.totalPrice * 0.98) }],
    [1, { totalVolume: offer.totalVolume + 500 }],
    [1, { currency: offer.currency === 'EUR' ? 'USD' : 'EUR' }],
    [1, { expiryDate: null }],
    [1, { prePayments: [], additionalNotesToBuyer: 'Payment terms to be agreed.' }],
  ])
  return { ...offer, ...flaw }
}

function totals(deliveries: readonly Delivery[]): Pick<Offer, 'totalVolume' | 'totalPrice'> {
  const vintages = deliveries.flatMap((delivery) => delivery.vintages)
  return {
    totalVolume: sum(vintages.map((vintage) => vintage.volume)),
    totalPrice: cents(sum(vintages.map((vintage) => vintage.volume * vintage.unitPrice))),
  }
}

interface DeliveryInput extends Pick<ResponseInput, 'rfq' | 'listing'> {
  contractType: Offer['contractType']
  /** Calendar date. */
  submitted: string
}

function makeDeliveries(values: RandomValues, { rfq, listing, contractType, submitted }: DeliveryInput): Delivery[] {
  const isSpot = contractType === 'spot'
  const count = isSpot ? 1 : values.integer(1, 4)
  const volume = Math.max(10, Math.round(offeredVolume(values, rfq, listing) / count / 10) * 10)
  const price = offeredPrice(values, listing)
  const fulfilmentMethod = values.pick(['registryTransfer', 'registryTransfer', 'retirementOnBehalf'])
  const batchYears = listing.creditAvailability.map((batch) => yearOf(batch.reportingPeriodStart))
  return Array.from({ length: count }, (_, index) => {
    const fulfilmentDueDate = addDays(submitted, (isSpot ? 45 : 150) + index * 180 + values.integer(0, 30))
    const years = isSpot
      ? values.sample(batchYears, values.integer(1, 2)).sort()
      : [(batchYears.at(-1) ?? 2024) + 1 + index]
    return { fulfilmentDueDate, fulfilmentMethod, vintages: makeVintages(listing, { years, volume, price }) }
  })
}

/** Tonnes: mostly between the RFQ's minimum and maximum volume, and usually no more than the listing has available. */
function offeredVolume(values: RandomValues, { minVolume, maxVolume }: RfqTerms, listing: Listing): number {
  const volume = minVolume + (maxVolume - minVolume) * values.number(-0.1, 0.8)
  return values.chance(0.9) ? Math.min(volume, listing.totalAvailableVolume.value) : volume
}

/** A unit price near the listing's range; in rare cases well above it. */
function offeredPrice(values: RandomValues, { pricing }: Listing): number {
  const listPrice = values.number(pricing.minUnitPrice, pricing.maxUnitPrice)
  return listPrice * values.number(0.96, values.chance(0.1) ? 1.3 : 1.04)
}

/** Divides a delivery's tonnes over the years. */
function makeVintages(
  { registryId, creditAvailability }: Listing,
  { years, volume, price }: { years: readonly number[]; volume: number; price: number },
): Vintage[] {
  const each = Math.floor(volume / years.length)
  return years.map((year, index) => ({
    reportingPeriodStart: `${year}-01-01`,
    reportingPeriodEnd: `${year}-12-31`,
    volume: index === 0 ? volume - each * (years.length - 1) : each,
    unitPrice: cents(price * (1 + 0.015 * index)),
    name: `${registryId}-${year}`,
    mitigationTypes: creditAvailability.at(-1)?.mitigationTypes ?? ['removal'],
  }))
}

function makePrePayments(values: RandomValues, totalPrice: number, submitted: string): Offer['prePayments'] {
  const shares = values.pick([[], [0.1], [0.2], [0.3], [0.15, 0.15]])
  return shares.map((share, index) => ({
    amount: cents(totalPrice * share),
    paymentDueDate: addDays(submitted, 30 + 60 * index + values.integer(0, 20)),
  }))
}

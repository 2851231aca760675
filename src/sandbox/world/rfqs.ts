import { sum } from '../../core/numbers.js'
import { addDays } from '../../core/time/calendar-days.js'
import { calendarDate, cents, DAY, HOUR, timestamp, yearOf } from './calendar.js'
import { buyers, requirements } from './catalogue.js'
import type { RandomValues, SeededRandom } from './random.js'
import type { Listing, RfqTerms } from './records.js'

interface RfqInput {
  /** Seeds the id and all other values, e.g. `acme/forest/rfq/3`. */
  name: string
  number: number
  /** The listings whose developers are invited; at least one. */
  listings: readonly Listing[]
  /** When it was opened, epoch milliseconds. */
  openedAt: number
  responseDueDate: string
}

/** Generates an open RFQ addressed to the developers of some listings. */
export function makeRfq(
  random: SeededRandom,
  { name, number, listings, openedAt, responseDueDate }: RfqInput,
): RfqTerms {
  const values = random.values(name)
  const createdAt = openedAt - values.integer(1, 40 * 60) * 60_000
  const year = yearOf(calendarDate(openedAt))
  const minVolume = wantedVolume(values, listings)
  return {
    id: random.uuid(name),
    listingIds: listings.map((listing) => listing.id),
    state: 'open',
    number,
    reference: `RFQ-${year}-${String(number).padStart(4, '0')}`,
    buyerDescription: values.pick(buyers),
    contractTypes: values.pick([['spot'], ['forward'], ['spot', 'forward'], ['spot', 'forward']]),
    title: makeTitle(values, listings, year),
    fulfilmentDueDate: addDays(responseDueDate, values.integer(90, 900)),
    minVolume,
    maxVolume: minVolume * values.integer(2, 4),
    minVintageYear: values.chance(0.75) ? year - values.integer(3, 5) : 'Any',
    maxVintageYear: values.chance(0.5) ? year + values.integer(0, 3) : 'Any',
    pricing: makeBudget(values, listings),
    additionalRequirements: values.chance(0.7) ? values.sample(requirements, values.integer(1, 2)).join(' ') : '',
    reasonForPurchase: values.weighted([
      [7, 'buyToRetire'],
      [2, 'buyToSell'],
      [1, 'other'],
    ]),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(openedAt),
    openedAt: timestamp(openedAt),
    closedAt: null,
    responseDueDate,
  }
}

/** An amendment to an open RFQ: a later due date, a higher price or a new requirement. */
export function amendRfq(values: RandomValues, { pricing, responseDueDate }: RfqTerms): Partial<RfqTerms> {
  const kind = values.weighted([
    [3, 'due date'],
    [2, 'price'],
    [1, 'requirement'],
  ])
  if (kind === 'due date') return { responseDueDate: addDays(responseDueDate, values.integer(2, 7)) }
  if (kind === 'price') return { pricing: { ...pricing, maxUnitPrice: cents(pricing.maxUnitPrice * 1.1) } }
  return { additionalRequirements: values.pick(requirements) }
}

/** The moment, in office hours `days` before the due date, at which an RFQ was opened. */
export function openingBefore(values: RandomValues, dueDate: string, days: number): number {
  return Date.parse(dueDate) - days * DAY + values.integer(7 * 60, 17 * 60) * (HOUR / 60)
}

/** Listings a buyer would compare: those closest in price to a randomly chosen one. */
export function comparableListings(values: RandomValues, listings: readonly Listing[], count: number): Listing[] {
  if (listings.length === 0) return []
  const anchor = Math.log(middlePrice(values.pick(listings)))
  const distance = (listing: Listing) => Math.abs(Math.log(middlePrice(listing)) - anchor)
  return listings.toSorted((one, other) => distance(one) - distance(other)).slice(0, count)
}

const middlePrice = ({ pricing }: Listing) => (pricing.minUnitPrice + pricing.maxUnitPrice) / 2

/** A round volume that the listings can deliver. */
function wantedVolume(values: RandomValues, listings: readonly Listing[]): number {
  const available = sum(listings.map((listing) => listing.totalAvailableVolume.value)) / listings.length
  const round = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 50_000]
  return values.pick(round.filter((volume) => volume === 100 || volume <= available / 6).slice(-3))
}

function makeTitle(values: RandomValues, listings: readonly Listing[], year: number): string {
  const activity = listings[0]?.mainMitigationActivity ?? 'Carbon credits'
  return values.pick([
    `${activity} for ${year} retirement`,
    `${activity}: supply ${year} to ${year + 2}`,
    `${year} portfolio: ${activity.toLowerCase()}`,
    `Request for quote, ${activity.toLowerCase()}`,
  ])
}

/** A price range around the listings' prices, in the currency most of them use. */
function makeBudget(values: RandomValues, listings: readonly Listing[]): RfqTerms['pricing'] {
  const mean = sum(listings.map(middlePrice)) / listings.length
  const euros = listings.filter((listing) => listing.pricing.currency === 'EUR').length
  return {
    minUnitPrice: cents(mean * values.number(0.6, 0.85)),
    maxUnitPrice: cents(mean * values.number(1.05, 1.3)),
    currency: euros * 2 > listings.length ? 'EUR' : 'USD',
  }
}

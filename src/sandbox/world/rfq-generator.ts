import type { Faker } from '@faker-js/faker'
import { calendarDate, DAY, daysAfter, HOUR, timestamp, yearOf } from './calendar-dates.js'
import { buyers, requirements } from './catalogue.js'
import type { Listing, RfqTerms } from './document-types.js'
import { cents, sum } from './listing-generator.js'
import type { SeededRandom } from './seeded-random.js'

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
  const id = random.uuid(name)
  const f = random.faker(name)
  const createdAt = openedAt - f.number.int({ min: 1, max: 40 * 60 }) * 60_000
  const year = yearOf(calendarDate(openedAt))
  const minVolume = wantedVolume(f, listings)
  return {
    id,
    listingIds: listings.map((listing) => listing.id),
    state: 'open',
    number,
    reference: `RFQ-${year}-${String(number).padStart(4, '0')}`,
    buyerDescription: f.helpers.arrayElement(buyers),
    contractTypes: f.helpers.arrayElement([['spot'], ['forward'], ['spot', 'forward'], ['spot', 'forward']]),
    title: makeTitle(f, listings, year),
    fulfilmentDueDate: daysAfter(responseDueDate, f.number.int({ min: 90, max: 900 })),
    minVolume,
    maxVolume: minVolume * f.number.int({ min: 2, max: 4 }),
    minVintageYear: f.datatype.boolean(0.75) ? year - f.number.int({ min: 3, max: 5 }) : 'Any',
    maxVintageYear: f.datatype.boolean(0.5) ? year + f.number.int({ min: 0, max: 3 }) : 'Any',
    pricing: makeBudget(f, listings),
    additionalRequirements: f.datatype.boolean(0.7)
      ? f.helpers.arrayElements(requirements, { min: 1, max: 2 }).join(' ')
      : '',
    reasonForPurchase: f.helpers.weightedArrayElement([
      { value: 'buyToRetire', weight: 7 },
      { value: 'buyToSell', weight: 2 },
      { value: 'other', weight: 1 },
    ]),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(openedAt),
    openedAt: timestamp(openedAt),
    closedAt: null,
    responseDueDate,
  }
}

/** An amendment to an open RFQ: a later due date, a higher price or a new requirement. */
export function amendRfq(f: Faker, terms: RfqTerms): Partial<RfqTerms> {
  const { pricing, responseDueDate } = terms
  return f.helpers.weightedArrayElement<() => Partial<RfqTerms>>([
    { weight: 3, value: () => ({ responseDueDate: daysAfter(responseDueDate, f.number.int({ min: 2, max: 7 })) }) },
    { weight: 2, value: () => ({ pricing: { ...pricing, maxUnitPrice: cents(pricing.maxUnitPrice * 1.1) } }) },
    { weight: 1, value: () => ({ additionalRequirements: f.helpers.arrayElement(requirements) }) },
  ])()
}

/** The moment, in office hours `days` before the due date, at which an RFQ was opened. */
export function openingBefore(f: Faker, dueDate: string, days: number): number {
  return Date.parse(dueDate) - days * DAY + f.number.int({ min: 7 * 60, max: 17 * 60 }) * (HOUR / 60)
}

/** Listings a buyer would compare: those closest in price to a randomly chosen one. */
export function comparableListings(f: Faker, listings: readonly Listing[], count: number): Listing[] {
  if (listings.length === 0) return []
  const anchor = Math.log(middlePrice(f.helpers.arrayElement(listings)))
  const distance = (listing: Listing) => Math.abs(Math.log(middlePrice(listing)) - anchor)
  return listings.toSorted((one, other) => distance(one) - distance(other)).slice(0, count)
}

const middlePrice = ({ pricing }: Listing) => (pricing.minUnitPrice + pricing.maxUnitPrice) / 2

/** A round volume that the listings can deliver. */
function wantedVolume(f: Faker, listings: readonly Listing[]): number {
  const available = sum(listings.map((listing) => listing.totalAvailableVolume.value)) / listings.length
  const round = [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 50_000]
  return f.helpers.arrayElement(round.filter((volume) => volume === 100 || volume <= available / 6).slice(-3))
}

function makeTitle(f: Faker, listings: readonly Listing[], year: number): string {
  const activity = listings[0]?.mainMitigationActivity ?? 'Carbon credits'
  return f.helpers.arrayElement([
    `${activity} for ${year} retirement`,
    `${activity}: supply ${year} to ${year + 2}`,
    `${year} portfolio: ${activity.toLowerCase()}`,
    `Request for quote, ${activity.toLowerCase()}`,
  ])
}

/** A price range around the listings' prices, in the currency most of them use. */
function makeBudget(f: Faker, listings: readonly Listing[]): RfqTerms['pricing'] {
  const mean = sum(listings.map(middlePrice)) / listings.length
  const euros = listings.filter((listing) => listing.pricing.currency === 'EUR').length
  return {
    minUnitPrice: cents(mean * f.number.float({ min: 0.6, max: 0.85 })),
    maxUnitPrice: cents(mean * f.number.float({ min: 1.05, max: 1.3 })),
    currency: euros * 2 > listings.length ? 'EUR' : 'USD',
  }
}

/** RFQs with random offers, and what is right for them: computed by trying every set of offers, without the code under test. */
import fc from 'fast-check'
import type { TonnesRange } from '../../../src/compare/awards/award-rule.js'
import type { Award, Decision } from '../../../src/compare/decision/decision-model.js'
import { OFFER_REQUIREMENTS } from '../../../src/compare/offer/requirements.js'
import type { RfqReport } from '../../../src/compare/report/compare-offers.js'
import {
  type AwardTolerance,
  DEFAULT_SETTINGS,
  PRICE_BASES,
  type PriceBasis,
  REQUIREMENT_LEVELS,
  type RequirementLevels,
  type RequirementName,
} from '../../../src/core/decision/settings.js'
import {
  delivery,
  listingId,
  offerId,
  reportOn,
  response,
  review,
  storedDocument,
  vintage,
} from '../../helpers/data/comparison-inputs.js'
import { everySet, type TestLot, type TriedSet, unbeaten } from '../awards/award-sets.js'

type ArbitraryOf<T> = T extends fc.Arbitrary<infer Value> ? Value : never
export type Case = ArbitraryOf<ReturnType<typeof randomCase>>
export type InventedOffer = Case['offers'][number]

/** What one unit is worth in US dollars; an exact double. */
const RATES = { USD: 1, EUR: 1.25, GBP: null }
const DISCOUNT_RATE = 0.3

/** Cents per tonne in the comparison currency, the US dollar; null without a rate. */
export function dollarCents({ cents, currency }: InventedOffer): number | null {
  const rate = RATES[currency]
  return rate === null ? null : cents * rate
}

/** Dollars per tonne, as a price per tonne of the offer's own currency. */
export const ownPrice = ({ currency }: InventedOffer, dollars: number): number => dollars / (RATES[currency] ?? 1)

const DATES = { soon: '2026-03-30', later: '2026-09-30', late: '2027-02-01' }
const DAYS = { soon: 14, later: 198, late: 322 }
const deliveredOf = ({ fails, isSoon }: InventedOffer) =>
  fails.has('fulfilmentDate') ? 'late' : isSoon ? 'soon' : 'later'

/** Cents per tonne by which awards are compared; only of offers with a rate. */
function costPerTonne(offer: InventedOffer, basis: PriceBasis): number {
  const quoted = dollarCents(offer) ?? 0
  return basis === 'quoted' ? quoted : quoted / (1 + DISCOUNT_RATE) ** (DAYS[deliveredOf(offer)] / 365)
}

function reviewOf({ fails }: InventedOffer) {
  if (fails.has('reviewNotRejected')) return review('rejected')
  return fails.has('reviewAccepted') ? null : review('accepted')
}

/** @param unitPrice instead of its own */
function documentOf(offer: InventedOffer, number: number, unitPrice = offer.cents / 100) {
  const { volume, currency, status, isMissing, fails } = offer
  const year = fails.has('vintages') ? 2015 : 2023
  const line = { volume, unitPrice, reportingPeriodStart: `${year}-01-01`, reportingPeriodEnd: `${year}-12-31` }
  const body = response(number, {
    listingId: fails.has('listing') ? listingId(99) : listingId(1),
    status,
    submittedAt: fails.has('submittedOnTime') ? '2026-03-22T09:00:00.000Z' : '2026-03-02T09:00:00.000Z',
    offer: {
      currency,
      contractType: fails.has('contractType') ? 'spot' : 'forward',
      expiryDate: fails.has('notExpired') ? '2026-03-10' : '2026-06-30',
      review: reviewOf(offer),
      scheduledDeliveries: [delivery({ fulfilmentDueDate: DATES[deliveredOf(offer)], vintages: [vintage(line)] })],
    },
  })
  return isMissing ? storedDocument(body, { missingSince: '2026-03-12T10:00:00.000Z' }) : body
}

/** The report on a case; with a price of one offer, in dollars, changed. */
export function reportOf(of: Case, change: { at?: number; dollars?: number } = {}): RfqReport {
  const { offers, min, max, volume, maxCents, minCents, levels, tolerance, basis } = of
  const responses = offers.map((offer, at) =>
    documentOf(offer, at + 1, at === change.at ? ownPrice(offer, change.dollars ?? 0) : undefined),
  )
  return reportOn({
    responses,
    rfq: {
      ...{ minVolume: min, maxVolume: max, contractTypes: ['forward'], fulfilmentDueDate: '2026-12-31' },
      pricing: { minUnitPrice: minCents / 100, maxUnitPrice: maxCents / 100, currency: 'USD' },
    },
    settings: {
      ...{ currency: 'USD', exchangeRates: { EUR: { rate: RATES.EUR } }, discountRate: DISCOUNT_RATE },
      ...{ awardTolerance: tolerance, priceBasis: basis, volume, requirements: levels },
    },
  })
}

/** Positions of the offers of an award. */
export const membersOf = (award: Award): number[] => award.offers.map(({ id }) => Number(id.slice(-12)) - 1)
export const idOf = (at: number): string => offerId(at + 1)

/** The hard requirements that an offer does not meet. */
export function hardFailures({ maxCents, minCents, levels }: Case, offer: InventedOffer): Set<RequirementName> {
  const failed = new Set<RequirementName>(offer.fails)
  if (failed.has('reviewNotRejected')) failed.add('reviewAccepted')
  const price = dollarCents(offer)
  if (price !== null && price > maxCents) failed.add('priceMax')
  if (price !== null && price < minCents) failed.add('priceMin')
  return new Set([...failed].filter((name) => levels[name] === 'hard'))
}

/** Whether it may be awarded if it meets the requirements. */
const isOpen = (offer: InventedOffer) => offer.status === 'submitted' && !offer.isMissing && dollarCents(offer) !== null

/** Positions of the offers that compete, with one requirement waived or none. */
export const competing = (of: Case, waived: RequirementName | null = null): number[] =>
  of.offers.flatMap((offer, at) =>
    isOpen(offer) && [...hardFailures(of, offer)].every((name) => name === waived) ? [at] : [],
  )

const acceptedOf = ({ offers }: Case) => offers.filter(({ status }) => status === 'accepted')

/** The tonnes to award; null if no volume is asked for, or more than the maximum; `settled` if what is accepted suffices. */
export function rangeOf(of: Case, waived: RequirementName | null = null): TonnesRange | 'settled' | null {
  const { min, max, volume, levels } = of
  const lower = Math.max(min ?? 0, volume ?? 0)
  const isLimited = max !== null && levels.volumeMax === 'hard' && waived !== 'volumeMax'
  const upper = isLimited ? max : Math.max(2 * lower, max ?? 0)
  if (lower === 0 || upper < lower) return acceptedOf(of).length > 0 && lower === 0 ? 'settled' : null
  const fixed = acceptedOf(of).reduce((sum, offer) => sum + offer.volume, 0)
  if (fixed >= lower) return 'settled'
  return { lower: lower - fixed, upper: upper - fixed, isUpperStated: isLimited }
}

/** Some of the offers, with costs in cents by the price basis. */
const lotsOf = ({ offers, basis }: Case, positions: readonly number[]): TestLot[] =>
  positions.map((id) => {
    const offer = offers[id] as InventedOffer
    return { id, tonnes: offer.volume, cost: offer.volume * costPerTonne(offer, basis) }
  })

/** The best award, or `partial`: the most tonnes below the range, at the lowest cost. */
export type Best = { status: 'award' | 'partial'; tonnes: number; cost: number } | { status: 'none' }

export function bestAward(of: Case, positions: readonly number[], range: TonnesRange): Best {
  const { lower, upper, isUpperStated } = range
  const lots = lotsOf(of, positions)
  const isAllowed = ({ ids, tonnes }: TriedSet) =>
    (tonnes >= lower && tonnes <= upper) || (!isUpperStated && ids.length === 1 && tonnes > upper)
  const allowed = everySet(lots).filter(isAllowed)
  if (allowed.length > 0) {
    const share = of.tolerance === 'unlimited' ? Number.POSITIVE_INFINITY : of.tolerance
    const lowest = Math.min(...allowed.map(({ cost, tonnes }) => cost / tonnes))
    const equal = allowed.filter(({ cost, tonnes }) => cost / tonnes <= lowest * (1 + share) * (1 + 1e-9))
    const cost = Math.min(...equal.map((set) => set.cost))
    const best = equal.filter((set) => set.cost <= cost * (1 + 1e-9))
    return { status: 'award', cost, tonnes: Math.min(...best.map(({ tonnes }) => tonnes)) }
  }
  const below = everySet(lots).filter(({ tonnes }) => tonnes <= range.upper)
  if (below.length === 0) return { status: 'none' }
  const most = Math.max(...below.map(({ tonnes }) => tonnes))
  const cheapest = Math.min(...below.flatMap(({ tonnes, cost }) => (tonnes === most ? [cost] : [])))
  return { status: 'partial', cost: cheapest, tonnes: most }
}

/** The efficient sets of some of the offers. */
export const efficientSets = (of: Case, positions: readonly number[], upper: number): TriedSet[] =>
  unbeaten(everySet(lotsOf(of, positions)), upper)

/** In cents, by the price basis, as `TriedSet`. */
export const costOf = ({ costPerTonne: each, tonnes }: Award): number => 100 * each * tonnes

export const efficientChoices = ({ choices }: Decision) => choices.filter(({ kind }) => kind === 'efficient')

/** Random cases. Most requirements fail rarely, and most offers are open, so that awards exist. */
export function randomCase({ maxOffers }: { maxOffers: number }) {
  const failing = fc.uniqueArray(
    fc.constantFrom(...OFFER_REQUIREMENTS.filter((name) => name !== 'priceMax' && name !== 'priceMin')),
    { maxLength: 2 },
  )
  const rarely = <const T>(usual: T, weight: number, ...others: T[]) =>
    fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: fc.constantFrom(...others), weight: 1 })
  const offer = fc.record({
    // So few that sums are often equal, or of very different sizes.
    volume: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 40 }), weight: 9 }, fc.constantFrom(1 / 64, 40.25, 4_000)),
    // Per tonne, of its own currency. Often equal prices, 480 EUR and 600 USD among them.
    cents: fc.oneof(
      fc.integer({ min: 75, max: 450 }).map((quarter) => quarter * 4),
      fc.constantFrom(480, 600, 700),
    ),
    // There is no rate for pounds.
    currency: rarely('USD', 3, 'EUR', 'EUR', 'GBP'),
    status: rarely('submitted', 6, 'accepted', 'rejected', 'onHold', null),
    isMissing: rarely(false, 12, true),
    // Delivered, and paid, in two weeks instead of 198 days.
    isSoon: fc.boolean(),
    // What the offer does not meet.
    fails: fc.oneof(fc.constant([]), failing).map((list) => new Set(list)),
  })
  const names = Object.keys(DEFAULT_SETTINGS.requirements) as RequirementName[]
  const level = fc.constantFrom(...REQUIREMENT_LEVELS)
  const levels = fc.record(Object.fromEntries(names.map((name) => [name, level]))) as fc.Arbitrary<RequirementLevels>
  return fc
    .record({
      offers: fc.array(offer, { minLength: 1, maxLength: maxOffers }),
      hasMin: rarely(true, 9, false),
      lower: fc.integer({ min: 1, max: 90 }),
      extra: fc.option(fc.integer({ min: -2, max: 60 }), { nil: null, freq: 3 }),
      // Of the settings.
      volume: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null, freq: 2 }),
      maxCents: fc.integer({ min: 900, max: 1_800 }),
      minCents: fc.integer({ min: 300, max: 600 }),
      levels: fc.oneof(fc.constant(DEFAULT_SETTINGS.requirements), levels),
      tolerance: fc.constantFrom<AwardTolerance>(0, 0.02, 0.1, 'unlimited'),
      basis: fc.constantFrom(...PRICE_BASES),
    })
    .map(({ extra, hasMin, lower, ...rest }) => {
      const max = extra === null ? null : Math.max(1, lower + extra)
      return { ...rest, min: hasMin ? lower : null, max }
    })
}

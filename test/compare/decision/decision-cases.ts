import fc from 'fast-check'
import { OFFER_REQUIREMENTS } from '../../../src/compare/decision/award-requirements.js'
import type { Decision, DecisionAward } from '../../../src/compare/decision/decision-model.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import {
  DEFAULT_SETTINGS,
  REQUIREMENT_LEVELS,
  type RequirementLevels,
  type RequirementName,
  type SettingsInput,
} from '../../../src/core/settings.js'
import { comparisonInput, delivery, listingId, offerId, response, vintage } from '../../helpers/comparison-inputs.js'

/** What an invented offer does not meet, chosen by the test, not computed by the code under test. */
export interface InventedOffer {
  volume: number
  /** In cents per tonne of its own currency, so that sums are exact. */
  cents: number
  currency: 'USD' | 'EUR'
  developer: string
  fails: ReadonlySet<Exclude<RequirementName, 'priceMax' | 'priceMin' | 'volumeMax'>>
}

export interface Case {
  offers: InventedOffer[]
  min: number
  max: number | null
  maxCents: number
  minCents: number
  levels: RequirementLevels
}

/** What one unit is worth in US dollars; an exact double. */
export const RATES = { USD: 1, EUR: 1.25 }
/** Cents per tonne in the comparison currency, the US dollar. */
export const dollarCents = ({ cents, currency }: InventedOffer): number => cents * RATES[currency]

const review = (status: string) => ({
  status,
  offerId: 'o',
  source: 'ECB',
  sourceId: 's',
  comment: 'As found.',
  createdAt: '2026-03-05T10:00:00.000Z',
  updatedAt: '2026-03-05T10:00:00.000Z',
})

function reviewOf(fails: InventedOffer['fails']) {
  if (fails.has('reviewNotRejected')) return review('rejected')
  return fails.has('reviewAccepted') ? null : review('accepted')
}

/** The document of an invented offer. */
export function bodyOf({ volume, cents, currency, developer, fails }: InventedOffer, number: number) {
  const year = fails.has('vintages') ? 2015 : 2023
  return response(number, {
    projectDeveloperName: developer,
    listingId: fails.has('listing') ? listingId(99) : listingId(1),
    status: fails.has('status') ? 'rejected' : 'submitted',
    submittedAt: fails.has('submittedOnTime') ? '2026-03-22T09:00:00.000Z' : '2026-03-02T09:00:00.000Z',
    offer: {
      currency,
      contractType: fails.has('contractType') ? 'spot' : 'forward',
      expiryDate: fails.has('notExpired') ? '2026-03-10' : '2026-06-30',
      review: reviewOf(fails),
      scheduledDeliveries: [
        delivery({
          fulfilmentDueDate: fails.has('fulfilmentDate') ? '2027-02-01' : '2026-09-30',
          vintages: [
            vintage({
              volume,
              unitPrice: cents / 100,
              reportingPeriodStart: `${year}-01-01`,
              reportingPeriodEnd: `${year}-12-31`,
            }),
          ],
        }),
      ],
    },
  })
}

export function reportOf({ offers, min, max, maxCents, minCents, levels }: Case, settings: SettingsInput = {}) {
  return compareOffers(
    comparisonInput({
      responses: offers.map((offer, at) => bodyOf(offer, at + 1)),
      rfq: {
        minVolume: min,
        maxVolume: max,
        contractTypes: ['forward'],
        pricing: { minUnitPrice: minCents / 100, maxUnitPrice: maxCents / 100, currency: 'USD' },
      },
      settings: { currency: 'USD', exchangeRates: { EUR: { rate: RATES.EUR } }, requirements: levels, ...settings },
    }),
  )
}
export const decisionOf = (of: Case, settings: SettingsInput = {}): Decision => reportOf(of, settings).decision

/** The requirements that offer number `at` does not meet, whatever the levels. */
export function failuresOf({ offers, maxCents, minCents }: Case, at: number): Set<RequirementName> {
  const offer = offers[at]
  const failed = new Set<RequirementName>(offer?.fails)
  if (failed.has('reviewNotRejected')) failed.add('reviewAccepted')
  if (offer !== undefined && dollarCents(offer) > maxCents) failed.add('priceMax')
  if (offer !== undefined && dollarCents(offer) < minCents) failed.add('priceMin')
  return failed
}

export const hardOf = (levels: RequirementLevels): Set<RequirementName> =>
  new Set((Object.keys(levels) as RequirementName[]).filter((name) => levels[name] === 'hard'))

/** A set of offers by number, from 0. */
export interface BruteSet {
  members: number[]
  tonnes: number
  cents: number
}

/** All sets of offers, the empty one included. */
export function allSets({ offers }: Case): BruteSet[] {
  return Array.from({ length: 2 ** offers.length }, (_, mask) => {
    const members = offers.flatMap((_offer, at) => (mask & (2 ** at) ? [at] : []))
    const tonnes = members.reduce((total, at) => total + (offers[at]?.volume ?? 0), 0)
    const cents = offers.reduce(
      (total, offer, at) => total + (members.includes(at) ? offer.volume * dollarCents(offer) : 0),
      0,
    )
    return { members, tonnes, cents }
  })
}

/** The hard requirements a set does not meet. */
export function violations(of: Case, set: BruteSet, hard: ReadonlySet<RequirementName>): Set<RequirementName> {
  const failed = new Set(set.members.flatMap((at) => [...failuresOf(of, at)]))
  if (of.max !== null && set.tonnes > of.max) failed.add('volumeMax')
  return new Set([...failed].filter((name) => hard.has(name)))
}

/** The cheapest set that reaches a volume without violating a requirement; else the most tonnes, then the cheapest. */
export function bestSet(of: Case, hard: ReadonlySet<RequirementName>, wanted: number) {
  const compliant = allSets(of).filter((set) => violations(of, set, hard).size === 0)
  const reaching = compliant.filter(({ tonnes }) => tonnes >= wanted)
  const [cheapest] = reaching.sort((a, b) => a.cents - b.cents)
  if (cheapest !== undefined) return { reached: true, ...cheapest }
  const [largest] = compliant.sort((a, b) => b.tonnes - a.tonnes || a.cents - b.cents)
  return { reached: false, ...(largest ?? { members: [], tonnes: 0, cents: 0 }) }
}

/** Fewest requirements waived, then lowest cost, of the sets that reach a volume and can still be accepted; null if none does. */
export function closestSet(of: Case, hard: ReadonlySet<RequirementName>, wanted: number) {
  const final = new Set([...hard].filter((name) => name === 'status' || name === 'notExpired'))
  const [closest] = allSets(of)
    .filter((set) => set.tonnes >= wanted && violations(of, set, final).size === 0)
    .map((set) => ({ ...set, waived: violations(of, set, hard).size }))
    .sort((a, b) => a.waived - b.waived || a.cents - b.cents)
  return closest ?? null
}

/** Figures of an award that do not depend on which of several equal sets was chosen. */
export const figuresOf = (award: DecisionAward | null) =>
  award === null ? { reached: false, cents: 0 } : { reached: award.reached, cents: Math.round(award.total * 100) }

/** A random case. Most requirements fail rarely, so that awards exist. */
export function randomCase({ maxOffers }: { maxOffers: number }): fc.Arbitrary<Case> {
  const failing = fc.uniqueArray(
    fc.constantFrom(...OFFER_REQUIREMENTS.filter((name) => name !== 'priceMax' && name !== 'priceMin')),
    { maxLength: 2 },
  )
  const offer = fc.record({
    volume: fc.integer({ min: 1, max: 40 }),
    cents: fc.integer({ min: 75, max: 450 }).map((quarter) => quarter * 4),
    currency: fc.constantFrom('USD', 'USD', 'EUR'),
    developer: fc.constantFrom('a', 'b', 'c'),
    fails: fc.oneof(fc.constant([]), failing).map((list) => new Set(list) as InventedOffer['fails']),
  })
  const levels = fc.record(
    Object.fromEntries(
      (Object.keys(DEFAULT_SETTINGS.requirements) as RequirementName[]).map((name) => [
        name,
        fc.constantFrom(...REQUIREMENT_LEVELS),
      ]),
    ) as Record<RequirementName, fc.Arbitrary<'hard' | 'advisory' | 'off'>>,
  )
  return fc
    .record({
      offers: fc.array(offer, { minLength: 1, maxLength: maxOffers }),
      min: fc.integer({ min: 1, max: 90 }),
      extra: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null }),
      maxCents: fc.integer({ min: 900, max: 1_800 }),
      minCents: fc.integer({ min: 300, max: 600 }),
      levels: fc.oneof(fc.constant(DEFAULT_SETTINGS.requirements), levels),
    })
    .map(({ extra, ...rest }) => ({ ...rest, max: extra === null ? null : rest.min + extra }))
}

export { offerId }

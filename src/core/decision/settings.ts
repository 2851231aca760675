import { z } from 'zod'
import { compareBodies } from '../changes/compare-documents.js'
import { truncate } from '../text/clean-text.js'

/** Minimum and maximum of each number. */
export const SETTING_LIMITS = {
  awardTolerance: [0, 1],
  discountRate: [0, 1],
  rate: [1e-9, 1e9],
  volume: [0, 1e12],
} as const satisfies Record<string, readonly [min: number, max: number]>

const number = ([min, max]: readonly [number, number]) => z.number().min(min).max(max)
const TOLERANCE = 'Expected a share from 0 to 1, or unlimited'
const OFFERS = 'Expected numbers of offers: 2, or 2,5'
const text = () => z.string().trim().min(1)

export const CURRENCY_CODE = /^[A-Z]{3}$/
const CURRENCY = 'Expected a currency code of three capital letters, such as EUR'
export const currencyCode = z.string().regex(CURRENCY_CODE, { error: CURRENCY })

const exchangeRate = z.strictObject({
  /** What one unit of the currency is worth, in `currency`. */
  rate: number(SETTING_LIMITS.rate),
  /** Day of the rate, `YYYY-MM-DD`. */
  date: z.iso.date().nullable().default(null),
  source: text().nullable().default(null),
})
const exchangeRates = z.record(currencyCode, exchangeRate, {
  error: ({ code }) => (code === 'invalid_key' ? CURRENCY : undefined),
})

/** What an offer costs in the comparison: its total, or the present value of its payments. */
export const PRICE_BASES = ['quoted', 'present-value'] as const

/**
 * How a requirement is applied to awards. `hard`: an award that does not meet it is not compliant and not recommended.
 * `advisory`: the award may be recommended, and what it does not meet is named. `off`: not considered.
 */
export const REQUIREMENT_LEVELS = ['hard', 'advisory', 'off'] as const
export type RequirementLevel = (typeof REQUIREMENT_LEVELS)[number]

const level = (byDefault: RequirementLevel) => z.enum(REQUIREMENT_LEVELS).default(byDefault)

/** The requirements on offers and awards, in the order in which they are shown (compare/decision/requirements.ts). */
const requirements = z.strictObject({
  reviewNotRejected: level('hard'),
  reviewAccepted: level('advisory'),
  notExpired: level('hard'),
  contractType: level('hard'),
  vintages: level('hard'),
  fulfilmentDate: level('hard'),
  priceMax: level('hard'),
  priceMin: level('advisory'),
  submittedOnTime: level('advisory'),
  listing: level('advisory'),
  volumeMax: level('hard'),
})

/** The settings of a report, each with a default. The configuration uses the same schema. */
export const settingsSchema = z.strictObject({
  /**
   * The currency in which offers are compared and `exchangeRates` are quoted. Null: the RFQ's own, and no rate is used,
   * because its quote currency would be unknown.
   */
  currency: currencyCode.nullable().default(null),
  exchangeRates: exchangeRates.default({}),
  /** Where other rates are read from: a path as it is configured, or an address without its query. Null: nowhere. */
  ratesFrom: text().nullable().default(null),
  /** Yearly, as a fraction: 0.08 is 8 %. */
  discountRate: number(SETTING_LIMITS.discountRate).default(0.08),
  /** Awards that cost at most this share more per tonne than the cheapest are equal in price: the lowest total of them is recommended. */
  awardTolerance: z
    .union([z.number().min(0, TOLERANCE).max(1, TOLERANCE), z.literal('unlimited')], TOLERANCE)
    .default(0.02),
  /** What offers are compared by. */
  priceBasis: z.enum(PRICE_BASES).default('quoted'),
  /** Tonnes that an award must have at least, if that is more than the RFQ's minimum; null: the RFQ's minimum. */
  volume: number(SETTING_LIMITS.volume).nullable().default(null),
  /** Offers that are left out of one comparison, by their numbers: `2,5`; null: none. */
  without: z
    .union([z.int().min(1), z.string().regex(/^ *\d{1,6}( *, *\d{1,6})* *$/)], { error: OFFERS })
    .nullable()
    .default(null),
  /** How each requirement is applied to awards. */
  requirements: requirements.prefault({}),
})

export type Settings = z.output<typeof settingsSchema>
export type SettingsInput = z.input<typeof settingsSchema>
export type AwardTolerance = Settings['awardTolerance']
export type PriceBasis = Settings['priceBasis']
export type RequirementLevels = Settings['requirements']
/** The names of the requirements. */
export const requirementName = requirements.keyof()
export type RequirementName = z.infer<typeof requirementName>

/** The defaults of all settings. */
export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})

/** The settings that differ: `requirements.priceMax: hard → off`. */
export const differingSettings = (before: object, after: object): string[] =>
  compareBodies(before, after).map((each) => `${each.field}: ${valueText(each.before)} → ${valueText(each.after)}`)

const valueText = (value: unknown) =>
  value === null ? 'none' : truncate(typeof value === 'object' ? JSON.stringify(value) : String(value), 40)

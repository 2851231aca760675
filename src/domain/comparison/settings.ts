import { z } from 'zod'

/**
 * What an offer is scored by, 0 to 100 points each (the formulas stand at `Scores` in model.ts). They are the questions
 * a buyer asks of an offer of credits: what does it cost, does it cover the need, will it come in time, how soon, how
 * recent are the reductions, how much is paid before anything is delivered, how well is the project documented.
 */
export const CRITERIA = ['price', 'coverage', 'delivery', 'promptness', 'vintage', 'payment', 'evidence'] as const
export type Criterion = (typeof CRITERIA)[number]

export const CURRENCY_CODE = /^[A-Z]{3}$/
const currencyCode = z.string().regex(CURRENCY_CODE, 'three capital letters, such as USD')
const weight = z.number().min(0).max(1_000_000)
const share = z.number().min(0).max(1)
const haircut = z.number().min(0).max(0.99)

const exchangeRate = z.strictObject({
  /** What one unit of the currency is worth, in `currency`. */
  rate: z.number().positive().max(1e9),
  /** Day of the rate, `YYYY-MM-DD`. */
  date: z.string().nullable().default(null),
  source: z.string().nullable().default(null),
})

const weights = z
  .strictObject({
    price: weight.default(45),
    coverage: weight.default(15),
    delivery: weight.default(15),
    promptness: weight.default(5),
    vintage: weight.default(10),
    payment: weight.default(5),
    evidence: weight.default(5),
  } satisfies Record<Criterion, z.ZodType>)
  .refine((all) => Object.values(all).some((one) => one > 0), 'at least one weight must be above 0')

/** What the reader of a report may choose; every member has a default. Also fit to validate configuration. */
export const settingsSchema = z.strictObject({
  /**
   * Currency offers are compared in, and that `exchangeRates` are told in; null: the RFQ's own, and no rate is used,
   * because it would not be known what it is told in.
   */
  currency: currencyCode.nullable().default(null),
  exchangeRates: z.record(currencyCode, exchangeRate).default({}),
  weights: weights.prefault({}),
  /** Yearly, as a fraction: 0.08 is 8 %. */
  discountRate: z.number().min(0).max(1).default(0.08),
  /** Tonnes by which a stated volume may differ from the sum of its lines. */
  volumeTolerance: z.number().min(0).default(0.5),
  /** Fraction of a stated total by which it may differ from the sum of its lines (never less than 0.01 money units). */
  totalTolerance: share.default(0.001),
  /** An offer that expires within so many days is flagged. */
  expiryWindowDays: z.number().min(0).default(14),
  /** Share of the total that may be asked before delivery without a flag. */
  prepaymentShareLimit: share.default(0.3),
  /** Share of the volume thought not to arrive, by contract type; `other`: neither spot nor forward. */
  haircuts: z
    .strictObject({ spot: haircut.default(0), forward: haircut.default(0), other: haircut.default(0) })
    .prefault({}),
  /** Which of the RFQ's volumes is wanted: its minimum, its maximum or half-way. Coverage and awards aim at it. */
  wantedVolume: z.enum(['min', 'mid', 'max']).default('min'),
  /** Mean wait, in days, that halves the promptness score. */
  waitDays: z.number().positive().default(365),
  /** Points of the vintage score lost by each year of age. */
  vintagePointsPerYear: z.number().min(0).max(100).default(10),
  /** Rank offers although they expired; an accepted offer is ranked in any case. */
  rankExpired: z.boolean().default(false),
})

export type Settings = z.output<typeof settingsSchema>
export type SettingsInput = z.input<typeof settingsSchema>
export type WantedBasis = Settings['wantedVolume']

/** What applies where nothing was chosen. */
export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})

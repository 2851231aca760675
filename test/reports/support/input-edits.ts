import fc from 'fast-check'
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import {
  AWARD_RULES,
  type AwardRule,
  CRITERIA,
  type Criterion,
  PRICE_BASES,
  type PriceBasis,
  type RequirementLevels,
  type SettingsInput,
} from '../../../src/core/decision/settings.js'
import {
  comparisonInput,
  delivery,
  manyResponses,
  offerId,
  response,
  vintage,
} from '../../helpers/data/comparison-inputs.js'
import { mixedInput } from './rfq-cases.js'

/** Inputs a reader changes; absent ones keep their original value. */
export interface InputChanges {
  weights?: Partial<Record<Criterion, number>>
  discountRate?: number
  haircuts?: { spot?: number; forward?: number; other?: number }
  volume?: number
  awardRule?: AwardRule
  priceBasis?: PriceBasis
  requirements?: Partial<RequirementLevels>
  waitDays?: number
  /** By currency. */
  rates?: Record<string, number>
  /** Tonnes of the reader's own award, by offer id. */
  own?: Record<string, number>
}
export interface InputEdit {
  name: string
  input: ComparisonInput
  changes: InputChanges
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`

/** The changed cells of `Inputs`, by defined name. */
export function inputCells(changes: InputChanges): Record<string, number | string> {
  const named = (prefix: string, values: Record<string, number | string> = {}, as = (key: string) => key) =>
    Object.entries(values).map(([key, value]) => [`${prefix}${as(key)}`, value] as const)
  return Object.fromEntries([
    ...named('Weight_', changes.weights),
    ...named('Haircut', changes.haircuts, capital),
    ...named('Rate_', changes.rates),
    ...(changes.discountRate === undefined ? [] : [['DiscountRate', changes.discountRate] as const]),
    ...(changes.volume === undefined ? [] : [['VolumeSet', changes.volume] as const]),
    ...(changes.priceBasis === undefined ? [] : [['PriceBasis', changes.priceBasis] as const]),
    ...named('Require_', changes.requirements),
    ...(changes.awardRule === undefined ? [] : [['AwardRule', changes.awardRule] as const]),
    ...(changes.waitDays === undefined ? [] : [['WaitDays', changes.waitDays] as const]),
  ])
}

/** The settings of a report with these inputs. */
export function settingsWith(
  written: SettingsInput = {},
  { rates, own: _own, ...others }: InputChanges,
): SettingsInput {
  const exchangeRates = Object.entries(rates ?? {}).map(([code, rate]) => [code, { rate }])
  return {
    ...written,
    ...others,
    requirements: { ...written.requirements, ...others.requirements },
    weights: { ...written.weights, ...others.weights },
    haircuts: { ...written.haircuts, ...others.haircuts },
    exchangeRates: { ...written.exchangeRates, ...Object.fromEntries(exchangeRates) },
  }
}

const MIXED = mixedInput()
const onMixed = (name: string, changes: InputChanges): InputEdit => ({ name, input: MIXED, changes })

/** Changes of one input at a time, then of all, on an RFQ with every kind of offer. */
export const NAMED_EDITS: readonly InputEdit[] = [
  onMixed('weights', { weights: { price: 10, coverage: 80, evidence: 33.5 } }),
  onMixed('discount rate and haircuts', { discountRate: 0.25, haircuts: { forward: 0.4, spot: 0.01 } }),
  onMixed('tonnes asked for', { volume: 27_000 }),
  onMixed('own tonnes', { own: { [offerId(1)]: 3_000, [offerId(4)]: 0, [offerId(8)]: 70_000 } }),
  onMixed('exchange rate', { rates: { EUR: 0.9 } }),
  onMixed('best score', { awardRule: 'best-score' }),
  onMixed('price basis', { priceBasis: 'risk-adjusted', haircuts: { forward: 0.4 } }),
  onMixed('requirements', { requirements: { reviewAccepted: 'hard', priceMax: 'off' } }),
  onMixed('everything at once', {
    weights: { vintage: 50 },
    discountRate: 0,
    volume: 12_000,
    waitDays: 30,
    awardRule: 'best-score',
    rates: { EUR: 1.2 },
    own: { [offerId(4)]: 9_000.5 },
  }),
  {
    name: 'many offers',
    input: comparisonInput({ responses: manyResponses(30, 2, 5), rfq: { minVolume: 3_000, maxVolume: 13_000 } }),
    changes: { weights: { price: 5, vintage: 60 }, volume: 9_000, priceBasis: 'present-value' },
  },
]

// --- generated -------------------------------------------------------------------------------------------------------

const PRICE_FACTOR = { USD: 1, EUR: 0.9, JPY: 150 }
const line = fc.record({
  volume: fc.integer({ min: 100, max: 5_000 }),
  cents: fc.integer({ min: 600, max: 1_700 }),
  year: fc.integer({ min: 2019, max: 2026 }),
  month: fc.integer({ min: 1, max: 12 }),
})
const offer = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  currency: fc.constantFrom('USD' as const, 'USD' as const, 'EUR' as const, 'JPY' as const),
  contractType: fc.constantFrom('spot', 'forward', 'option'),
  developer: fc.constantFrom('Acme', 'Beta', 'Gamma', 'Delta'),
  expired: fc.integer({ min: 0, max: 4 }),
  prepaid: fc.integer({ min: -8_000, max: 8_000 }),
})

function responseOf(number: number, made: typeof offer extends fc.Arbitrary<infer T> ? T : never) {
  const { lines, currency, contractType, developer, expired, prepaid } = made
  const scheduledDeliveries = lines.map(({ volume, cents, year, month }) => {
    const unitPrice = Math.round(cents * PRICE_FACTOR[currency]) / 100
    const [reportingPeriodStart, reportingPeriodEnd] = [`${year}-01-01`, `${year}-12-31`]
    const vintages = [vintage({ volume, unitPrice, reportingPeriodStart, reportingPeriodEnd })]
    return delivery({ fulfilmentDueDate: `2026-${String(month).padStart(2, '0')}-15`, vintages })
  })
  const prePayments = prepaid > 0 ? [{ amount: prepaid, paymentDueDate: '2026-05-01' }] : []
  const expiryDate = expired === 0 ? '2026-03-01' : '2026-06-30'
  const terms = { currency, contractType, scheduledDeliveries, prePayments, expiryDate }
  return response(number, { projectDeveloperName: developer, offer: terms })
}

const rfqWithOffers = fc
  .record({
    offers: fc.array(offer, { minLength: 4, maxLength: 9 }),
    minVolume: fc.integer({ min: 500, max: 6_000 }),
    times: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ offers, minVolume, times }) =>
    comparisonInput({
      responses: offers.map((made, at) => responseOf(at + 1, made)),
      rfq: { minVolume, maxVolume: minVolume * times },
      settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.1 }, JPY: { rate: 0.0066 } } },
    }),
  )

const share = (max: number) => fc.integer({ min: 0, max: max * 1_000 }).map((thousandths) => thousandths / 1_000)
const weights = fc.record(
  Object.fromEntries(CRITERIA.map((criterion) => [criterion, fc.integer({ min: 1, max: 100 })])) as Record<
    Criterion,
    fc.Arbitrary<number>
  >,
  { requiredKeys: [] },
)
const changes = fc.record(
  {
    weights,
    discountRate: share(0.4),
    haircuts: fc.record({ spot: share(0.5), forward: share(0.5), other: share(0.5) }),
    volume: fc.integer({ min: 1, max: 20_000 }),
    awardRule: fc.constantFrom(...AWARD_RULES),
    priceBasis: fc.constantFrom(...PRICE_BASES),
    rates: fc.record({ EUR: share(3).map((rate) => rate + 0.01), JPY: share(0.02).map((rate) => rate + 0.001) }),
    own: fc.record({
      [offerId(1)]: fc.integer({ min: 0, max: 4_000 }),
      [offerId(2)]: fc.integer({ min: 0, max: 4_000 }),
    }),
  },
  { requiredKeys: ['weights', 'own'] },
) as fc.Arbitrary<InputChanges>

/** Generated RFQs with random changes of their inputs; the same for the same seed. */
export const generatedEdits = (count: number, seed: number): InputEdit[] =>
  fc
    .sample(fc.tuple(rfqWithOffers, changes), { numRuns: count, seed })
    .map(([input, made], at) => ({ name: `generated ${at + 1}`, input, changes: made }))

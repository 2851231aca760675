import fc from 'fast-check'
import type { ComparisonInput } from '../../../src/compare/comparison-input.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import {
  AWARD_RULES,
  type AwardRule,
  CRITERIA,
  type Criterion,
  REQUIREMENT_LEVELS,
  type RequirementLevels,
  type SettingsInput,
  type WantedBasis,
} from '../../../src/core/settings.js'
import {
  comparisonInput,
  delivery,
  manyResponses,
  offerId,
  response,
  vintage,
} from '../../helpers/comparison-inputs.js'
import { mixedInput } from './rfq-cases.js'

/** Inputs a reader changes; absent ones keep their original value. */
export interface InputChanges {
  weights?: Partial<Record<Criterion, number>>
  discountRate?: number
  haircuts?: { spot?: number; forward?: number; other?: number }
  wantedVolume?: WantedBasis
  awardRule?: AwardRule
  requirements?: Partial<RequirementLevels>
  waitDays?: number
  rankExpired?: boolean
  /** By currency. */
  rates?: Record<string, number>
  /** Tonnes of the reader's own award, by offer id. */
  own?: Record<string, number>
}
export interface InputEdit {
  name: string
  input: ComparisonInput
  changes: InputChanges
  /** Whether searched awards must be marked outdated; absent: either. */
  outdated?: boolean
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
    ...(changes.wantedVolume === undefined ? [] : [['WantedBasis', changes.wantedVolume] as const]),
    ...named('Require_', changes.requirements),
    ...(changes.awardRule === undefined ? [] : [['AwardRule', changes.awardRule] as const]),
    ...(changes.waitDays === undefined ? [] : [['WaitDays', changes.waitDays] as const]),
    ...(changes.rankExpired === undefined ? [] : [['RankExpired', changes.rankExpired ? 'yes' : 'no'] as const]),
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

/** The tonnes of the own award in a report, by offer id. */
export const ownTonnes = ({ awards }: RfqReport): Record<string, number> =>
  Object.fromEntries(
    awards
      .filter(({ scenario }) => scenario === 'own')
      .flatMap(({ winners }) => winners.map((line) => [line.offerId, line.tonnes])),
  )

const MIXED = mixedInput()
const onMixed = (name: string, outdated: boolean, changes: InputChanges): InputEdit => ({
  name,
  input: MIXED,
  changes,
  outdated,
})

/** Changes of one input at a time, then of all, on an RFQ with every kind of offer. */
export const NAMED_EDITS: readonly InputEdit[] = [
  onMixed('weights', false, { weights: { price: 10, coverage: 80, evidence: 33.5 } }),
  onMixed('discount rate and haircuts', false, { discountRate: 0.25, haircuts: { forward: 0.4, spot: 0.01 } }),
  onMixed('midpoint volume as target', false, { wantedVolume: 'mid' }),
  onMixed('own tonnes', false, { own: { [offerId(1)]: 30_000, [offerId(4)]: 0, [offerId(8)]: 700 } }),
  onMixed('exchange rates', true, { rates: { EUR: 0.7, JPY: 0.0068 } }),
  onMixed('expired offers ranked', true, { rankExpired: true }),
  onMixed('everything at once', true, {
    weights: { vintage: 50 },
    discountRate: 0,
    wantedVolume: 'min',
    waitDays: 30,
    rankExpired: true,
    rates: { EUR: 2 },
  }),
  {
    name: 'a rate of offers that cannot be ranked',
    input: comparisonInput({
      responses: [response(1), response(2), response(3, { status: 'rejected', offer: { currency: 'EUR' } })],
      settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.1 } } },
    }),
    changes: { rates: { EUR: 3 }, rankExpired: true },
    outdated: false,
  },
  {
    name: 'many offers',
    input: comparisonInput({ responses: manyResponses(30, 2, 5), rfq: { minVolume: 3_000, maxVolume: 13_000 } }),
    changes: { weights: { price: 5, vintage: 60 }, wantedVolume: 'max' },
    outdated: false,
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
    wantedVolume: fc.constantFrom('min' as const, 'mid' as const, 'max' as const),
  })
  .map(({ offers, minVolume, times, wantedVolume }) =>
    comparisonInput({
      responses: offers.map((made, at) => responseOf(at + 1, made)),
      rfq: { minVolume, maxVolume: minVolume * times },
      settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.1 }, JPY: { rate: 0.0066 } }, wantedVolume },
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
/** Inputs that do not affect searched awards. */
const withoutEffectOnAwards = {
  weights,
  discountRate: share(0.4),
  haircuts: fc.record({ spot: share(0.5), forward: share(0.5), other: share(0.5) }),
  wantedVolume: fc.constantFrom('min' as const, 'mid' as const, 'max' as const),
  own: fc.record({
    [offerId(1)]: fc.integer({ min: 0, max: 4_000 }),
    [offerId(2)]: fc.integer({ min: 0, max: 4_000 }),
  }),
}
const withEffectOnAwards = {
  rates: fc.record({ EUR: share(3).map((rate) => rate + 0.01), JPY: share(0.02).map((rate) => rate + 0.001) }),
  rankExpired: fc.boolean(),
}

/** Generated RFQs with random changes of their inputs; the same for the same seed. */
export function generatedEdits(count: number, seed: number): InputEdit[] {
  const unaffecting = fc.record(withoutEffectOnAwards) as fc.Arbitrary<InputChanges>
  const affecting = fc.record({ ...withoutEffectOnAwards, ...withEffectOnAwards }) as fc.Arbitrary<InputChanges>
  return fc
    .sample(fc.tuple(rfqWithOffers, unaffecting, affecting), { numRuns: count, seed })
    .map(([input, unaffectingChanges, affectingChanges], at) => ({
      name: `generated ${at + 1}`,
      input,
      changes: at % 2 === 1 ? affectingChanges : unaffectingChanges,
    }))
}

// --- switches --------------------------------------------------------------------------------------------------------

const failingOffer = fc.record({
  made: offer,
  status: fc.constantFrom('submitted', 'submitted', 'submitted', 'rejected'),
  review: fc.constantFrom(null, 'accepted', 'accepted', 'rejected'),
})
const rfqWithFailures = fc
  .record({
    offers: fc.array(failingOffer, { minLength: 2, maxLength: 7 }),
    minVolume: fc.integer({ min: 500, max: 8_000 }),
    times: fc.constantFrom(1.2, 2, 4),
  })
  .map(({ offers, minVolume, times }) =>
    comparisonInput({
      responses: offers.map(({ made, status, review }, at) => {
        const body = responseOf(at + 1, made)
        const terms = { ...(body.offer as object), review: review === null ? null : { ...REVIEW, status: review } }
        return { ...body, status, offer: terms }
      }),
      rfq: { minVolume, maxVolume: Math.round(minVolume * times), minUnitPrice: 8, maxUnitPrice: 13 },
      settings: { currency: 'USD', exchangeRates: { EUR: { rate: 1.1 }, JPY: { rate: 0.0066 } } },
    }),
  )
const REVIEW = { offerId: null, source: null, sourceId: null, comment: null }
const switches = fc.record({
  awardRule: fc.constantFrom(...AWARD_RULES),
  wantedVolume: fc.constantFrom('min' as const, 'mid' as const, 'max' as const),
  requirements: fc.dictionary(
    fc.constantFrom(
      'reviewNotRejected' as const,
      'reviewAccepted' as const,
      'status' as const,
      'notExpired' as const,
      'contractType' as const,
      'vintages' as const,
      'fulfilmentDate' as const,
      'priceMax' as const,
      'priceMin' as const,
      'volumeMax' as const,
    ),
    fc.constantFrom(...REQUIREMENT_LEVELS),
  ) as fc.Arbitrary<Partial<RequirementLevels>>,
})

/** Small RFQs whose offers fail requirements, with random switches. */
export const switchEdits = (count: number, seed: number): InputEdit[] =>
  fc.sample(fc.tuple(rfqWithFailures, switches), { numRuns: count, seed }).map(([input, changes], at) => ({
    name: `switches ${at + 1}`,
    input,
    changes,
  }))

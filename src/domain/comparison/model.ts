/**
 * The report on one RFQ: everything the workbook, `report --json`, CSV and HTML show. Plain JSON: no Date, no Map, no
 * undefined, no NaN or infinity, so the model is its own JSON form, told apart by `schema`.
 *
 * Conventions
 * - `null` is "not known or not to be computed"; why stands beside it (`reasons`, `reason`, `exclusions`).
 * - A number the documents hold is taken as sent; beyond 10^15 either way it is taken as not known (`implausible-numbers`).
 * - Volumes are tonnes CO2e; shares are fractions (0.25 is 25 %); scores run from 0 to 100; days are calendar days in the
 *   channel's time zone, counted from the as-of date.
 * - Amounts stand in the offer's own currency, except under `compared` and in awards, statistics and sensitivity: those
 *   are in `currency.comparison`.
 * - Every formula is written so that a spreadsheet can repeat it; ROUND(x, 6) is half away from zero.
 */
import type { Timestamp } from '../clock.js'
import type { CalendarDate, CloseDecision, DocumentProblem } from './input.js'
import type { Criterion, Settings, WantedBasis } from './settings.js'

/** Raised when a member changes its meaning or goes; added members do not raise it. */
export const REPORT_SCHEMA = 'quotekeeper.rfq-report/1'

export interface RfqReport {
  schema: typeof REPORT_SCHEMA
  context: ReportContext
  settings: Settings
  currency: CurrencyReport
  rfq: RfqTerms
  summary: Summary
  /** Ranked offers first, by rank; then the others, by `sequence`. */
  offers: OfferReport[]
  /** One of each scenario, in the order of AWARD_SCENARIOS. */
  awards: Award[]
  /** One of each volume of `rfq.wanted`: min, mid, max; a volume that occurs again is left out. */
  awardsByWanted: WantedAwards[]
  sensitivity: Sensitivity
  /** Oldest first. */
  changes: Change[]
  checks: Checks
  /** Newest first. */
  decisions: CloseDecision[]
  problems: DocumentProblem[]
  about: About
}

export interface ReportContext {
  channel: string
  timeZone: string
  asOf: Timestamp
  /** The as-of moment as a calendar date in the time zone: all days are counted from it. */
  asOfDate: CalendarDate
  generatedAt: Timestamp
  programVersion: string
}

/** Which observation a figure rests on. */
export interface Source {
  kind: 'rfq' | 'response' | 'listing'
  id: string
  version: number
  contentHash: string
  notBefore: Timestamp | null
  observedAt: Timestamp
  runId: number
  valid: boolean
}

// --- currency -------------------------------------------------------------------------------------------------------

/** Offers in a currency without a rate into `comparison` are not ranked. */
export interface CurrencyReport {
  /**
   * What offers are compared in: the one of the settings where the RFQ's own can be turned into it, else the RFQ's own,
   * else the only one the offers use; null if none of these is known, and then nothing is ranked.
   */
  comparison: string | null
  /** Why it is this one. */
  reason: string
  /** The RFQ's own, as a code of three capitals; null if it names none. */
  rfq: string | null
  /** Every currency that occurs, sorted; the comparison currency has rate 1. */
  rates: RateReport[]
}
export interface RateReport {
  currency: string
  /** Comparison currency per one unit; null if there is none. */
  rate: number | null
  date: CalendarDate | null
  source: string | null
  /** Offers in this currency. */
  offers: number
  /** Why there is no rate, or what it is; in words. */
  words: string
}

// --- the RFQ --------------------------------------------------------------------------------------------------------

export interface RfqTerms {
  source: Source
  id: string
  number: number | null
  reference: string | null
  title: string | null
  state: string | null
  buyerDescription: string | null
  additionalRequirements: string | null
  reasonForPurchase: string | null
  contractTypes: string[]
  listingIds: string[]
  createdAt: Timestamp | null
  updatedAt: Timestamp | null
  openedAt: Timestamp | null
  closedAt: Timestamp | null
  responseDueDate: CalendarDate | null
  /** Negative once it has passed; 0 on the day itself. */
  daysToDue: number | null
  fulfilmentDueDate: CalendarDate | null
  daysToFulfilment: number | null
  minVolume: number | null
  maxVolume: number | null
  /** null: no limit (`Any`, or not said). */
  minVintageYear: number | null
  maxVintageYear: number | null
  /** In the RFQ's currency, as sent. */
  minUnitPrice: number | null
  maxUnitPrice: number | null
  currency: string | null
  /** The limits in the comparison currency; null where there is no limit or no rate. */
  comparedMinUnitPrice: number | null
  comparedMaxUnitPrice: number | null
  wanted: Wanted
  /** Missing from the channel's list since. */
  missingSince: Timestamp | null
  flags: Flag[]
}

/** The volume coverage and awards aim at. */
export interface Wanted {
  /** The basis chosen in the settings. */
  basis: WantedBasis
  /** Tonnes; null if the RFQ names no volume above 0. */
  volume: number | null
  /** Min, half-way and max; where only one is named all three are that one. */
  min: number | null
  mid: number | null
  max: number | null
  /** Which of the RFQ's figures it is, in words. */
  words: string
}

// --- one offer ------------------------------------------------------------------------------------------------------

export interface OfferReport {
  source: Source
  id: string
  /** 1, 2, … by `submittedAt` (unknown last), then id. Every tie between offers goes to the lower sequence. */
  sequence: number
  /** Short and unique within the report: the developer, where needed with the project or a number. */
  label: string
  /** `summary`: only the summary within the RFQ could be read; it has no lines, pre-payments or review. */
  shape: 'full' | 'summary'
  listingId: string | null
  developer: string | null
  project: string | null
  status: string | null
  submittedAt: Timestamp | null
  /** Submitted after the RFQ's `responseDueDate` had ended in the time zone; null if either is unknown. */
  late: boolean | null
  /** False while the RFQ does not show it. */
  inView: boolean
  missingSince: Timestamp | null
  terms: OfferTerms
  lines: DeliveryLine[]
  prepayments: PrepaymentLine[]
  listing: ListingQuality
  metrics: Metrics
  compared: Compared
  eligibility: Eligibility
  /** One of each requirement the RFQ states, in the order of REQUIREMENTS; those it does not state are left out. */
  requirements: Requirement[]
  /** All of `requirements` are met; one that cannot be told is not met. */
  meetsRequirements: boolean
  /** null where the offer is not ranked. */
  scores: Scores | null
  /** By total score, highest first: among ranked offers 1, 2, … without gaps; null where it is not ranked. */
  rank: number | null
  /** By `compared.price`, lowest first, likewise. */
  priceRank: number | null
  /** Most severe first. */
  flags: Flag[]
}

export interface OfferTerms {
  contractType: string | null
  /** As sent. */
  currency: string | null
  /** `currency` as a code of three capitals; null if it is none. */
  currencyCode: string | null
  statedVolume: number | null
  statedTotal: number | null
  expiryDate: CalendarDate | null
  /** Negative once it has passed. */
  daysToExpiry: number | null
  notes: string | null
  review: ReviewReport | null
}
export interface ReviewReport {
  status: string | null
  source: string | null
  comment: string | null
  createdAt: Timestamp | null
  updatedAt: Timestamp | null
}

/** One vintage of one scheduled delivery. A delivery without vintages has no line. */
export interface DeliveryLine {
  /** 1, 2, … as sent. */
  delivery: number
  vintage: number
  dueDate: CalendarDate | null
  /** Days from as-of to due; negative if past. */
  days: number | null
  method: string | null
  periodStart: CalendarDate | null
  periodEnd: CalendarDate | null
  /** Year of the period's start (of its end, if that is all there is). */
  vintageFromYear: number | null
  /** Year of the period's end (of its start, if that is all there is): the year the line is charted and scored under. */
  vintageYear: number | null
  name: string | null
  mitigationTypes: string[]
  volume: number | null
  unitPrice: number | null
  /** volume × unitPrice; null if either is. */
  total: number | null
  /** 1 / (1 + discount rate) ^ (MAX(0, days) / 365); 1 if undated. */
  discountFactor: number
}
export interface PrepaymentLine {
  /** 1, 2, … as sent. */
  number: number
  amount: number | null
  dueDate: CalendarDate | null
  days: number | null
  /** As for a delivery line. */
  discountFactor: number
}

/** The project behind the offer, as its developer describes it: nothing here has been verified. */
export interface ListingQuality {
  /** False: no listing of this id was ever observed. */
  known: boolean
  missingSince: Timestamp | null
  source: Source | null
  projectName: string | null
  organizationName: string | null
  country: string | null
  registry: string | null
  registryId: string | null
  methodologies: string[]
  mitigationActivity: string | null
  ecosystemTypes: string[]
  ecosystemSubtypes: string[]
  /** "As claimed". */
  labels: string[]
  projectStages: string[]
  firstIssuanceDate: CalendarDate | null
  /** `https:` or null. */
  storefrontUrl: string | null
  /** The listing's total available volume, tonnes. */
  availableVolume: number | null
  /** The listing's own price range, in its own currency. */
  minUnitPrice: number | null
  maxUnitPrice: number | null
  currency: string | null
  /** How many of the six facts are stated: country, registry, registry id, methodology, mitigation activity, label. */
  factsStated: number
}

/** In the offer's own currency. */
export interface Metrics {
  lineCount: number
  /** Σ volume over the lines (SUMIFS; an absent volume counts 0). */
  sumVolume: number
  /** Σ line total (SUMIFS; an absent total counts 0). */
  sumValue: number
  /**
   * Where volume and total are taken from. `lines`: there are lines, each with a volume ≥ 0 and a price ≥ 0, and both
   * sums are above 0. `stated`: else, if the stated volume and total are both above 0. null: neither.
   */
  basis: 'lines' | 'stated' | null
  /** `sumVolume` or `statedVolume`, as the basis says. */
  volume: number | null
  /** `sumValue` or `statedTotal`, as the basis says. */
  total: number | null
  /** Volume-weighted: sumValue / sumVolume, only where the basis is `lines`. */
  vwap: number | null
  /** statedTotal / statedVolume, where both are above 0. */
  statedPrice: number | null
  /** total / volume: the price per tonne this report speaks of. */
  pricePerTonne: number | null
  /** statedVolume − sumVolume, where there are lines and each has a volume. */
  volumeDifference: number | null
  /** statedTotal − sumValue, where there are lines and each has a total. */
  totalDifference: number | null
  volumeVerdict: Reconciled
  totalVerdict: Reconciled
  firstDelivery: CalendarDate | null
  lastDelivery: CalendarDate | null
  /** Least `vintageFromYear`. */
  oldestVintage: number | null
  /** Greatest `vintageYear`. */
  newestVintage: number | null
  /** Σ volume × days / Σ volume, over lines with a volume above 0 and a date. */
  meanWaitDays: number | null
  /** Σ volume × vintageYear / Σ volume, over lines with a volume above 0 and a vintage year. */
  meanVintageYear: number | null
  /**
   * Σ volume of lines due on or before the RFQ's fulfilmentDueDate / Σ volume, over lines with a volume above 0 (an
   * undated line is not on time); null if the RFQ names no date or no line has a volume.
   */
  onTimeShare: number | null
  /** Σ MAX(0, amount) over the pre-payments. */
  prepaid: number
  /** prepaid / total; above 1 if more is asked than the whole. null if unknown, as for a summary. */
  prepaidShare: number | null
  /**
   * Σ MAX(0, amount) × factor + (1 − MIN(1, prepaidShare)) × balance; balance = Σ line total × factor where the basis is
   * `lines`, else the stated total at face value. Pre-payments are part of the total; the rest is paid at delivery, pro
   * rata. What is overdue or undated counts at face value. A summary's pre-payments are unknown and taken as none.
   */
  presentValue: number | null
  presentValuePerTonne: number | null
  /** Of the settings, by contract type. */
  haircut: number
  /** presentValuePerTonne / (1 − haircut). */
  riskAdjustedPrice: number | null
  /** MIN(1, volume / wanted volume). */
  coverage: number | null
  /** Why a member above is null. */
  reasons: Partial<Record<MetricName, string>>
}
export type MetricName = Exclude<keyof Metrics, 'reasons'>
/**
 * The difference at six decimals. `equal`: within 0.01 (volumes: within `settings.volumeTolerance`). `rounding`: more, but
 * within ROUND(MAX(0.01, settings.totalTolerance × ABS(statedTotal)), 6). `differs`: beyond it. null: one of the two is
 * not known.
 */
export type Reconciled = 'equal' | 'rounding' | 'differs' | null

/** In the comparison currency. */
export interface Compared {
  /** Comparison currency per unit of the offer's; null if there is no rate. */
  rate: number | null
  /** metrics.total × rate: what would be paid. Awards add these. */
  total: number | null
  /** metrics.pricePerTonne × rate: statistics and charts show this. */
  pricePerTonne: number | null
  /** ROUND(metrics.riskAdjustedPrice × rate, 6): price ranks and the price score go by this. */
  price: number | null
}

/** Whether the offer is ranked and may be awarded. */
export interface Eligibility {
  eligible: boolean
  exclusions: Exclusion[]
}
export interface Exclusion {
  code:
    | 'no-offer'
    | 'rejected'
    | 'withdrawn'
    | 'expired'
    | 'no-volume'
    | 'no-price'
    | 'no-currency'
    | 'no-exchange-rate'
  words: string
}

/** What an RFQ may demand. */
export const REQUIREMENTS = [
  'price-max',
  'price-min',
  'volume-min',
  'volume-max',
  'vintage-min',
  'vintage-max',
  'delivery',
  'contract-type',
  'on-time',
  'listing',
] as const
export interface Requirement {
  code: (typeof REQUIREMENTS)[number]
  /** What the RFQ asks, and what the offer has. Prices in the RFQ's currency. */
  asked: FlagValue
  found: FlagValue
  /** null: cannot be told. */
  met: boolean | null
}

/**
 * 0 to 100; what is not known earns 0, what the RFQ does not ask is earned by all (100).
 * - price: 100 × lowest `compared.price` of the ranked offers / own
 * - coverage: 100 × metrics.coverage; 100 if no volume is wanted
 * - delivery: 100 × metrics.onTimeShare; 100 if the RFQ names no fulfilmentDueDate
 * - promptness: 100 / (1 + MAX(0, metrics.meanWaitDays) / settings.waitDays)
 * - vintage: MAX(0, 100 − settings.vintagePointsPerYear × MAX(0, year of asOfDate − metrics.meanVintageYear))
 * - payment: 100 × (1 − MIN(1, metrics.prepaidShare))
 * - evidence: 100 × listing.factsStated / 6
 */
export type Scores = Record<Criterion, number> & {
  /** ROUND(SUMPRODUCT(weights, scores) / SUM(weights), 6): ranks go by this. */
  total: number
}

// --- flags ----------------------------------------------------------------------------------------------------------

export type Severity = 'high' | 'medium' | 'low'

export interface Flag {
  code: FlagCode
  severity: Severity
  /** One sentence that holds the numbers compared. */
  words: string
  /** The values compared, found first, then the limit. */
  compared: FlagValue[]
}
export interface FlagValue {
  /** Such as `price per tonne`, `maximum of the RFQ`. */
  what: string
  value: number | string | null
  /** Such as `t`, `USD/t`, `days`, `%`; null for dates, years, words. A share in `%` is given times 100. */
  unit: string | null
}

export type FlagCode = OfferFlagCode | RfqFlagCode
export const OFFER_FLAGS = [
  'no-offer',
  'invalid-document',
  'withdrawn',
  'rejected',
  'unknown-status',
  'review-not-accepted',
  'expired',
  'expiring',
  'no-expiry',
  'late-submission',
  'price-above-max',
  'price-below-min',
  'volume-below-min',
  'volume-above-max',
  'vintage-too-old',
  'vintage-too-new',
  'vintage-after-delivery',
  'delivery-after-due',
  'delivery-past',
  'contract-type-not-asked',
  'no-currency',
  'currency-differs',
  'no-exchange-rate',
  'volume-mismatch',
  'total-mismatch',
  'total-rounding',
  'summary-only',
  'no-lines',
  'no-volume',
  'no-prices',
  'no-dates',
  'no-vintages',
  'implausible-numbers',
  'prepayment-before-delivery',
  'prepayment-share',
  'prepayment-above-total',
  'no-registry-id',
  'listing-unknown',
  'listing-missing',
  'listing-not-asked',
  'listing-short',
  'price-above-listing',
] as const
export type OfferFlagCode = (typeof OFFER_FLAGS)[number]
export const RFQ_FLAGS = [
  'rfq-invalid',
  'rfq-missing',
  'rfq-overdue',
  'rfq-no-due-date',
  'rfq-no-offers',
  'rfq-no-volume',
  'rfq-no-price-limit',
  'rfq-limits-crossed',
] as const
export type RfqFlagCode = (typeof RFQ_FLAGS)[number]

// --- the whole ------------------------------------------------------------------------------------------------------

/** Statistics. Prices: `compared.pricePerTonne` of the ranked offers. */
export interface Summary {
  offers: number
  ranked: number
  excluded: number
  meetRequirements: number
  late: number
  /** By status as sent (`unknown` if absent), sorted. */
  byStatus: { status: string; offers: number }[]
  /** Volume-weighted mean is Σ total / Σ volume. All null without a ranked offer. */
  price: {
    lowest: number | null
    median: number | null
    highest: number | null
    mean: number | null
    weightedMean: number | null
    /** highest − lowest. */
    spread: number | null
  }
  /** Tonnes of all ranked offers. */
  volume: number
  /** MIN(1, volume / wanted). */
  coverage: number | null
  bestOffer: { id: string; label: string; score: number; pricePerTonne: number } | null
  cheapestOffer: { id: string; label: string; score: number; pricePerTonne: number } | null
  flags: Record<Severity, number>
  /** Offers with each flag; those that occur, in the order of OFFER_FLAGS. */
  flagCounts: { code: OfferFlagCode; severity: Severity; offers: number }[]
  changes: number
  problems: number
}

/**
 * Awards go to ranked offers only, minimise what is **paid** (Σ compared.total: nominal, not discounted), and aim at
 * `rfq.wanted.volume`. All-or-nothing: an offer is taken whole or not at all.
 * - cheapest-single: the one offer of at least the wanted volume that costs least.
 * - cheapest-combination: the set of whole offers that reaches the wanted volume for the least sum.
 * - cheapest-divisible: any part of an offer may be taken at its average price; exactly the wanted volume, filled from
 *   the lowest compared.pricePerTonne up.
 * - two-developers: as cheapest-combination, from at most two developers (names compared without case and outer blanks;
 *   an offer without a name is a developer of its own).
 * - meets-requirements: as cheapest-combination, of offers with `meetsRequirements`.
 * - best-score: whole offers in order of `rank`, until the wanted volume is reached: an offer is taken if the volume of
 *   all those ranked before it is less than wanted.
 * - own: the reader's; tonnes at the offer's average price.
 * Where the wanted volume cannot be reached, a scenario shows the most tonnes it can have, and `reached` is false.
 *
 * Orders a spreadsheet can repeat: it compares numbers loosely, so none is decided by the last bit.
 * - Reached, enough: tonnes >= wanted × (1 − 1E-9).
 * - cheapest-single: of the offers that are enough, least ROUND(cost, 6), then greatest ROUND(volume, 6), then lower
 *   sequence; where none is enough, of all ranked offers, greatest ROUND(volume, 6), then least ROUND(cost, 6), then
 *   lower sequence.
 * - cheapest-divisible: by ROUND(cost / volume, 6), then sequence; an offer is taken while more than wanted × 1E-9 is
 *   open: MIN(volume, open).
 * - best-score: an offer is taken unless the volume of those ranked before it is enough.
 * - The combinations: equal costs: more tonnes.
 */
export const AWARD_SCENARIOS = [
  'cheapest-single',
  'cheapest-combination',
  'cheapest-divisible',
  'two-developers',
  'meets-requirements',
  'best-score',
  'own',
] as const
export type AwardScenario = (typeof AWARD_SCENARIOS)[number]

/** Those that are searched for: no cell formula can solve them. */
export const EXACT_SCENARIOS = ['cheapest-combination', 'two-developers', 'meets-requirements'] as const
export type ExactScenario = (typeof EXACT_SCENARIOS)[number]
/** Whether a scenario is searched for. */
export const isExact = (scenario: AwardScenario): scenario is ExactScenario =>
  EXACT_SCENARIOS.some((exact) => exact === scenario)

/**
 * The exact scenarios for one wanted volume, so that whoever turns from the minimum to the maximum has the proven answer.
 * They rest on volumes, `compared.total`, developers, requirements and which offers are ranked; weights, discount rate
 * and haircuts do not touch them.
 */
export interface WantedAwards {
  /** The first that has this volume. */
  basis: WantedBasis
  wanted: number
  /** Those for the volume of `settings.wantedVolume` stand in `RfqReport.awards` as well. */
  awards: Record<ExactScenario, Award>
}

export interface Award {
  scenario: AwardScenario
  title: string
  /** The rule, in words. */
  rule: string
  /** Tonnes aimed at; null: no volume is wanted, and there is no award but `own`. */
  wanted: number | null
  reached: boolean
  /** By sequence. */
  winners: AwardLine[]
  tonnes: number
  /** MIN(1, tonnes / wanted). */
  coverage: number | null
  /** Comparison currency. */
  total: number
  /** total / tonnes; null for no tonnes. */
  blendedPrice: number | null
  /** rfq.comparedMaxUnitPrice × tonnes; null without a limit. */
  budget: number | null
  /** budget − total. */
  saving: number | null
  /** saving / budget. */
  savingShare: number | null
  developers: number
  /** MAX(0, tonnes − rfq.maxVolume); 0 without a maximum. The maximum is told of, not enforced. */
  tonnesOverMaximum: number
  /** Offers that could have been taken. */
  considered: number
  /** Proven least. False: the least found; `lowerBound` says how low it could be at all. */
  exact: boolean
  lowerBound: number | null
  /** How it was solved, or why there is none; in words. */
  words: string
}
export interface AwardLine {
  offerId: string
  label: string
  developer: string | null
  tonnes: number
  /** tonnes / the offer's volume. */
  shareOfOffer: number
  /** compared.pricePerTonne. */
  pricePerTonne: number
  /** shareOfOffer × compared.total. */
  total: number
}

/**
 * What would change the order. Played among the `contenders` only (the best-ranked, at most SENSITIVITY_LIMIT): ranks
 * are ranks among them, and the lowest price is the lowest of theirs, unless said otherwise. Ties: lower sequence.
 * Lists run parallel to `contenders`.
 */
export interface Sensitivity {
  contenders: { offerId: string; label: string }[]
  limit: number
  /** Ranked offers in all. */
  outOf: number
  /** In words: the bound, if offers were left out. */
  words: string
  /**
   * One weight moved by `shift` points (never below 0), the others as they are; scores as in `Scores` (lowest price of
   * all ranked offers). By criterion, then −20, −10, +10, +20.
   */
  weightShifts: (Standing & { criterion: Criterion; shift: number; weights: Record<Criterion, number> })[]
  /** Present values made anew at each rate; 0, 2.5, … 15 %. */
  discountRates: (Standing & { rate: number; prices: number[]; priceRanks: number[] })[]
  /** Coverage made anew for each wanted volume the RFQ names. */
  wantedVolumes: (Standing & {
    basis: WantedBasis
    wanted: number
    coverages: number[]
    /** cheapest-combination of all ranked offers for this volume. */
    combination: { tonnes: number; total: number; blendedPrice: number | null; reached: boolean; exact: boolean }
  })[]
  breakEven: BreakEven[]
}
/** The order in one case; all null where the weights add up to 0. */
export interface Standing {
  totals: (number | null)[]
  ranks: (number | null)[]
  winner: string | null
  /** The winner is not the one of the base case. */
  changed: boolean
}

/**
 * The price at which an offer would be first among the contenders, all else unchanged. With S = SUM(weights),
 * w = weight of price, A = Σ weight × score but price, L = lowest compared.price of the *other* contenders,
 * B = greatest (A_j + w × 100 × L / p_j) of the others:
 * - high = w × 100 × L / (B − A) if B > A, else none (first at any price);
 * - if high ≥ L that is it; else, below L, the others' price scores sink: the least over j of
 *   (A + w × 100 − A_j) × p_j / (w × 100), at most L. Not above 0: not first at any price.
 */
export interface BreakEven {
  offerId: string
  label: string
  /** Among contenders. */
  rank: number
  /** compared.price now. */
  price: number
  /** compared.price at or below which it is first. */
  breakEvenPrice: number | null
  /** The same as a nominal price per tonne: compared.pricePerTonne × breakEvenPrice / price. */
  breakEvenPricePerTonne: number | null
  /** breakEvenPrice / price − 1: negative, what it would have to come down by; positive, what it could go up by. */
  change: number | null
  /** Why there is none; else null. */
  reason: string | null
}

// --- history --------------------------------------------------------------------------------------------------------

/** A change happened after one observation and was seen by another; nobody knows when exactly. */
export interface Change {
  /** Last observation before it; null for what was there at the first. */
  after: Timestamp | null
  /** Observation that showed it. */
  seenBy: Timestamp
  entity: 'rfq' | 'offer'
  id: string
  label: string
  /** null for events without one (withdrawn, reinstated). */
  version: number | null
  event: ChangeEvent
  /** Path within the document, as `offer.scheduledDeliveries[0].vintages[1].unitPrice`; null for an event as a whole. */
  field: string | null
  before: ChangeValue
  value: ChangeValue
  /** Numbers: value − before; dates: days between; else null. */
  difference: number | null
  unit: 'number' | 'days' | null
  words: string
}
export type ChangeValue = string | number | boolean | null
/**
 * `appeared`: first seen (the RFQ; an offer: submitted). `withdrawn`: the RFQ showed it no longer. `opened`, `closed`:
 * the RFQ's state. `accepted`, `rejected`, `status`: the offer's. `review`: its review's status. `detail`: its full
 * document was read for the first time (or could no longer be), no change of its terms. `changed`: any other field.
 */
export type ChangeEvent =
  | 'appeared'
  | 'withdrawn'
  | 'reinstated'
  | 'opened'
  | 'closed'
  | 'status'
  | 'accepted'
  | 'rejected'
  | 'review'
  | 'detail'
  | 'changed'

// --- proof ----------------------------------------------------------------------------------------------------------

/**
 * Two figures that must agree. `figures`: this report's own arithmetic; a failure is a fault of the program. `data`: what
 * the marketplace sent; a failure is a question to the developer or the channel.
 */
export interface Check {
  id: string
  about: 'figures' | 'data'
  /** Label of the offer, or what else it is about. */
  subject: string
  offerId: string | null
  title: string
  left: { what: string; value: number | string | null }
  right: { what: string; value: number | string | null }
  /** left − right, for numbers. */
  difference: number | null
  /** Greatest difference that is `ok`; as `tolerance` where nothing is called rounding. null where texts are compared. */
  exact: number | null
  /** Greatest difference that passes. */
  tolerance: number | null
  /** Only a left side above the right one is wrong, not one below it. */
  oneSided: boolean
  /**
   * With d = ROUND(ABS(difference), 6), or ROUND(difference, 6) if `oneSided`: `ok` if d <= exact, else `rounding` if
   * d <= tolerance, else `fails`. `unknown`: one of the two is lacking.
   */
  verdict: 'ok' | 'rounding' | 'fails' | 'unknown'
  words: string
}
export interface Checks {
  /** Figures first, then data; by offer in their order. */
  checks: Check[]
  master: {
    /** `fails`: a check of figures fails. `attention`: a check of data fails. */
    verdict: 'ok' | 'attention' | 'fails'
    figures: CheckCounts
    data: CheckCounts
    words: string
  }
}
export interface CheckCounts {
  ok: number
  rounding: number
  fails: number
  unknown: number
}

export interface About {
  definitions: { term: string; words: string }[]
  /** What the data cannot say. */
  limits: string[]
  /** Every document the figures rest on: the RFQ, the offers, the listings. */
  sources: Source[]
  /** Observation runs named by the sources, ascending. */
  runs: number[]
}

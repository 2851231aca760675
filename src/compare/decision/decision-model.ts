/**
 * The decision: whom to award, why, and what could change that. `RfqReport.decision` holds it; plain JSON like the rest of
 * the report. docs/COMPARISON.md explains rule, requirements, baselines and negotiation.
 *
 * - **Awardable**: an offer with a volume and a price that can be compared. Offers that are rejected, withdrawn or expired
 *   are awardable, although they are not ranked: a requirement excludes them, which a person may switch.
 * - **Eligible**: awardable, and meets every requirement set to `hard`.
 * - **Compliant**: eligible, and its review is not rejected. The two differ only if `reviewNotRejected` is not `hard`.
 *
 * Awards take whole offers. Amounts are in `currency.comparison`; prices per tonne are nominal.
 */
import type { AwardRule, Criterion, RequirementLevel, RequirementName } from '../../core/settings.js'
import type { SwitchTable } from './switch-table-model.js'

export interface Decision {
  rule: AwardRule
  requirements: RequirementSwitch[]
  /**
   * Facts to read first: the RFQ is closed or overdue, a newer list says something else of it, an offer is accepted already. Empty if
   * there are none.
   */
  banners: Banner[]
  /**
   * What the rule recommends. Once an offer is accepted, its sentences are about the accepted award, and its figures still
   * those of the rule.
   */
  recommendation: Recommendation
  /** The decision made at the marketplace; null if no offer is accepted. */
  accepted: AcceptedAward | null
  /** The award that each rule chooses, with the requirements as set. Null if the rule finds none. */
  byRule: Record<AwardRule, DecisionAward | null>
  scenarios: Scenario[]
  /** What each hard requirement costs; in the order of `requirements`. Requirements that every offer meets are left out. */
  requirementCosts: RequirementCost[]
  savings: Savings | null
  /** One per offer, in the order of `RfqReport.offers`. */
  offers: OfferDecision[]
  negotiation: Negotiation
  criteria: CriteriaDecision
  /** Null with fewer than two ranked offers. */
  scoreLead: ScoreLead | null
  /** The awards for other choices of requirements and wanted volume, solved ahead. */
  switches: SwitchTable
}

export interface RequirementSwitch {
  name: RequirementName
  title: string
  level: RequirementLevel
  /** The key of the setting, for `report --set`: `requirements.priceMax`. */
  setting: string
  /** Number of awardable offers that do not meet it; for `volumeMax`, those that exceed the maximum alone. */
  offersNotMeeting: number
}

export interface Banner {
  code: 'rfq-closed' | 'rfq-overdue' | 'rfq-list-differs' | 'summary-differs' | 'offer-accepted'
  words: string
}

/** The accepted offers, and how they compare with the recommended award. */
export interface AcceptedAward {
  offers: Pick<AwardedOffer, 'offerId' | 'sequence' | 'name'>[]
  /** Their figures; null if the volume or price of one of them cannot be compared. */
  award: DecisionAward | null
  /** Whether the rule recommends exactly these offers. */
  isRecommended: boolean
  /** total − total of the recommended award; null without one of the two. */
  costDifference: number | null
  /** MAX(0, wanted − tonnes); null if either is not known. 0 if the tonnes that are known suffice. */
  missingTonnes: number | null
  /**
   * `Accepted: Developer · Project (offer 4): 5,000 t at 11.2 USD/t, 56,000 USD in total. It covers 50 % of the wanted
   * 10,000 t: 5,000 t are missing.` Of offers that cannot be compared, it says what is known, as offered, and why.
   */
  headline: string
  /** One sentence: the same as recommended, or by how much it is cheaper or dearer. */
  comparison: string
  /** The requirements that it does not meet, in words, also of offers that cannot be compared. */
  notMet: string[]
  /**
   * Its high flags in words, as in `Recommendation.conditions`, also of offers that cannot be compared. `volume-below-min` is among them
   * while the accepted offers together are below the RFQ's minimum.
   */
  flags: string[]
}

/** An award: tonnes bought from each offer, with everything it does not meet. */
export interface DecisionAward {
  offers: AwardedOffer[]
  tonnes: number
  total: number
  /** total / tonnes. */
  pricePerTonne: number | null
  developers: number
  reached: boolean
  /** MIN(1, tonnes / wanted). */
  coverage: number | null
  /** Mean score of the awarded offers, weighted by tonnes; null if one is not ranked. */
  score: number | null
  /** MAX(0, tonnes − wanted), and what these tonnes cost at `pricePerTonne`. */
  excessTonnes: number
  excessCost: number
  /** Every requirement that is not met, one entry for each requirement, in the order of `Decision.requirements`. */
  unmet: UnmetByAward[]
  /** Meets every hard requirement, and no awarded offer has a rejected review. */
  compliant: boolean
  /** Proven optimal under its rule. If false, it is the best award found, and `lowerBound` a lower bound on cost. */
  exact: boolean
  lowerBound: number | null
}

export interface AwardedOffer {
  offerId: string
  /** The number of the offer. */
  sequence: number
  label: string
  /** `Developer · Project`. */
  name: string
  developer: string | null
  project: string | null
  tonnes: number
  shareOfOffer: number
  pricePerTonne: number
  total: number
  score: number | null
  daysToExpiry: number | null
}

/** A requirement that at least one awarded offer, or the award as a whole, does not meet or is not determinable. */
export interface UnmetByAward {
  name: RequirementName
  title: string
  /** The level as set. A rejected review is listed at any level. */
  level: RequirementLevel
  /** The offers that do not meet it; empty if the award as a whole does not. */
  offerIds: string[]
  /** The reason with its numbers, for the first offer, and how many others there are. */
  words: string
}

export interface OfferDecision {
  offerId: string
  sequence: number
  awardable: boolean
  eligible: boolean
  compliant: boolean
  /** Every requirement that is not met at a level other than `off`; a rejected review at any level. */
  unmet: { name: RequirementName; title: string; level: RequirementLevel; met: false | null; words: string }[]
  /** Why it cannot be awarded or is not compliant, in words: the failed hard requirements. Null if compliant. */
  why: string | null
  /** Tonnes in the recommended award. */
  tonnes: number
  /** Tonnes in the accepted award; as `tonnes` while no offer is accepted. */
  awardedTonnes: number
}

export interface Recommendation {
  /**
   * - `award`: an award that satisfies the rule and reaches the wanted volume.
   * - `partial`: the eligible offers do not reach the wanted volume; the award is all of them (or, with the rule
   *   `best-score-compliant`, what fits within the maximum).
   * - `none`: no award satisfies the hard requirements; `closest` names the one that comes closest.
   * - `no-target`: the RFQ states no volume.
   * - `no-offers`: there are no offers, none can be awarded, or they were not read yet, as the headline says.
   */
  status: 'award' | 'partial' | 'none' | 'no-target' | 'no-offers'
  /** One sentence: what to do. */
  headline: string
  /** `Award Developer · Project: …`, one sentence for each awarded offer; at most MAX_SENTENCES. */
  awards: string[]
  award: DecisionAward | null
  /** The rule, coverage, score, and the distance to the runner-up. */
  reasons: string[]
  /**
   * High flags of the awarded offers, at most three; then what is not met, what is waived, reviews and expiry dates, by
   * requirement if more than three offers are awarded.
   */
  conditions: string[]
  /** Break-even prices, and the first weight, rate, volume or requirement that changes the award. */
  changes: string[]
  /** Questions to the awarded developers; the full list is under `negotiation`. */
  questions: { offerId: string; words: string }[]
  runnerUp: RunnerUp | null
  breakEven: AwardBreakEven[]
  /** The first case of the sensitivity analysis, by size of the change, that changes the award. Null: none does. */
  firstWeight: { criterion: Criterion; shift: number; offerIds: string[]; words: string } | null
  firstRate: { rate: number; offerIds: string[]; words: string } | null
  /** Whether the award depends on weights and rates at all: only with the rule `best-score-compliant`. */
  dependsOnScores: boolean
  /** Only if the recommended award does not reach the wanted volume. */
  closest: ClosestAward | null
}

/**
 * The award that the rule would choose if one of the awarded offers were not available; of these, the cheapest (with the
 * rule `best-score-compliant`: the one with the highest score).
 */
export interface RunnerUp {
  award: DecisionAward
  /** The awarded offer that it does without. */
  without: string
  /** total of the runner-up − total of the recommended award. */
  costDifference: number
  /** score of the recommended award − score of the runner-up; null if one has no score. */
  pointsDifference: number | null
  words: string
}

export interface AwardBreakEven {
  offerId: string
  label: string
  pricePerTonne: number
  /**
   * The highest nominal price per tonne at which the offer stays in the award, other prices unchanged. Under the price
   * rules it is exact: from there on, the cheapest award without this offer costs less. Under `best-score-compliant` it is
   * the price at which the best-ranked of the eligible offers behind it that are not awarded overtakes it.
   */
  breakEvenPricePerTonne: number | null
  /** breakEvenPricePerTonne / pricePerTonne − 1. */
  change: number | null
  /** One sentence; also why there is no break-even price. */
  words: string
}

/**
 * The award that reaches the wanted volume with the fewest hard requirements waived; of these, the cheapest. If no waiver
 * reaches it: the most tonnes with the fewest requirements waived.
 */
export interface ClosestAward {
  award: DecisionAward
  /** The hard requirements that would have to be waived; empty if only the rule `best-score-compliant` misses it. */
  waived: { name: RequirementName; title: string }[]
  words: string
}

export const SCENARIOS = [
  'recommended',
  'cheapest-single',
  'cheapest-combination',
  'cheapest-divisible',
  'two-developers',
  'only-compliant',
  'every-requirement',
  'best-score',
  'cheapest-regardless',
] as const
export type ScenarioName = (typeof SCENARIOS)[number]

/**
 * One way to award. `cheapest-single`, `-combination`, `-divisible`, `two-developers` and `best-score` are those of
 * `RfqReport.awards`: they take ranked offers, whatever the requirements, and name what would have to be waived.
 */
export interface Scenario {
  scenario: ScenarioName
  title: string
  /** One sentence. */
  rule: string
  /** Null if the scenario finds no award. */
  award: DecisionAward | null
  /** Titles of the hard requirements that the award does not meet, with the offers; empty if it meets all. */
  waived: string[]
  /** total − total of the recommended award; null unless both awards reach the wanted volume. */
  difference: number | null
  /** The cost of the scenario's constraint: total − total of the scenario without it. */
  constraint: { words: string; without: ScenarioName; cost: number | null } | null
  /** How it was solved, or why there is no award; one sentence. */
  words: string
}

export interface RequirementCost {
  name: RequirementName
  title: string
  /** total of the cheapest compliant award − total of the cheapest award without this requirement. */
  cost: number | null
  /** That award; null if there is none. */
  award: DecisionAward | null
  /** The key of `switches` for the requirements without this one. */
  key: string
  words: string
}

/** All baselines refer to the wanted tonnes. More tonnes than wanted are an excess with a cost, never a saving. */
export interface Savings {
  /** MIN(tonnes of the award, wanted). */
  tonnes: number
  /** tonnes × price per tonne of the award. */
  cost: number
  pricePerTonne: number
  excessTonnes: number
  excessCost: number
  baselines: Baseline[]
}

export interface Baseline {
  baseline: 'max-price' | 'median-offer' | 'next-best'
  title: string
  /** Null: there is no such baseline; `words` says why. */
  pricePerTonne: number | null
  /** pricePerTonne × tonnes. */
  cost: number | null
  /** Cost of the baseline − cost of the award, on the wanted tonnes. */
  saving: number | null
  savingShare: number | null
  /**
   * saving − excessCost, plus the excess cost of the baseline itself (the runner-up may have one): what is left if excess
   * tonnes are worth nothing to the buyer. For the runner-up, this is the difference of the two totals.
   */
  savingAfterExcess: number | null
  words: string
}

export interface Negotiation {
  /** At most this many offers have exact prices: awarded offers first, then by rank. */
  limit: number
  /** `RfqTerms.additionalRequirements`, in full. */
  additionalRequirements: string | null
  /** One per offer, in the order of `RfqReport.offers`. */
  offers: OfferNegotiation[]
}

export interface OfferNegotiation {
  offerId: string
  sequence: number
  label: string
  /** Code of the offer's currency; null if it states none. */
  ownCurrency: string | null
  pricePerTonne: number | null
  rankFirst: PriceTarget
  /** The price at which it would be part of the cheapest compliant award. */
  enterAward: PriceTarget
  terms: NegotiationTerm[]
  questions: string[]
}

export interface PriceTarget {
  /** The highest nominal price per tonne that suffices, in the comparison currency; null: see `words`. */
  pricePerTonne: number | null
  /** In the offer's own currency. */
  ownPricePerTonne: number | null
  /** pricePerTonne / the offer's price − 1. Negative: the decrease needed. */
  change: number | null
  words: string
}

export interface NegotiationTerm {
  code: 'delivery' | 'prepayment' | 'expiry' | 'price-max' | 'volume'
  /** Days earlier, share of the total, days of validity, price per tonne, tonnes. */
  value: number
  unit: string
  words: string
}

export interface CriteriaDecision {
  criteria: {
    criterion: Criterion
    title: string
    weight: number
    /** Null: fewer than two ranked offers. */
    distinguishes: boolean | null
    /** Empty if it distinguishes the offers. */
    words: string
  }[]
  /** The ranking without the criteria that do not distinguish; null if all do, or no weight is left. */
  ranking: { offerId: string; total: number; rank: number }[] | null
  words: string
}

/**
 * The score of the recommended offer less that of the next one, and how far each input moves it: whether preferences, rates
 * and prices would favour another offer. Among the contenders of the sensitivity analysis. Scores decide the award only
 * under the rule `best-score-compliant`.
 */
export interface ScoreLead {
  /** The best-ranked offer of the award; without one, the first-ranked offer. */
  offerId: string
  sequence: number
  /** The best-ranked of the other eligible offers that are not awarded; without one, of the other offers. */
  rivalId: string
  rivalSequence: number
  points: number
  /** One input changed, the others unchanged; widest first. */
  factors: LeadFactor[]
}

export interface LeadFactor {
  /** The key of the setting, such as `weights.price` (±20 points) or `haircuts.spot` (±10 points); `price`, `rivalPrice`. */
  factor: string
  title: string
  /** Lowest and highest value; of prices, the relative change. */
  low: number
  high: number
  /** The lead at these values. */
  lowPoints: number
  highPoints: number
}

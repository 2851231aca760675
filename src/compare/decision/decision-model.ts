/**
 * The decision: whom to award, why, and what could change that. `RfqReport.decision` holds it; plain JSON. docs/COMPARISON.md explains
 * the rules. Awards take whole offers. Amounts are payable, in `currency.comparison`; prices are per tonne.
 */
import type { AwardTolerance, PriceBasis, RequirementLevel, RequirementName } from '../../core/decision/settings.js'
import type { Exclusion } from '../offer/eligibility.js'
import type { UnmetRequirement } from '../offer/offer-report-model.js'

export interface Decision {
  /** `awardTolerance`. */
  tolerance: AwardTolerance
  priceBasis: PriceBasis
  requirements: RequirementSetting[]
  /** Facts to read first; empty if there are none. */
  banners: Banner[]
  recommendation: Recommendation
  /** Efficient awards by tonnes, then alternatives with a waived requirement. */
  choices: Choice[]
  /** Offers that do not compete, each with the reason. */
  excluded: ExcludedOffer[]
  /** What to ask, by developer. */
  questions: DeveloperQuestions[]
  /** What the award saves; null without an award, or without anything to compare it with. */
  savings: Savings | null
  /** Tonnes in the accepted award, or else in the recommended one, by offer id; offers without are absent. */
  awardedTonnes: Record<string, number>
}

/** One requirement, and how it is applied. */
export interface RequirementSetting {
  name: RequirementName
  title: string
  level: RequirementLevel
  /** The key of the setting, for `report --set`: `requirements.priceMax`. */
  setting: string
  /** Number of comparable, open offers that do not meet it; for `volumeMax`, those that exceed the maximum alone. */
  offersNotMeeting: number
}

export interface Banner {
  code:
    | 'rfq-missing'
    | 'rfq-closed'
    | 'rfq-not-open'
    | 'rfq-overdue'
    | 'rfq-invalid'
    | 'rfq-changed-since-read'
    | 'rfq-not-read'
  message: string
}

/** Tonnes bought from offers. */
export interface Award {
  offers: AwardedOffer[]
  tonnes: number
  /** Amount payable. */
  total: number
  /** total / tonnes. */
  pricePerTonne: number
  /** The comparison currency. */
  currency: string
  /** MIN(1, tonnes / lower end of the window); null if no volume is requested. */
  coverage: number | null
  /** Cost per tonne by `priceBasis`; equals `pricePerTonne` if that is `quoted`. */
  costPerTonne: number
}

export interface AwardedOffer {
  id: string
  /** The number of the offer in the report. */
  number: number
  /** `Developer · Project`, as far as they are known; with the number if two offers have the same. */
  name: string
  tonnes: number
  total: number
  pricePerTonne: number
}

export interface Recommendation {
  /**
   * - `award`: an award that reaches the lower end of the window.
   * - `partial`: nothing reaches it; the efficient award with the most tonnes.
   * - `accepted`: what is accepted reaches it, so nothing more is recommended.
   * - `none`: no offer can be awarded, or the RFQ is missing.
   * - `no-volume`: no volume is requested, or the minimum is above the maximum.
   * - `no-offers`: there are no offers, or they were not read yet.
   */
  status: 'award' | 'partial' | 'accepted' | 'none' | 'no-volume' | 'no-offers'
  /** What to do, how many offers were compared, and why the others were not. */
  headline: string
  /** The offers to award in addition to accepted ones; null if none. */
  award: Award | null
  /** The accepted offers, as far as they can be compared; null if none is accepted. */
  accepted: AcceptedAward | null
  /** At most three, each a comparison with the alternative that the award beats. */
  reasons: string[]
  /** What to check before signing. */
  conditions: string[]
  /** What would change the award: prices, a waived requirement. */
  changes: string[]
  breakEven: BreakEven[]
  /** Not null if the award is not proven to be the best by its rule: `ChosenAward.gap`. */
  gap: number | null
}

export interface AcceptedAward {
  offers: Pick<AwardedOffer, 'id' | 'number' | 'name'>[]
  /** Tonnes that are known. */
  tonnes: number
  /** Null if the volume or price of one of them cannot be compared. */
  award: Award | null
  /** What is known, and how much of the requested volume it covers. */
  message: string
}

/** The price up to which an awarded offer stays in the award, with the others unchanged. */
export interface BreakEven {
  offerId: string
  pricePerTonne: number
  /** Null: at any price. */
  breakEvenPricePerTonne: number | null
  message: string
}

export interface Choice {
  /**
   * `efficient`: no other award has at least as many tonnes for less. `recommended`: the recommended award, if it is a single offer that is
   * larger than the window. `waived`: without one requirement.
   */
  kind: 'efficient' | 'recommended' | 'waived'
  /** Of a waived requirement: its name. */
  requirement: RequirementName | null
  title: string
  award: Award
  isRecommended: boolean
  /** Against the efficient award before it: its extra tonnes, and what each of them costs. */
  extra: { tonnes: number; pricePerTonne: number } | null
  /** Price per tonne less that of the recommended award; null without one. */
  perTonneDifference: number | null
  /** What else leads to the same award. */
  notes: string[]
}

export interface ExcludedOffer {
  offerId: string
  number: number
  name: string
  /** The first reason. */
  code: Exclusion['code'] | UnmetRequirement['name'] | 'accepted'
  /** All reasons. */
  message: string
}

/** A letter to a developer. */
export interface DeveloperQuestions {
  developer: string
  subject: string
  /** Subject and body, to copy. */
  text: string
  /** A `mailto:` address with subject and body; a long body is cut. */
  mailto: string
  offers: { offerId: string; questions: string[] }[]
}

/** What the awarded tonnes cost less than at another price. */
export interface Savings {
  tonnes: number
  pricePerTonne: number
  /** The RFQ's maximum price in the comparison currency. */
  maxPrice: { pricePerTonne: number; amount: number } | null
  /** The median price of the offers that compete; null if there are fewer than three. */
  medianOffer: { pricePerTonne: number; amount: number } | null
  message: string
}

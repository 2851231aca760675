import type { WantedBasis } from '../settings.js'

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

/** Scenarios that need a search; cell formulas cannot solve them. */
export const EXACT_SCENARIOS = ['cheapest-combination', 'two-developers', 'meets-requirements'] as const

export type ExactScenario = (typeof EXACT_SCENARIOS)[number]

/** Whether a scenario needs a search. */
export const isExact = (scenario: AwardScenario): scenario is ExactScenario =>
  EXACT_SCENARIOS.some((exact) => exact === scenario)

/**
 * The exact scenarios for one wanted volume, so that the optimal award is available for each target. They depend on
 * volumes, `compared.total`, developers, requirements and which offers are ranked, not on weights, discount rate or
 * haircuts.
 */
export interface AwardsForVolume {
  /** The first that has this volume. */
  basis: WantedBasis
  wanted: number
  /** Those for the volume of `settings.wantedVolume` stand in `RfqReport.awards` as well. */
  awards: Record<ExactScenario, Award>
}

export interface Award {
  scenario: AwardScenario
  title: string
  /** The rule, as a sentence. */
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
  /** MAX(0, tonnes − rfq.maxVolume); 0 without a maximum. The maximum is reported, not enforced. */
  tonnesOverMaximum: number
  /** Number of offers considered. */
  considered: number
  /** Proven optimal. If false, it is the best found, and `lowerBound` is a lower bound on cost. */
  exact: boolean
  lowerBound: number | null
  /** How it was solved, or why there is no award; one sentence. */
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

import type { WantedBasis } from '../../core/settings.js'

/**
 * Awards include ranked offers only, minimise the amount **paid** (Σ compared.total: nominal, not discounted), and aim at
 * `rfq.wanted.volume`.
 * - cheapest-single: the cheapest offer that covers the wanted volume alone.
 * - cheapest-combination: the set of whole offers that reaches the wanted volume at the lowest total.
 * - cheapest-divisible: any part of an offer may be taken at its average price; exactly the wanted volume, filled from the
 *   lowest compared.pricePerTonne up.
 * - two-developers: like cheapest-combination, from at most two developers. Names are compared without case and surrounding
 *   blanks; an offer without a name counts as a separate developer.
 * - meets-requirements: like cheapest-combination, from offers with `meetsRequirements`.
 * - best-score: whole offers in order of `rank`, until the wanted volume is reached.
 * - own: the tonnes the reader enters, at the offer's average price.
 * If the wanted volume cannot be reached, a scenario shows the maximum it can award, and `reached` is false.
 *
 * Comparisons are rounded, so that a spreadsheet, which ignores the last digits of a double, arrives at the same result:
 * - A volume covers or reaches the wanted volume if it is at least wanted × (1 − 1E-9).
 * - cheapest-single: among the offers that cover the wanted volume, lowest ROUND(cost, 6), then largest ROUND(volume, 6),
 *   then lower sequence; if none does, among all ranked offers, largest ROUND(volume, 6), then lowest ROUND(cost, 6), then
 *   lower sequence.
 * - cheapest-divisible: by ROUND(cost / volume, 6), then sequence; MIN(volume, remainder) is taken while the remainder is
 *   above wanted × 1E-9.
 * - best-score: an offer is taken unless those ranked before it reach the wanted volume.
 * - Combinations of equal cost: more tonnes first.
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
export const isExact = (scenario: string): scenario is ExactScenario =>
  EXACT_SCENARIOS.some((exact) => exact === scenario)

/**
 * The exact scenarios for one wanted volume, so that the optimal award is available for each target. They depend on
 * volumes, `compared.total`, developers, requirements and which offers are ranked, not on weights, discount rate or
 * haircuts.
 */
export interface AwardsForVolume {
  /** The first basis with this volume. */
  basis: WantedBasis
  wanted: number
  /** The awards for the volume of `settings.wantedVolume` are in `RfqReport.awards` too. */
  awards: Record<ExactScenario, Award>
}

export interface Award {
  scenario: AwardScenario
  title: string
  /** The rule of the scenario; one sentence. */
  rule: string
  /** The wanted volume in tonnes; if null, only `own` can have an award. */
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
  /** True if proven optimal. If false, this is the best award found, and `lowerBound` is a lower bound on its cost. */
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

import type { Criterion, WantedBasis } from '../settings.js'

/**
 * Sensitivity of the ranking. Covers the `contenders` only (the best-ranked, at most SENSITIVITY_LIMIT): ranks
 * are relative to them, and the lowest price is the lowest of theirs, unless said otherwise. Ties: lower sequence.
 * Lists run parallel to `contenders`.
 */
export interface Sensitivity {
  contenders: { offerId: string; label: string }[]
  limit: number
  /** Ranked offers in all. */
  outOf: number
  /** One sentence: which offers are included. */
  words: string
  /**
   * One weight moved by `shift` points (never below 0), the others as they are; scores as in `Scores` (lowest price of
   * all ranked offers). By criterion, then −20, −10, +10, +20.
   */
  weightShifts: (CaseRanking & { criterion: Criterion; shift: number; weights: Record<Criterion, number> })[]
  /** Present values recalculated at each rate: 0, 2.5, … 15 %. */
  discountRates: (CaseRanking & { rate: number; prices: number[]; priceRanks: number[] })[]
  /** Coverage recalculated for each wanted volume of the RFQ. */
  wantedVolumes: (CaseRanking & {
    basis: WantedBasis
    wanted: number
    coverages: number[]
    /** cheapest-combination of all ranked offers for this volume. */
    combination: { tonnes: number; total: number; blendedPrice: number | null; reached: boolean; exact: boolean }
  })[]
  breakEven: BreakEven[]
}

/** The order in one case; all null where the weights add up to 0. */
export interface CaseRanking {
  totals: (number | null)[]
  ranks: (number | null)[]
  winner: string | null
  /** The winner is not the one of the base case. */
  changed: boolean
}

/** Why an offer has no break-even price; the workbook's formulas choose among the same sentences. */
export const NO_BREAK_EVEN = {
  onlyOffer: 'No other offer is ranked.',
  priceHasNoWeight: 'Price has weight 0, so no price changes the rank.',
  firstAtAnyPrice: 'Ranks first at any price.',
  neverFirst: 'Cannot rank first at any price: the lead of the other offers exceeds the weight of price.',
} as const

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

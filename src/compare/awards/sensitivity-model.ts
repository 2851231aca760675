import type { Criterion, WantedBasis } from '../../core/settings.js'

/**
 * Sensitivity of the ranking. Covers only the `contenders`, the best-ranked offers up to SENSITIVITY_LIMIT: ranks are among
 * them, and the lowest price is the lowest of theirs, unless stated otherwise. Ties go to the lower sequence. Lists have one
 * entry for each contender, in the same order.
 */
export interface Sensitivity {
  contenders: { offerId: string; label: string }[]
  limit: number
  /** Number of all ranked offers. */
  outOf: number
  /** One sentence: which offers are included. */
  words: string
  /**
   * One weight changed by `shift` points (not below 0), the others unchanged; scores as in `Scores`, relative to the lowest
   * price of all ranked offers. By criterion, then −20, −10, +10, +20.
   */
  weightShifts: (CaseRanking & { criterion: Criterion; shift: number; weights: Record<Criterion, number> })[]
  /** Present values recalculated at each rate: 0, 2.5, … 15 %. */
  discountRates: (CaseRanking & { rate: number; prices: number[]; priceRanks: number[] })[]
  /** Coverage recalculated for each wanted volume of the RFQ. */
  wantedVolumes: (CaseRanking & {
    basis: WantedBasis
    wanted: number
    coverages: number[]
    /** The award `cheapest-combination` for this volume, from all ranked offers. */
    combination: { tonnes: number; total: number; blendedPrice: number | null; reached: boolean; exact: boolean }
  })[]
  breakEven: BreakEven[]
}

/** The ranking in one case; all null if the weights add up to 0. */
export interface CaseRanking {
  totals: (number | null)[]
  ranks: (number | null)[]
  winner: string | null
  /** The winner differs from that of the base case. */
  changed: boolean
}

/** Why an offer has no break-even price. The formulas of the workbook use the same sentences. */
export const NO_BREAK_EVEN = {
  onlyOffer: 'No other offer is ranked.',
  priceHasNoWeight: 'Price has weight 0, so no price changes the rank.',
  firstAtAnyPrice: 'Ranks first at any price.',
  neverFirst: 'Cannot rank first at any price: the lead of the other offers exceeds the weight of price.',
} as const

/**
 * The price at which an offer would rank first among the contenders, all else unchanged. Let w be the weight of price, A the
 * offer's Σ weight × score without price, A_j and p_j the same sum and the compared.price of another contender j, L the
 * lowest p_j, and B the largest A_j + w × 100 × L / p_j:
 * - If B ≤ A, the offer ranks first at any price: no break-even.
 * - high = w × 100 × L / (B − A). If high ≥ L, it is the break-even price.
 * - Otherwise the offer must be cheaper than L, which lowers the price scores of the others: the break-even price is the
 *   smallest (A + w × 100 − A_j) × p_j / (w × 100) over all j, at most L. If it is not above 0, there is none.
 */
export interface BreakEven {
  offerId: string
  label: string
  /** Among contenders. */
  rank: number
  /** Its compared.price. */
  price: number
  /** The compared.price at or below which it ranks first. */
  breakEvenPrice: number | null
  /** The same as a nominal price per tonne: compared.pricePerTonne × breakEvenPrice / price. */
  breakEvenPricePerTonne: number | null
  /** breakEvenPrice / price − 1. Negative: the decrease needed to rank first; positive: the increase that keeps it first. */
  change: number | null
  /** Why there is no break-even price; otherwise null. */
  reason: string | null
  /** L, and B − A. Null without another contender. */
  lowestOther: number | null
  lead: number | null
}

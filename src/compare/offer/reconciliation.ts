import { round6 } from '../../core/numbers.js'

/** Tonnes by which a stated volume may differ from the sum of its lines. */
export const VOLUME_TOLERANCE = 0.5
/** Share of a stated total by which it may differ from the sum of its lines. */
const TOTAL_TOLERANCE = 0.001
/** Totals that differ by at most one cent are equal. */
export const EXACT_TOTAL = 0.01

/**
 * `equal`: the difference, rounded to six decimals, is at most `exact`. `rounding`: larger, but within the tolerance. `differs`: larger
 * still. null: one of the two figures is unknown.
 */
type ReconciliationResult = 'equal' | 'rounding' | 'differs' | null

/** Compares a stated figure with the sum of the lines by their difference. Rounded, so that floating-point noise is no cent. */
export function reconcile(difference: number | null, exact: number, tolerance: number): ReconciliationResult {
  if (difference === null) return null
  const off = round6(Math.abs(difference))
  return off <= exact ? 'equal' : off <= tolerance ? 'rounding' : 'differs'
}

/** The largest allowed difference between a stated total and its lines. */
export const totalTolerance = (stated: number | null): number =>
  round6(Math.max(EXACT_TOTAL, TOTAL_TOLERANCE * Math.abs(stated ?? 0)))

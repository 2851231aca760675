import { round6 } from '../core/numbers.js'
import type { Check } from './report/check-model.js'

/** Totals that differ by at most one cent are equal. */
export const EXACT_TOTAL = 0.01

/** The difference and its tolerances (report/check-model.ts, `Check`). */
export type Tolerances = Pick<Check, 'difference' | 'exact' | 'tolerance' | 'oneSided'>

/**
 * The verdict on two figures; the sheet `Checks` derives it from the same cells. The difference is rounded to six
 * decimals, so that floating-point noise in sums does not turn a cent into more than a cent.
 */
export function verdictOf({ difference, exact, tolerance, oneSided }: Tolerances): Check['verdict'] {
  if (difference === null) return 'unknown'
  const off = round6(oneSided ? difference : Math.abs(difference))
  if (off <= (exact ?? 0)) return 'ok'
  return off <= (tolerance ?? 0) ? 'rounding' : 'fails'
}

/**
 * The largest allowed difference between a stated total and its lines: ROUND(MAX(0.01, share × ABS(stated)), 6).
 * @param share `settings.totalTolerance`
 */
export const totalTolerance = (stated: number | null, share: number): number =>
  round6(Math.max(EXACT_TOTAL, share * Math.abs(stated ?? 0)))

import { round6 } from './numbers.js'
import type { Check } from './report/check-model.js'

/** Cents: totals that differ by no more are the same. */
export const EXACT_TOTAL = 0.01

/** What a difference is held against: model.ts, `Check`. */
export type Tolerances = Pick<Check, 'difference' | 'exact' | 'tolerance' | 'oneSided'>

/**
 * The verdict on two figures, as the workbook's `Checks` works it out from the same numbers. The difference counts at
 * six decimals: sums of decimal fractions are off by a little noise, which must not turn a cent into more than a cent.
 */
export function verdictOf({ difference, exact, tolerance, oneSided }: Tolerances): Check['verdict'] {
  if (difference === null) return 'unknown'
  const off = round6(oneSided ? difference : Math.abs(difference))
  if (off <= (exact ?? 0)) return 'ok'
  return off <= (tolerance ?? 0) ? 'rounding' : 'fails'
}

/**
 * By how much a stated total may differ from its lines: ROUND(MAX(0.01, share × ABS(stated)), 6).
 * @param share `settings.totalTolerance`
 */
export const totalTolerance = (stated: number | null, share: number): number =>
  round6(Math.max(EXACT_TOTAL, share * Math.abs(stated ?? 0)))

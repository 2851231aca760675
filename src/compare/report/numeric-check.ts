import { formatAmount } from '../../core/number-format.js'
import { verdictOf } from '../reconciliation.js'
import type { Check } from './check-model.js'

/** A single tolerance, beyond which a check fails. */
export const withinTolerance = (tolerance: number) => ({ exact: tolerance, tolerance, oneSided: false })

type NumericCheckParts = Omit<CheckParts, 'difference' | 'verdict' | 'words'>
/** Creates a check of two numbers and derives its difference and verdict. */
export function numericCheck(
  of: NumericCheckParts,
  wordsOf: VerdictText,
  subject?: string,
  offerId?: string | null,
): Check {
  const [left, right] = [of.left[1], of.right[1]]
  const difference = typeof left === 'number' && typeof right === 'number' ? left - right : null
  const verdict = verdictOf({ ...of, difference })
  return check({ ...of, difference, verdict, words: wordsOf(verdict, difference ?? 0) }, subject, offerId)
}

type VerdictText = (verdict: Check['verdict'], difference: number) => string
export const agreement: VerdictText = (verdict, difference) =>
  ({
    unknown: 'One of the two figures is unknown.',
    ok: 'The two sides agree.',
    rounding: 'The two sides agree except for rounding.',
    fails: `The two sides differ by ${formatAmount(difference)}.`,
  })[verdict]

export type CheckParts = Omit<Check, 'subject' | 'offerId' | 'left' | 'right'> & {
  left: [what: string, value: Check['left']['value']]
  right: [what: string, value: Check['right']['value']]
}

/** Members are listed: V8 gives each copy made with `...` a hidden class of its own, and there are thousands of checks. */
export function check(of: CheckParts, subject = 'Report', offerId: string | null = null): Check {
  const { id, about, title, difference, exact, tolerance, oneSided, verdict, words } = of
  const side = ([what, value]: CheckParts['left']) => ({ what, value })
  const [left, right] = [side(of.left), side(of.right)]
  return { id, about, subject, offerId, title, left, right, difference, exact, tolerance, oneSided, verdict, words }
}

import { type ClockTimes, clockSkewSeconds } from '../core/time/clock-skew.js'

/** The reason why the clocks do not allow a close, or null (docs/CLOSING.md, rule 4). */
export function clockProblem(times: ClockTimes, maxClockSkewSeconds: number): string | null {
  const skew = clockSkewSeconds(times)
  if (skew === null) return NO_DATE_HEADER
  if (Math.abs(skew) <= maxClockSkewSeconds) return null
  const direction = skew > 0 ? 'behind' : 'ahead of'
  return `the marketplace's clock is ${Math.round(Math.abs(skew))} s ${direction} ours (limit ${maxClockSkewSeconds} s)`
}

export const NO_DATE_HEADER = 'the marketplace sent no Date header'

/** `clockProblem` without the amount, for a reason that stays the same while the amount changes. */
export function clockProblemInGeneral(times: ClockTimes, maxClockSkewSeconds: number): string | null {
  const problem = clockProblem(times, maxClockSkewSeconds)
  if (problem === null || problem === NO_DATE_HEADER) return problem
  return `the clocks differ by more than ${maxClockSkewSeconds} s`
}

/** Clock differences count as the same up to this share of the earlier one, or this many seconds, because replies take time. */
const SAME_SKEW = { share: 0.1, seconds: 30 }

/** The result of a comparison of the clocks, as stored in evidence. */
interface ComparedClocks {
  /** As `clockSkewSeconds` returns it. */
  skewSeconds?: number | null
  maxClockSkewSeconds?: number
}

/** Whether two comparisons of the clocks found about the same difference (docs/CLOSING.md, rule 9). */
export function isSameClockProblem(earlier: ComparedClocks, later: ComparedClocks): boolean {
  if (earlier.maxClockSkewSeconds !== later.maxClockSkewSeconds) return false
  const [before, now] = [earlier.skewSeconds ?? null, later.skewSeconds ?? null]
  if (before === null || now === null) return before === now
  const tolerance = Math.max(SAME_SKEW.seconds, SAME_SKEW.share * Math.abs(before))
  return Math.sign(before) === Math.sign(now) && Math.abs(now - before) <= tolerance
}

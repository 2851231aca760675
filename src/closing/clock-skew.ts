import { type ClockTimes, clockSkewSeconds } from '../domain/clock-skew.js'

/** The reason why the clocks do not allow a close, or null (docs/CLOSING.md, rule 4). */
export function clockProblem(times: ClockTimes, maxClockSkewSeconds: number): string | null {
  const skew = clockSkewSeconds(times)
  if (skew === null) return 'the marketplace sent no Date header'
  if (Math.abs(skew) <= maxClockSkewSeconds) return null
  const direction = skew > 0 ? 'behind' : 'ahead of'
  return `the marketplace's clock is ${Math.round(Math.abs(skew))} s ${direction} ours (limit ${maxClockSkewSeconds} s)`
}

import { describe, expect, it } from 'vitest'
import { clockProblem, clockProblemInGeneral, isSameClockProblem } from '../../../src/closing/clock-skew-check.js'
import { clockSkewSeconds } from '../../../src/core/time/clock-skew.js'

const SERVER = Date.parse('2026-11-21T12:00:00.000Z')
const LIMIT = 60

/** A request that took 200 ms, sent this many milliseconds after the time in the `Date` header. */
const sentAfter = (milliseconds: number) => ({
  readAt: new Date(SERVER + milliseconds),
  answeredAt: new Date(SERVER + milliseconds + 200),
  serverDate: new Date(SERVER),
})

describe('clock skew', () => {
  it('is zero while the whole second of the Date header overlaps the request', () => {
    expect(clockSkewSeconds(sentAfter(-200))).toBe(0)
    expect(clockSkewSeconds(sentAfter(-201))).toBe(-0.001)
    expect(clockSkewSeconds(sentAfter(999))).toBe(0)
    expect(clockSkewSeconds(sentAfter(1000))).toBe(0.001)
  })

  it('is a problem from the first millisecond beyond the limit, in both directions', () => {
    expect(clockProblem(sentAfter(999 + 60_000), LIMIT)).toBeNull()
    expect(clockProblem(sentAfter(999 + 60_001), LIMIT)).toMatch(/ 60 s behind .*limit 60 s/)
    expect(clockProblem(sentAfter(-200 - 60_000), LIMIT)).toBeNull()
    expect(clockProblem(sentAfter(-200 - 60_001), LIMIT)).toMatch(/ 60 s ahead .*limit 60 s/)
  })

  it('cannot be measured without a Date header, which is a problem of its own', () => {
    const times = { ...sentAfter(0), serverDate: null }
    expect(clockSkewSeconds(times)).toBeNull()
    expect(clockProblem(times, LIMIT)).toBe('the marketplace sent no Date header')
  })

  it('has a message without the amount, for a problem that lasts while the amount changes', () => {
    expect(clockProblemInGeneral(sentAfter(999 + 60_000), LIMIT)).toBeNull()
    for (const milliseconds of [999 + 60_001, -200 - 60_001])
      expect(clockProblemInGeneral(sentAfter(milliseconds), LIMIT)).toBe('the clocks differ by more than 60 s')
    expect(clockProblemInGeneral({ ...sentAfter(0), serverDate: null }, LIMIT)).toBe(
      'the marketplace sent no Date header',
    )
  })

  it('is the same problem up to a tenth or half a minute, in the same direction, with the same limit', () => {
    const same = (earlier: number | null, later: number | null) =>
      isSameClockProblem(
        { skewSeconds: earlier, maxClockSkewSeconds: LIMIT },
        { skewSeconds: later, maxClockSkewSeconds: LIMIT },
      )
    for (const sign of [1, -1]) {
      expect([70, 100, 40].map((later) => same(sign * 70, sign * later))).toEqual([true, true, true])
      expect([100.1, 39.9].map((later) => same(sign * 70, sign * later))).toEqual([false, false])
      expect([3960, 3240].map((later) => same(sign * 3600, sign * later))).toEqual([true, true])
      expect([3961, 3239, -3600].map((later) => same(sign * 3600, sign * later))).toEqual([false, false, false])
    }
    expect(same(10, -10)).toBe(false)
    expect([same(null, null), same(null, 70), same(70, null)]).toEqual([true, false, false])
    expect(
      isSameClockProblem({ skewSeconds: 70, maxClockSkewSeconds: 60 }, { skewSeconds: 70, maxClockSkewSeconds: 50 }),
    ).toBe(false)
  })
})

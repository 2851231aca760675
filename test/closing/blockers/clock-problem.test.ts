import { describe, expect, it } from 'vitest'
import { clockProblem } from '../../../src/closing/evaluate.js'
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
})

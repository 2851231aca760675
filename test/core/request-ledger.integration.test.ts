import { describe, expect, it } from 'vitest'
import { expectFullUse, expectLimitsHold, openLedger, shortestExcess, simulate } from '../helpers/ledger-simulation.js'
import { runsLongTests, shareOf } from '../helpers/long-tests.js'

const HOURS = runsLongTests ? 24 : 4

describe('request ledger, over a long time', () => {
  it('never grants more than the limits, with processes that are late, killed and replaced', () => {
    expectLimitsHold({ seconds: 40, runs: shareOf(20) })
  })

  it(`holds one request in two seconds over five processes for ${HOURS} hours, with kills and a clock that is set back`, () => {
    const limits = Array.from({ length: 5 }, () => ({ perSecond: 0.5, concurrency: 6 }))
    const day = simulate({ seed: 7, seconds: HOURS * 3600, limits, late: 5, killEvery: 1200, clockBackEvery: 2400 })
    expect(day.killed).toBeGreaterThan(HOURS)
    expect(shortestExcess(day.starts, 1)).toBeGreaterThanOrEqual(2000)
    expect(day.maxInFlight).toBeLessThanOrEqual(6)
    expect(day.starts.length).toBeGreaterThan(0.9 * HOURS * 1800)
    for (const served of day.served) expect(served).toBeGreaterThan((0.9 * day.starts.length) / 5)
  })

  it('starves none of more processes than there are slots', () => {
    const limits = Array.from({ length: 5 }, () => ({ perSecond: 1000, concurrency: 2 }))
    const { maxInFlight, served } = simulate({ seed: 5, seconds: 120, limits, takes: 200 })
    expect(maxInFlight).toBe(2)
    const total = served.reduce((sum, each) => sum + each, 0)
    for (const each of served) expect(each).toBeGreaterThan(total / 10)
  })

  it.each([
    [2, 3, 2000],
    [2, 3, 300],
    [3, 5, 10_000],
    [8, 9, 1000],
    [5, 3, 2000],
  ])(
    'starves none of the processes at %d slots for %d processes and slow, equally long requests',
    (slots, processes, takes) => {
      const limits = Array.from({ length: processes }, () => ({ perSecond: 1000, concurrency: slots }))
      const seconds = (takes * 60) / 1000
      const { served, starts, maxInFlight } = simulate({ seed: 4, seconds, limits, takes, steady: true })
      expect(maxInFlight).toBe(slots)
      expect(starts.length).toBeGreaterThan(0.8 * 60 * slots)
      for (const each of served) expect(each).toBeGreaterThan((0.5 * starts.length) / processes)
    },
  )

  it('holds the limit, and uses it, if each start is claimed by itself', () => {
    const ledger = openLedger(0)
    const starts: number[] = []
    let used = { starts: 0, lastStartAgo: 0 }
    // Slowly at first, then as fast as the limit allows.
    for (let claims = 0; ledger.now < 4000; claims++) {
      if (ledger.now < 1000 || claims % 8 === 0) ledger.now++
      if (ledger.now < 1000 && ledger.now % 60 < 30) continue
      const { starts: granted, startsIn } = ledger.claim('one', { perSecond: 150, concurrency: 1, used })
      const startsNow = granted > 0 && startsIn === 0
      if (startsNow) starts.push(ledger.now)
      used = { starts: startsNow ? 1 : 0, lastStartAgo: 0 }
    }
    expect(shortestExcess(starts, 150)).toBeGreaterThanOrEqual(1000)
    expect(starts.length).toBeGreaterThan(0.8 * 4 * 150)
  })

  it.each([100, 500])('uses %d per second in full, in equal shares', expectFullUse)
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allowedPerSecond,
  claimOf,
  GRACE_MS,
  MAX_PAUSE_MS,
  NO_STARTS,
  startInterval,
} from '../../src/core/requests/request-ledger.js'
import { memoryLedger } from '../helpers/data/ledger-rule.js'
import { shortestExcess } from '../helpers/data/shortest-excess.js'

const DAY = 24 * 60 * 60 * 1000

/** A ledger with a clock that the test moves, and processes that claim at random moments and are late. */
function openLedger(perSecond: number, random: () => number = () => 0) {
  const [interval, claim] = [startInterval(perSecond), memoryLedger()]
  const ledger = { now: 0, clock: 1_000_000, starts: [] as number[] }
  /** @returns when the starts begin, or null during a pause */
  const take = (count: number, grace = GRACE_MS): number | null => {
    const grant = claim(claimOf(interval, count, grace), Math.floor(ledger.now + ledger.clock))
    if (grant.pausedFor > 0) return null
    const at = ledger.now + grant.startsIn
    const used = Array.from({ length: count }, () => at + random() * grace)
    // A close sends both when the first one begins.
    ledger.starts.push(...used.map(() => used[0] as number))
    return at
  }
  const pause = (milliseconds: number) => {
    claim({ ...NO_STARTS, pausedFor: milliseconds }, Math.floor(ledger.now + ledger.clock))
  }
  const sorted = () => ledger.starts.sort((a, b) => a - b)
  return Object.assign(ledger, { interval, take, pause, sorted })
}

const randomOf = (seed: number) => {
  const values = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), { numRuns: 997, seed })
  let next = 0
  return () => values[next++ % values.length] as number
}

describe('the rule of the request ledger', () => {
  it('lets no second have more starts than the limit, however late and together they are used', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(2, 3, 5.9, 20, 200, 5000),
        fc.array(fc.record({ wait: fc.nat(300), count: fc.integer({ min: 1, max: 2 }), late: fc.nat(2) }), {
          minLength: 20,
          maxLength: 300,
        }),
        (seed, perSecond, claims) => {
          const ledger = openLedger(perSecond, randomOf(seed))
          for (const { wait, count, late } of claims) {
            ledger.now += late === 0 ? wait : 0
            ledger.take(count, late === 1 ? 400 : GRACE_MS)
          }
          expect(shortestExcess(ledger.sorted(), Math.floor(perSecond))).toBeGreaterThanOrEqual(1000)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    [0.1, 24],
    [1, 24],
    [5, 6],
    [20, 2],
    [1000, 0.05],
  ])('three processes use nearly all of %d per second over %d hours, and none starves', (perSecond, hours) => {
    const random = randomOf(7)
    const ledger = openLedger(perSecond, random)
    const served = [0, 0, 0]
    const readyAt = [0, 0, 0]
    while (ledger.now < (hours * DAY) / 24) {
      const process = readyAt.indexOf(Math.min(...readyAt))
      ledger.now = Math.max(ledger.now, readyAt[process] as number)
      // It claims the next start soon after this one.
      readyAt[process] = (ledger.take(1) as number) + random() * 8
      served[process] = (served[process] as number) + 1
    }
    const allowed = Math.max(1, perSecond)
    expect(shortestExcess(ledger.sorted(), allowed)).toBeGreaterThanOrEqual(1000 * Math.max(1, 1 / perSecond))
    expect(ledger.starts.length).toBeGreaterThan(0.92 * perSecond * hours * 3600)
    for (const each of served) expect(each).toBeGreaterThan(0.3 * ledger.starts.length)
  })

  it('takes starts together as late as one after another, and neither sooner nor later below one per second', () => {
    const ledger = openLedger(0.1)
    expect(ledger.take(1)).toBe(0)
    const waits = Array.from({ length: 6 }, () => ledger.take(2) as number)
    expect(waits[0]).toBeGreaterThanOrEqual(20_000)
    expect(waits[5]).toBeLessThanOrEqual(20_100 + 5 * 30_200)
  })

  it('takes nothing during a pause, which nobody shortens, and goes on after it', () => {
    for (const lasts of [1, 1000, MAX_PAUSE_MS]) {
      const ledger = openLedger(5)
      ledger.take(1)
      ledger.pause(lasts)
      ledger.pause(1)
      for (let round = 0; round < 6; round++) {
        ledger.now = (lasts * round) / 6
        expect(ledger.take(1)).toBeNull()
      }
      ledger.now = lasts
      expect(ledger.take(1)).toBeCloseTo(Math.max(lasts, ledger.interval), 3)
    }
  })

  it('neither starves nor exceeds the limit for more than a second when the clock is set, and a set back clock ends no pause', () => {
    for (let round = 0; round < 6; round++) {
      for (const jump of [-365 * DAY, -DAY, -1000, -1, 1, 1000, DAY]) {
        const ledger = openLedger(5, randomOf(round))
        while (ledger.now < 10_000) ledger.now = ledger.take(1) as number
        ledger.clock += jump
        const jumpedAt = ledger.now
        expect(ledger.take(1)).toBeLessThanOrEqual(jumpedAt + 2 * (ledger.interval + 1))
        while (ledger.now < 20_000) ledger.now = ledger.take(1) as number
        for (const part of [
          ledger.sorted().filter((at) => at < jumpedAt),
          ledger.starts.filter((at) => at > jumpedAt + 1000),
        ])
          expect(shortestExcess(part, 5)).toBeGreaterThanOrEqual(1000)
        expect(shortestExcess(ledger.starts, 10)).toBeGreaterThanOrEqual(1000)
        ledger.pause(3_600_000)
        ledger.clock -= Math.abs(jump)
        ledger.now += 3_590_000
        expect(ledger.take(1) === null || jump < -3_590_000).toBe(true)
      }
    }
  })

  it('rounds a limit down to whole starts per second', () => {
    expect([0.01, 0.5, 1, 1.9, 20].map(allowedPerSecond)).toEqual([0.01, 0.5, 1, 1, 20])
  })
})

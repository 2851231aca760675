import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortestExcess, simulate } from '../helpers/ledger-simulation.js'

describe('request ledger, over a long time', () => {
  it('never grants more than the limits, with processes that are late, killed and replaced', () => {
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          seconds: fc.constant(40),
          limits: fc
            .integer({ min: 1, max: 6 })
            .chain((count) =>
              fc
                .constantFrom(1, 3, 5, 20, 200)
                .map((perSecond) => Array.from({ length: count }, () => ({ perSecond, concurrency: 4 }))),
            ),
          takes: fc.constantFrom(10, 300, 3000),
          late: fc.constantFrom(0, 20, 400),
          killEvery: fc.constantFrom(0, 5),
        }),
        (options) => {
          const { starts, maxInFlight } = simulate(options)
          expect(shortestExcess(starts, options.limits[0]?.perSecond ?? 0)).toBeGreaterThanOrEqual(1000)
          expect(maxInFlight).toBeLessThanOrEqual(4)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('holds one request in two seconds over five processes for a day, with kills and a clock that is set back', () => {
    const limits = Array.from({ length: 5 }, () => ({ perSecond: 0.5, concurrency: 6 }))
    const day = simulate({ seed: 7, seconds: 86_400, limits, late: 5, killEvery: 3600, clockBackEvery: 7200 })
    expect(day.killed).toBeGreaterThan(10)
    expect(shortestExcess(day.starts, 1)).toBeGreaterThanOrEqual(2000)
    expect(day.maxInFlight).toBeLessThanOrEqual(6)
    expect(day.starts.length).toBeGreaterThan(0.9 * 43_200)
    for (const served of day.served) expect(served).toBeGreaterThan((0.9 * day.starts.length) / 5)
  })

  it('starves none of more processes than there are slots', () => {
    const limits = Array.from({ length: 5 }, () => ({ perSecond: 1000, concurrency: 2 }))
    const { maxInFlight, served } = simulate({ seed: 5, seconds: 120, limits, takes: 200 })
    expect(maxInFlight).toBe(2)
    const total = served.reduce((sum, each) => sum + each, 0)
    for (const each of served) expect(each).toBeGreaterThan(total / 10)
  })

  it.each([100, 500])('uses %d per second in full, in equal shares', (perSecond) => {
    const limits = Array.from({ length: 3 }, () => ({ perSecond, concurrency: 100 }))
    const { starts, served } = simulate({ seed: 3, seconds: 60, limits, takes: 20, late: 2 })
    expect(shortestExcess(starts, perSecond)).toBeGreaterThanOrEqual(1000)
    expect(starts.length).toBeGreaterThan(0.9 * 60 * perSecond)
    for (const each of served) expect(each).toBeGreaterThan((0.8 * starts.length) / 3)
  })
})

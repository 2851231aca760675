import { describe, expect, it } from 'vitest'
import { claimShare, emptyLedger, LEASE_MS, MAX_PAUSE_MS } from '../../src/core/request-ledger.js'
import {
  expectFullUse,
  expectLimitsHold,
  openLedger,
  REPORT,
  shortestExcess,
  simulate,
  UNLIMITED,
} from '../helpers/ledger-simulation.js'

describe('request ledger', () => {
  it('never grants more than the limits, with processes that are late, killed and replaced', () => {
    expectLimitsHold({ seconds: 10, runs: 6 })
  })

  it.each([1, 5, 20])('uses %d per second in full, in equal shares', expectFullUse)

  it('allows one request in 20 seconds for a limit of 0.05', () => {
    const limits = Array.from({ length: 3 }, () => ({ perSecond: 0.05, concurrency: 4 }))
    const { starts } = simulate({ seed: 5, seconds: 600, limits })
    expect(shortestExcess(starts, 1)).toBeGreaterThanOrEqual(20_000)
    expect(starts.length).toBeGreaterThan(27)
  })

  it('holds the lowest of different limits while its process wants to send requests, and starves neither', () => {
    const limits = [
      { perSecond: 4, concurrency: 2 },
      { perSecond: 40, concurrency: 8 },
    ]
    const { starts, maxInFlight, served } = simulate({ seed: 9, seconds: 60, limits, work: 100 })
    const begin = starts.filter((at) => at < 20_000)
    expect(shortestExcess(begin, 4)).toBeGreaterThanOrEqual(1000)
    expect(begin.length).toBeGreaterThan(70)
    expect(maxInFlight).toBeLessThanOrEqual(2)
    expect(served).toEqual([100, 100])
  })

  it('keeps its state small at high rates', () => {
    const ledger = openLedger()
    for (let i = 0; i < 1500; i++) {
      ledger.now += 1
      ledger.claim('one', { perSecond: 10_000, used: { starts: 1, lastStartAgo: 0 } })
    }
    expect(JSON.stringify(ledger.state).length).toBeLessThan(10_000)
  })

  it('counts a start from when it was used, not from when it was granted', () => {
    const ledger = openLedger(0)
    expect(ledger.claim('one', { perSecond: 1 }).startsIn).toBe(0)
    ledger.now = 45
    expect(ledger.claim('one', { perSecond: 1, used: { starts: 1, lastStartAgo: 5 } }).startsIn).toBeCloseTo(997, 6)
  })

  it('counts what was used before a pause', () => {
    const ledger = openLedger(0)
    const limits = { perSecond: 50, concurrency: 50, waiting: 50 }
    const { starts } = ledger.claim('one', limits)
    expect(starts).toBe(4)
    ledger.claim('two', { ...limits, pausedFor: 100 })
    expect(ledger.claim('one', { ...limits, used: null }).starts).toBe(0)
    ledger.now = 100
    ledger.claim('one', { ...limits, running: 0, waiting: 0, used: { starts, lastStartAgo: 100 } })
    let granted = 0
    for (;;) {
      const share = ledger.claim('two', { ...limits, used: { starts: granted === 0 ? 0 : 4, lastStartAgo: 0 } })
      if (share.startsIn > 0) break
      granted += share.starts
    }
    expect(granted).toBe(46)
  })

  it('gives a slot that several want to each in turn', () => {
    const { served } = simulate({
      seed: 5,
      seconds: 20,
      limits: Array.from({ length: 4 }, () => ({ perSecond: 1000, concurrency: 1 })),
      takes: 100,
    })
    const total = served.reduce((sum, each) => sum + each, 0)
    for (const each of served) expect(each).toBeGreaterThan(total / 6)
  })

  it('grants starts again that were not used', () => {
    const ledger = openLedger()
    for (let i = 0; i < 20; i++) expect(ledger.claim('one')).toMatchObject({ starts: 1, startsIn: 0 })
  })

  it('takes the slots of an ended process back at once, of another after its lease', () => {
    const ledger = openLedger(0, UNLIMITED)
    expect(ledger.claim('dead', { waiting: 3 }).slots).toBe(3)
    expect(ledger.claim('silent', { waiting: 4 }).slots).toBe(1)
    expect(ledger.claim('one', { waiting: 4 }).slots).toBe(0)
    ledger.gone.add('dead')
    expect(ledger.claim('one', { waiting: 4 }).slots).toBe(2)
    for (let passed = 0; passed < LEASE_MS; passed += 500) {
      ledger.now += 500
      ledger.claim('one', { waiting: 4 })
    }
    expect(ledger.claim('one', { waiting: 4 }).slots).toBe(4)
  })

  it('gives processes time to renew after a time without any claim, such as a locked ledger', () => {
    const ledger = openLedger(0, UNLIMITED)
    expect(ledger.claim('one', { waiting: 4 }).slots).toBe(4)
    ledger.now += 60_000
    expect(ledger.claim('two').slots).toBe(0)
    expect(ledger.claim('one', { running: 4, waiting: 0 }).slots).toBe(4)
    ledger.now += 1900
    expect(ledger.claim('two').slots).toBe(0)
  })

  it('keeps no slots of a process that was killed long ago', () => {
    const ledger = openLedger(0, UNLIMITED)
    ledger.claim('killed', { waiting: 4 })
    for (let round = 0; round < 6; round++) {
      ledger.now += 600_000
      expect(ledger.claim('one', { waiting: 4 }).slots).toBe(4)
      ledger.claim('one', { running: 0, waiting: 0 })
    }
  })

  it('gives slots back with the report of a process that needs fewer, and of one that needs none', () => {
    const ledger = openLedger(0, UNLIMITED)
    ledger.claim('one', { waiting: 4 })
    expect(ledger.claim('two').slots).toBe(0)
    ledger.claim('one', { running: 1, waiting: 0 })
    expect(ledger.claim('two').slots).toBe(3)
    ledger.claim('one', { running: 0, waiting: 0 })
    expect(ledger.claim('two').slots).toBe(4)
    expect(ledger.state.holders.map(({ id }) => id)).toEqual(['two'])
  })

  it('tells every process of a pause, never shortens it, and takes back what was granted', () => {
    const ledger = openLedger()
    const granted = ledger.claim('one')
    expect(granted.starts).toBe(1)
    ledger.claim('two', { pausedFor: 20_000 })
    expect(ledger.claim('one', { used: null })).toMatchObject({ starts: 0, pausedFor: 20_000 })
    ledger.now += 5000
    ledger.claim('two', { pausedFor: 1 })
    expect(ledger.claim('three')).toMatchObject({ starts: 0, pausedFor: 15_000 })
    expect(ledger.claim('three', { running: 0, waiting: 0 }).pausedFor).toBe(15_000)
    ledger.now += 15_000
    expect(ledger.claim('three')).toMatchObject({ starts: 1, startsIn: 0, pausedFor: 0 })
  })

  it('keeps a pause for a day at most, also if the clock is set back by years', () => {
    const ledger = openLedger(Date.UTC(2030, 0))
    ledger.claim('one', { pausedFor: 1e15 })
    ledger.now = Date.UTC(2020, 0)
    expect(ledger.claim('two').pausedFor).toBe(MAX_PAUSE_MS)
    expect(MAX_PAUSE_MS).toBe(86_400_000)
  })

  it('does not wait when the clock is set back, and does not forget what was granted', () => {
    const ledger = openLedger()
    for (let i = 0; i < 5; i++) ledger.claim('one', { used: { starts: 1, lastStartAgo: 0 } })
    ledger.now -= 3_600_000
    const { startsIn } = ledger.claim('one', { used: { starts: 1, lastStartAgo: 0 } })
    expect(startsIn).toBeGreaterThan(900)
    expect(startsIn).toBeLessThan(1100)
  })

  it('grants nothing for a second after an earlier ledger was lost', () => {
    const state = emptyLedger(0, { unknownStarts: true })
    const { share } = claimShare(state, { id: 'one', report: REPORT, now: 0, isGone: () => false })
    // Starts that the earlier one granted may be used for 200 ms.
    expect(share.startsIn).toBeGreaterThanOrEqual(1200)
    expect(share.startsIn).toBeLessThan(1300)
  })
})

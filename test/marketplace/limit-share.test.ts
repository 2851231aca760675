import { setMaxListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { LedgerReport, LedgerShare } from '../../src/core/request-ledger.js'
import { LimitShare } from '../../src/marketplace/limit-share.js'
import { ManualClock } from '../helpers/manual-clock.js'

const GRANT: LedgerShare = { slots: 2, starts: 1, startsIn: 0, validFor: 100, pausedFor: 0 }
const NOTHING: LedgerShare = { slots: 0, starts: 0, startsIn: 0, validFor: 0, pausedFor: 0 }
const forever = new AbortController().signal
setMaxListeners(0, forever)

/** A share of a ledger that answers as the test says, on a clock that only the test moves. */
function openShare(answer: () => LedgerShare | Promise<LedgerShare> = () => GRANT) {
  const time = new ManualClock()
  const load = { running: 0, waiting: 1, together: 1, pausedFor: 0 }
  const reports: (LedgerReport & { at: number })[] = []
  const told = { changes: 0, pauses: [] as number[], errors: [] as unknown[] }
  const world = { time, load, reports, told, answer }
  const share = new LimitShare({
    ledger: {
      claim: async (report) => {
        reports.push({ ...report, at: time.elapsed() })
        return world.answer()
      },
    },
    concurrency: 4,
    perSecond: 10,
    timing: time,
    load: () => ({ ...load }),
    onChange: () => void told.changes++,
    onPause: (milliseconds) => void told.pauses.push(milliseconds),
    onError: (error) => void told.errors.push(error),
  })
  /** Moves the clock, and lets everything happen that is due until then. */
  const advance = async (milliseconds: number) => {
    let over = false
    void time.wait(milliseconds, forever).then(() => {
      over = true
    })
    while (!over) await time.step()
  }
  /** Asks for what the waiting requests need, and waits for the answer. */
  const request = async () => {
    share.request()
    await advance(0)
  }
  /** Starts one request if that is allowed. */
  const start = () => {
    const started = share.tryStart(load.together)
    if (started) load.running++
    return started
  }
  return Object.assign(world, { share, advance, request, start, claimedAt: () => reports.map(({ at }) => at) })
}

describe('what a process may start', () => {
  it('is nothing before the ledger grants it, then as many starts as granted', async () => {
    const { request, start, told, reports } = openShare()
    expect(start()).toBe(false)
    await request()
    expect(told.changes).toBe(1)
    expect([start(), start()]).toEqual([true, false])
    expect(reports).toMatchObject([
      { concurrency: 4, perSecond: 10, running: 0, waiting: 1, recentStarts: 0, grace: 50, pausedFor: 0 },
    ])
  })

  it('is limited by the slots', async () => {
    const { request, start, load } = openShare(() => ({ ...GRANT, starts: 5 }))
    await request()
    expect([start(), start(), start()]).toEqual([true, true, false])
    load.running--
    expect(start()).toBe(true)
  })

  it('begins when the grant does, if the ledger then confirms it', async () => {
    const world = openShare(() => ({ ...GRANT, startsIn: 30, validFor: 130 }))
    await world.request()
    expect(world.start()).toBe(false)
    await world.advance(29)
    expect(world.start()).toBe(false)
    expect(world.reports).toHaveLength(1)
    world.answer = () => GRANT
    await world.advance(1)
    expect(world.claimedAt()).toEqual([0, 30])
    expect(world.reports[1]).toMatchObject({ used: null }) // The grant is kept.
    expect(world.start()).toBe(true)
  })

  it('is nothing if the ledger takes the grant back before it begins', async () => {
    const world = openShare(() => ({ ...GRANT, startsIn: 30, validFor: 130 }))
    await world.request()
    world.answer = () => ({ ...NOTHING, slots: 2, pausedFor: 5000 })
    await world.advance(40)
    expect(world.told.pauses).toEqual([5000])
    expect(world.start()).toBe(false)
  })

  it('is the rest of a grant that is kept, not what a claim would grant anew', async () => {
    const world = openShare(() => ({ ...GRANT, starts: 3, slots: 9, validFor: 5000 }))
    await world.request()
    expect([world.start(), world.start()]).toEqual([true, true])
    world.answer = () => ({ ...GRANT, starts: 3, slots: 9, validFor: 5000 })
    await world.advance(1000)
    expect(world.reports.length).toBeGreaterThan(1)
    expect(world.reports.slice(1).every(({ used }) => used === null)).toBe(true)
    expect([world.start(), world.start()]).toEqual([true, false])
    world.answer = () => NOTHING
    world.share.request()
    await world.advance(1000)
    expect(world.reports.find(({ used }) => used !== null && used.starts > 0)?.used?.starts).toBe(3)
  })

  it('ends when the grant does, counted from the question, and begins counted from the answer', async () => {
    const world = openShare()
    world.answer = () => world.time.wait(40, forever).then(() => ({ ...GRANT, starts: 2 }))
    await world.request()
    await world.advance(40)
    expect(world.start()).toBe(true)
    await world.advance(60)
    expect(world.start()).toBe(true)
    const late = openShare()
    late.answer = () => late.time.wait(40, forever).then(() => GRANT)
    late.share.request()
    late.load.waiting = 0
    await late.advance(101)
    expect(late.start()).toBe(false)
  })
})

describe('what a process reports', () => {
  it('is how many of the granted starts it used, and when the last was', async () => {
    const world = openShare(() => ({ ...GRANT, starts: 2 }))
    await world.request()
    world.start()
    await world.advance(10)
    world.start()
    world.answer = () => NOTHING
    world.share.request()
    await world.advance(100)
    expect(world.reports.slice(1, 3)).toMatchObject([
      { at: 50, running: 2, used: { starts: 2, lastStartAgo: 40 }, recentStarts: 2 },
      { at: 100, running: 2, used: { starts: 0, lastStartAgo: 90 }, recentStarts: 2 },
    ])
    await world.advance(200)
    expect(world.reports.at(-1)).toMatchObject({ recentStarts: 0 })
  })

  it('is to need more time, up to a second, each time it was too late, until it starts a request in time', async () => {
    const world = openShare(() => ({ ...GRANT, slots: 4, validFor: 10 }))
    await world.request()
    await world.advance(360)
    expect(world.reports.map(({ grace }) => grace)).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000])
    world.answer = () => ({ ...GRANT, slots: 4, validFor: 1000 })
    await world.advance(50)
    expect(world.start()).toBe(true)
    await world.advance(50)
    expect(world.reports.at(-1)).toMatchObject({ grace: 50 })
  })

  it('is not to need more time if it started some of the requests in time', async () => {
    const { request, start, advance, reports } = openShare(() => ({ ...GRANT, starts: 2, validFor: 10 }))
    await request()
    expect(start()).toBe(true)
    await advance(60)
    expect(reports[1]).toMatchObject({ grace: 50, used: { starts: 1 } })
  })

  it('is a pause that it was asked for, at once, also if nothing waits', async () => {
    const { share, load, advance, reports } = openShare(() => NOTHING)
    Object.assign(load, { waiting: 0, pausedFor: 20_000 })
    share.reportPause()
    await advance(0)
    expect(reports).toMatchObject([{ pausedFor: 20_000, at: 0 }])
    await advance(60_000)
    expect(reports).toHaveLength(1)
  })

  it('is a pause that came during a claim, right after it', async () => {
    const world = openShare()
    world.answer = () => world.time.wait(40, forever).then(() => NOTHING)
    world.share.request()
    Object.assign(world.load, { waiting: 0, pausedFor: 20_000 })
    world.share.reportPause()
    expect(world.reports).toHaveLength(1)
    await world.advance(200)
    expect(world.claimedAt()).toEqual([0, 40])
    expect(world.reports[1]).toMatchObject({ pausedFor: 20_000 })
  })
})

describe('when a process claims', () => {
  it('is every 50 ms while requests wait for what others hold', async () => {
    const { request, advance, claimedAt, reports } = openShare(() => NOTHING)
    await request()
    await advance(210)
    expect(claimedAt()).toEqual([0, 50, 100, 150, 200])
    expect(reports.every(({ grace }) => grace === 50)).toBe(true) // It was not late: there was nothing to be late for.
  })

  it('is once a second while all its slots are in use and nothing waits', async () => {
    const { request, start, load, advance, claimedAt, reports } = openShare(() => ({ ...GRANT, slots: 1 }))
    await request()
    start()
    load.waiting = 0
    await advance(3500)
    expect(claimedAt()).toEqual([0, 1000, 2000, 3000])
    expect(reports.every(({ recentStarts }) => recentStarts === 0)).toBe(true)
  })

  it('is at once for waiting requests after one has ended', async () => {
    const { request, start, share, load, advance, claimedAt } = openShare(() => ({ ...GRANT, slots: 1 }))
    await request()
    start()
    await advance(20)
    load.running = 0
    share.release()
    await request()
    expect(claimedAt()).toEqual([0, 20])
  })

  it('is 50 ms after it used a slot last, to give it back, and never again then', async () => {
    const world = openShare()
    await world.request()
    world.start()
    await world.advance(20)
    Object.assign(world.load, { running: 0, waiting: 0 })
    world.share.release()
    world.answer = () => NOTHING
    await world.advance(10_000)
    expect(world.claimedAt()).toEqual([0, 70])
    expect(world.reports[1]).toMatchObject({ running: 0, waiting: 0, used: { starts: 1, lastStartAgo: 70 } })
    expect(world.time.timers).toBe(0)
  })

  it('is 50 ms after its last request has ended, however long that took', async () => {
    const world = openShare(() => ({ ...GRANT, slots: 1 }))
    await world.request()
    world.start()
    world.load.waiting = 0
    await world.advance(200)
    world.load.running = 0
    world.share.release()
    await world.advance(60)
    expect(world.claimedAt()).toEqual([0, 250])
  })

  it('is once a second while all that it may have in flight is, however many wait', async () => {
    const { request, load, advance, claimedAt } = openShare(() => ({ ...GRANT, slots: 4, starts: 4 }))
    await request()
    Object.assign(load, { running: 4, waiting: 5 })
    await request()
    await advance(1100)
    expect(claimedAt()).toEqual([0, 1000])
  })
})

describe('a ledger that cannot be reached', () => {
  const unreachable = new Error('locked')

  it('lets nothing start, not even what it granted before, and is asked again a second later', async () => {
    const world = openShare(() => ({ ...GRANT, starts: 5, slots: 4, validFor: 5000 }))
    await world.request()
    expect(world.start()).toBe(true)
    world.answer = () => Promise.reject(unreachable)
    await world.advance(1000)
    expect(world.told.errors).toEqual([unreachable])
    expect(world.start()).toBe(false)
    const failedAt = world.claimedAt().at(-1) ?? 0
    world.answer = () => GRANT
    await world.request()
    await world.advance(failedAt + 999 - world.time.elapsed())
    expect(world.claimedAt().at(-1)).toBe(failedAt)
    await world.advance(1)
    expect(world.claimedAt().at(-1)).toBe(failedAt + 1000)
    expect(world.start()).toBe(true)
  })

  it('is told of a pause as soon as it can be, as long as that lasts', async () => {
    const world = openShare(() => Promise.reject(unreachable))
    Object.assign(world.load, { waiting: 0, pausedFor: 20_000 })
    world.share.reportPause()
    await world.advance(2500)
    expect(world.claimedAt()).toEqual([0, 1000, 2000])
    world.load.pausedFor = 0
    await world.advance(10_000)
    expect(world.claimedAt()).toEqual([0, 1000, 2000, 3000])
  })
})

describe('closing', () => {
  it('gives everything back, and claims nothing more', async () => {
    const world = openShare(() => ({ ...GRANT, starts: 2 }))
    await world.request()
    await world.advance(10)
    world.start()
    await world.advance(30)
    await world.share.close()
    expect(world.reports.at(-1)).toMatchObject({ running: 0, waiting: 0, used: { starts: 1, lastStartAgo: 30 } })
    const { length } = world.reports
    world.share.reportPause()
    await world.request()
    await world.advance(10_000)
    expect(world.reports).toHaveLength(length)
    expect(world.time.timers).toBe(0)
  })

  it('claims nothing if nothing was claimed', async () => {
    const { share, reports } = openShare()
    await share.close()
    expect(reports).toEqual([])
  })

  it('waits for a claim in progress, but no longer than half a second, and reports no error', async () => {
    const world = openShare()
    world.answer = () => world.time.wait(100, forever).then(() => Promise.reject(new Error('locked')))
    world.share.request()
    let closedAt = -1
    void world.share.close().then(() => {
      closedAt = world.time.elapsed()
    })
    await world.advance(100)
    expect(world.reports).toHaveLength(2)
    await world.advance(100)
    expect(closedAt).toBe(200)
    const hanging = openShare()
    hanging.answer = () => new Promise(() => {})
    hanging.share.request()
    void hanging.share.close().then(() => {
      closedAt = hanging.time.elapsed()
    })
    await hanging.advance(499)
    expect(closedAt).toBe(200)
    await hanging.advance(1)
    expect(closedAt).toBe(500)
    expect([...world.told.errors, ...hanging.told.errors]).toEqual([])
  })
})

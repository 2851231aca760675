import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestLedger } from '../../src/core/requests/request-ledger.js'
import { type Caller, RateLimiter, type Slot } from '../../src/marketplace/rate-limiter.js'
import { memoryLedger } from '../helpers/data/ledger-rule.js'
import { shortestExcess } from '../helpers/data/shortest-excess.js'
import { ManualClock } from '../helpers/manual-clock.js'

const forever = new AbortController().signal
setMaxListeners(0, forever)

/** A session that nothing cancels. */
function newCaller(): Caller {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return { signal }
}

/** Rate limiters, as of several processes, on one ledger and one clock. */
function shareLimits(processes: number, limits: { concurrency: number; perSecond: number }) {
  const time = new ManualClock()
  const world = { time, claims: 0, error: null as Error | null, takes: 0, starts: [] as number[] }
  const claimStarts = memoryLedger()
  const ledgerOf = (index: number): RequestLedger => ({
    claim: async (claim) => {
      world.claims++
      if (world.error) throw world.error
      const grant = claimStarts(claim, time.elapsed())
      if (world.takes > 0 && index === 0) await time.wait(world.takes, forever)
      return grant
    },
  })
  const now = () => new Date(time.elapsed())
  const limiterOf = (index: number) => new RateLimiter({ ...limits, ledger: ledgerOf(index), timing: time, now })
  return Object.assign(world, {
    limiters: Array.from({ length: processes }, (_, index) => limiterOf(index)) as [RateLimiter, RateLimiter],
    /** A request that ends as soon as it starts. */
    async request(limiter: RateLimiter): Promise<void> {
      const slot = await limiter.acquire(newCaller())
      world.starts.push(time.elapsed())
      slot.release()
    },
    async pass(milliseconds: number): Promise<void> {
      void time.wait(milliseconds, forever)
      await time.runAll()
    },
    /** Lets time pass until all of it has ended. */
    async ended(...work: Promise<unknown>[]): Promise<void> {
      const all = Promise.all(work)
      all.catch(() => undefined)
      await time.runAll()
      await all
    },
  })
}

/**
 * When the starts of one admission count, in milliseconds: now; but where the limit has room for only one at a time, the earlier ones were
 * waited for before.
 */
function paidAt(now: number, together: number, perSecond: number): number[] {
  const apart = perSecond < 2 ? 1000 / perSecond : 0
  return Array.from({ length: together }, (_, index) => now - (together - 1 - index) * apart)
}

describe('rate limiters', () => {
  it('hold rate, concurrency and pauses and serve every request, of any sequence and number of processes, however slow the ledger', async () => {
    // Two starts at once are a close.
    const together = fc.constantFrom(1, 1, 2)
    const at = fc.nat(3000)
    const request = fc.record({ at, takes: fc.nat(700), process: fc.nat(2), session: fc.nat(2), together })
    const pause = fc.record({ at, process: fc.nat(2), lasts: fc.integer({ min: 1, max: 2000 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 40 }),
        fc.array(pause, { maxLength: 2 }),
        fc.record({ concurrency: fc.integer({ min: 1, max: 4 }), perSecond: fc.constantFrom(0.5, 1, 3, 10, 1000) }),
        fc.constantFrom(1, 3),
        fc.constantFrom(0, 0, 120, 400),
        async (requests, pauses, limits, processes, ledgerTakes) => {
          const { concurrency, perSecond } = limits
          const shared = shareLimits(processes, limits)
          shared.takes = ledgerTakes
          const { time, limiters } = shared
          const sessions = limiters.map(() => [newCaller(), newCaller(), newCaller()])
          const starts: number[] = []
          const begun: { process: number; at: number }[] = []
          const running = limiters.map(() => 0)
          const send = async ({ at, takes, session, together, ...of }: (typeof requests)[number]) => {
            const process = of.process % processes
            await time.wait(at, forever)
            const slot = await (limiters[process] as RateLimiter).acquire(
              sessions[process]?.[session] as Caller,
              together,
            )
            starts.push(...paidAt(time.elapsed(), together, perSecond))
            begun.push({ process, at: time.elapsed() })
            running[process] = (running[process] as number) + 1
            expect(running[process]).toBeLessThanOrEqual(concurrency)
            await time.wait(takes, forever)
            running[process] = (running[process] as number) - 1
            slot.release()
          }
          const pauseLater = async ({ at, process, lasts }: (typeof pauses)[number]) => {
            await time.wait(at, forever)
            limiters[process % processes]?.pause(lasts)
          }
          const all = Promise.all([...requests.map(send), ...pauses.map(pauseLater)])
          await time.runAll()
          await all
          expect(begun).toHaveLength(requests.length)
          for (const { at, process, lasts } of pauses) {
            const own = begun.filter((start) => start.process === process % processes)
            expect(own.filter((start) => start.at > at && start.at < at + lasts)).toEqual([])
          }
          starts.sort((a, b) => a - b)
          expect(shortestExcess(starts, Math.max(1, perSecond))).toBeGreaterThanOrEqual(
            1000 * Math.max(1, 1 / perSecond),
          )
        },
      ),
      { numRuns: 80 },
    )
  })

  it.each([
    [60, 0],
    [150, 0],
    [150, 10],
    [1000, 0],
  ])(
    'hold %d per second of many requests of three processes and use nearly all, with a ledger that takes %d ms',
    async (perSecond, takes) => {
      const shared = shareLimits(3, { concurrency: 16, perSecond })
      const { time, limiters, starts } = shared
      shared.takes = takes
      const ended = limiters.flatMap((limiter, process) =>
        Array.from({ length: 16 }, async (_, at) => {
          while (time.elapsed() < 4000) {
            const slot = await limiter.acquire(newCaller())
            starts.push(time.elapsed())
            // All end in the same moment, or one after another.
            await time.wait(process === 0 ? 10 : 3 + ((at * 7) % 31), forever)
            slot.release()
          }
        }),
      )
      await shared.ended(...ended)
      expect(shortestExcess(starts, perSecond)).toBeGreaterThanOrEqual(1000)
      expect(starts.length).toBeGreaterThan(0.9 * 4 * perSecond)
      // One claim for each request if there is room for no other within moments.
      expect(shared.claims / starts.length).toBeLessThan(perSecond === 1000 ? 0.5 : 1.1)
    },
  )

  it('serve waiting sessions in turn, one request each', async () => {
    const { limiters, time } = shareLimits(1, { concurrency: 1, perSecond: 1_000_000 })
    const served: string[] = []
    const slots: Slot[] = []
    const sessionNamed = (name: string) => {
      const session = newCaller()
      return async () => {
        slots.push(await limiters[0].acquire(session))
        served.push(name)
      }
    }
    const [long, short] = [sessionNamed('long'), sessionNamed('short')]
    await long()
    const waiting = [long(), long(), long(), long(), short(), short()]
    for (const _ of waiting) {
      slots.pop()?.release()
      await time.runAll()
    }
    expect(served.slice(1)).toEqual(['long', 'short', 'long', 'short', 'long', 'long'])
  })

  it('serve a request that waits before one that comes when it could start', async () => {
    const { limiters, request, time, ended } = shareLimits(1, { concurrency: 9, perSecond: 1 })
    const served: string[] = []
    const ask = (name: string) => request(limiters[0]).then(() => served.push(name))
    const late = time.wait(1000, forever).then(() => ask('late'))
    await ask('first')
    await ended(late, ask('waiting'))
    expect(served).toEqual(['first', 'waiting', 'late'])
  })

  it('cancel 1,000 waiting requests of one session, and serve those of others', async () => {
    const { limiters, ended } = shareLimits(1, { concurrency: 1, perSecond: 1_000_000 })
    const [stop, other] = [new AbortController(), newCaller()]
    setMaxListeners(0, stop.signal)
    const slot = await limiters[0].acquire(other)
    const session = { signal: stop.signal }
    const waiting = Array.from({ length: 1_000 }, () => limiters[0].acquire(session))
    const next = limiters[0].acquire(other)
    stop.abort()
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.every((one) => one.status === 'rejected' && one.reason.name === 'AbortedError')).toBe(true)
    slot.release()
    await ended(next)
    await expect(limiters[0].acquire(session)).rejects.toThrow('The run was stopped')
  })

  it('start nothing without the ledger, say why, and try again', async () => {
    const shared = shareLimits(1, { concurrency: 4, perSecond: 100 })
    const send = () => shared.ended(shared.request(shared.limiters[0]))
    shared.error = new Error('It is locked.')
    for (let round = 0; round < 6; round++)
      await expect(send()).rejects.toMatchObject({
        name: 'MarketplaceError',
        message: expect.stringMatching(/^No request was sent, .* It is locked\.$/),
      })
    shared.error = null
    await send()
  })
})

describe('a pause', () => {
  const LIMITS = { concurrency: 4, perSecond: 100 }

  it('of a minute is waited for; a longer one rejects waiting and new requests until its rest is short enough', async () => {
    const { limiters, time } = shareLimits(1, LIMITS)
    const [limiter] = limiters
    const pass = (milliseconds: number) => {
      void time.wait(milliseconds, forever)
      return time.step()
    }
    limiter.pause(60_000)
    const waiting = limiter.acquire(newCaller())
    expect(limiter.longPause()).toBeNull()
    limiter.pause(100_000)
    const refused = { name: 'PausedError', until: new Date(100_000) }
    await expect(waiting).rejects.toMatchObject(refused)
    await expect(limiter.acquire(newCaller())).rejects.toMatchObject(refused)
    await pass(39_999)
    expect(limiter.longPause()).toMatchObject({ until: new Date(100_000) })
    await pass(1)
    expect(limiter.longPause()).toBeNull()
  })

  it('holds for every process as soon as one was asked to', async () => {
    const { limiters, request, time, starts, ended } = shareLimits(3, { concurrency: 4, perSecond: 1 })
    const [asked, ...others] = limiters
    await Promise.all([request(asked), time.step()])
    // Each of the others has been granted a start for later.
    const all = [...others, ...others].map(request)
    await time.step()
    const pausedAt = time.elapsed()
    asked.pause(20_000)
    await ended(...all)
    expect(starts.filter((at) => at > pausedAt && at < pausedAt + 20_000)).toEqual([])
    expect(starts).toHaveLength(5)
  })

  it('holds for every process for its rest, and the ledger is asked little meanwhile', async () => {
    const shared = shareLimits(2, LIMITS)
    await shared.pass(10_000)
    shared.limiters[0].pause(20_000)
    await shared.ended(...shared.limiters.map(shared.request))
    expect(Math.min(...shared.starts)).toBeGreaterThanOrEqual(30_000)
    expect(Math.max(...shared.starts)).toBeLessThan(30_200)
    expect(shared.claims).toBeLessThan(12)
  })

  it('holds for every process also if the ledger cannot be reached when one was asked to', async () => {
    const shared = shareLimits(2, LIMITS)
    shared.error = new Error('It is locked.')
    shared.limiters[0].pause(20_000)
    await shared.time.step()
    shared.error = null
    await shared.time.step()
    await shared.ended(shared.request(shared.limiters[1]))
    expect(shared.starts[0]).toBeGreaterThanOrEqual(20_000)
  })

  it('that is too long to wait for ends requests of every process', async () => {
    const { limiters, request, time, ended } = shareLimits(2, LIMITS)
    limiters[0].pause(3_600_000)
    await time.runAll()
    const refused = { name: 'PausedError', until: new Date(3_600_000) }
    await expect(ended(request(limiters[1]))).rejects.toMatchObject(refused)
  })

  it('of another process is heard of before a close is sent, which fails without the ledger', async () => {
    const shared = shareLimits(2, { concurrency: 1, perSecond: 5 })
    const [closing, asked] = shared.limiters
    const slot = await closing.acquire(newCaller(), 2)
    expect(slot.wasPaused()).toBe(false)
    asked.pause(1000)
    expect(slot.wasPaused()).toBe(false)
    await closing.syncPauses()
    expect(slot.wasPaused()).toBe(true)
    shared.error = new Error('It is locked.')
    await expect(closing.syncPauses()).rejects.toMatchObject({ name: 'MarketplaceError' })
  })
})

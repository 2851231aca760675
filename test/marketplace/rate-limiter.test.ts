import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claimStarts, type LedgerRow, type RequestLedger } from '../../src/core/requests/request-ledger.js'
import { PausedError } from '../../src/marketplace/errors.js'
import { type Caller, RateLimiter, type Slot } from '../../src/marketplace/rate-limiter.js'
import { shortestExcess } from '../helpers/data/shortest-excess.js'
import { ManualClock } from '../helpers/manual-clock.js'

/** Rate limiters, as of several processes, on one ledger and one clock. */
function shareLimits(limits: readonly { concurrency: number; perSecond: number }[]) {
  const time = new ManualClock()
  const world = { time, claims: 0, error: null as Error | null, takes: 0 }
  let row: LedgerRow | null = null
  const ledger = (index: number): RequestLedger => ({
    claim: async (claim) => {
      world.claims++
      if (world.error) throw world.error
      const claimed = claimStarts(row, claim, time.elapsed())
      row = claimed.row
      if (world.takes > 0 && index === 0) await time.wait(world.takes, forever)
      return claimed.grant
    },
  })
  const now = () => new Date(time.elapsed())
  const limiters = limits.map((each, index) => new RateLimiter({ ...each, ledger: ledger(index), timing: time, now }))
  return Object.assign(world, { limiters })
}

const forever = new AbortController().signal
setMaxListeners(0, forever)

function limiterOf(time: ManualClock, concurrency: number, perSecond: number) {
  const now = () => new Date(time.elapsed())
  return new RateLimiter({ concurrency, perSecond, timing: time, now })
}

/** A session that nothing cancels. */
const newCaller = (): Caller => ({ signal: new AbortController().signal })

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
          const shared = shareLimits(Array(processes).fill(limits))
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

  it('serves waiting sessions round-robin, one request each', async () => {
    const time = new ManualClock()
    const limiter = limiterOf(time, 1, 1_000_000)
    const [long, short] = [
      { ...newCaller(), name: 'long' },
      { ...newCaller(), name: 'short' },
    ]
    const served: string[] = []
    const slots: Slot[] = []
    const ask = async (session: typeof long) => {
      slots.push(await limiter.acquire(session))
      served.push(session.name)
    }
    await ask(long)
    const waiting = [...Array.from({ length: 4 }, () => ask(long)), ask(short), ask(short)]
    for (const _ of waiting) {
      slots.pop()?.release()
      await time.runAll()
    }
    expect(served.slice(1)).toEqual(['long', 'short', 'long', 'short', 'long', 'long'])
  })

  it('waits for a pause of one minute, and rejects waiting and new requests during a longer one', async () => {
    const time = new ManualClock()
    const limiter = limiterOf(time, 1, 1000)
    limiter.pause(60_000)
    const waiting = limiter.acquire(newCaller())
    expect(limiter.longPause()).toBeNull()
    limiter.pause(60_001)
    const until = new Date(60_001)
    await expect(waiting).rejects.toMatchObject({ name: 'PausedError', until })
    await expect(limiter.acquire(newCaller())).rejects.toBeInstanceOf(PausedError)
    expect(time.timers).toBe(0)
  })

  it('cancels 100,000 waiting requests of one session, and serves those of others', async () => {
    const time = new ManualClock()
    const limiter = limiterOf(time, 1, 1_000_000)
    const [stop, other] = [new AbortController(), newCaller()]
    const slot = await limiter.acquire(other)
    const session = { signal: stop.signal }
    const waiting = Array.from({ length: 100_000 }, () => limiter.acquire(session))
    const next = limiter.acquire(other)
    stop.abort()
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'AbortedError' } })
    slot.release()
    await time.runAll()
    await next
    await expect(limiter.acquire(session)).rejects.toThrow('The run was stopped')
  })

  it('serves a request that waits before one that comes when it could start', async () => {
    const time = new ManualClock()
    const limiter = limiterOf(time, 9, 1)
    const served: string[] = []
    const ask = (name: string) => limiter.acquire(newCaller()).then(() => served.push(name))
    const late = time.wait(1000, forever).then(() => ask('late'))
    await ask('first')
    const waiting = ask('waiting')
    await time.runAll()
    await Promise.all([late, waiting])
    expect(served).toEqual(['first', 'waiting', 'late'])
  })

  it('rejects requests during a long pause until the rest of it is short enough to wait for', async () => {
    const time = new ManualClock()
    const limiter = limiterOf(time, 1, 1000)
    limiter.pause(100_000)
    void time.wait(39_999, forever)
    await time.runAll()
    expect(limiter.longPause()).toMatchObject({ until: new Date(100_000) })
    void time.wait(1, forever)
    await time.runAll()
    expect(limiter.longPause()).toBeNull()
  })
})

describe('limits shared by processes', () => {
  it('pause every process as soon as one was asked to', async () => {
    const shared = shareLimits(Array.from({ length: 3 }, () => ({ concurrency: 4, perSecond: 1 })))
    const [asked, ...others] = shared.limiters as [RateLimiter, ...RateLimiter[]]
    const starts: number[] = []
    const send = async (limiter: RateLimiter) => {
      const slot = await limiter.acquire(newCaller())
      starts.push(shared.time.elapsed())
      slot.release()
    }
    await Promise.all([send(asked), shared.time.step()])
    // Each of the others has been granted a start for later.
    const all = Promise.all([...others, ...others].map(send))
    await shared.time.step()
    const pausedAt = shared.time.elapsed()
    asked.pause(20_000)
    await shared.time.runAll()
    await all
    expect(starts.filter((at) => at > pausedAt && at < pausedAt + 20_000)).toEqual([])
    expect(starts).toHaveLength(5)
  })

  it('pause every process for the rest of the pause, and ask the ledger little meanwhile', async () => {
    const shared = shareLimits(Array.from({ length: 2 }, () => ({ concurrency: 4, perSecond: 100 })))
    const [asked, other] = shared.limiters as [RateLimiter, RateLimiter]
    void shared.time.wait(10_000, forever)
    await shared.time.runAll()
    asked.pause(20_000)
    const startedAt: number[] = []
    const all = Promise.all(
      [asked, other].map(async (limiter) => {
        const slot = await limiter.acquire(newCaller())
        startedAt.push(shared.time.elapsed())
        slot.release()
      }),
    )
    await shared.time.runAll()
    await all
    for (const at of startedAt) {
      expect(at).toBeGreaterThanOrEqual(30_000)
      expect(at).toBeLessThan(30_200)
    }
    expect(shared.claims).toBeLessThan(12)
  })

  it('pause every process also if the ledger cannot be reached when one was asked to', async () => {
    const shared = shareLimits(Array.from({ length: 2 }, () => ({ concurrency: 4, perSecond: 100 })))
    const [asked, other] = shared.limiters as [RateLimiter, RateLimiter]
    shared.error = new Error('It is locked.')
    asked.pause(20_000)
    await shared.time.step()
    shared.error = null
    await shared.time.step()
    const started = other.acquire(newCaller()).then((slot) => {
      expect(shared.time.elapsed()).toBeGreaterThanOrEqual(20_000)
      slot.release()
    })
    await shared.time.runAll()
    await started
  })

  it('end requests of every process at a pause that is too long to wait for', async () => {
    const shared = shareLimits(Array.from({ length: 2 }, () => ({ concurrency: 4, perSecond: 100 })))
    const [asked, other] = shared.limiters as [RateLimiter, RateLimiter]
    asked.pause(3_600_000)
    await shared.time.runAll()
    const refused = expect(other.acquire(newCaller())).rejects.toMatchObject({
      name: 'PausedError',
      until: new Date(3_600_000),
    })
    await shared.time.runAll()
    await refused
  })

  it('let a close hear of a pause of another process before it is sent, and fail without the ledger', async () => {
    const shared = shareLimits(Array.from({ length: 2 }, () => ({ concurrency: 1, perSecond: 5 })))
    const [closing, asked] = shared.limiters as [RateLimiter, RateLimiter]
    const slot = await closing.acquire(newCaller(), 2)
    expect(slot.wasPaused()).toBe(false)
    asked.pause(1000)
    expect(slot.wasPaused()).toBe(false)
    await closing.syncPauses()
    expect(slot.wasPaused()).toBe(true)
    shared.error = new Error('It is locked.')
    await expect(closing.syncPauses()).rejects.toMatchObject({ name: 'LedgerError' })
  })

  it('let nothing start without the ledger, say why, and try again', async () => {
    const shared = shareLimits([{ concurrency: 4, perSecond: 100 }])
    const [limiter] = shared.limiters as [RateLimiter]
    shared.error = new Error('It is locked.')
    for (let round = 0; round < 6; round++) {
      const refused = expect(limiter.acquire(newCaller())).rejects.toMatchObject({
        name: 'LedgerError',
        message: expect.stringMatching(/^No request was sent, .* It is locked\.$/),
      })
      await shared.time.runAll()
      await refused
    }
    shared.error = null
    const admitted = limiter.acquire(newCaller()).then((slot) => slot.release())
    await shared.time.runAll()
    await admitted
  })
})

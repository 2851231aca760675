import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claimStarts, type LedgerRow, type RequestLedger } from '../../src/core/requests/request-ledger.js'
import { RateLimiter } from '../../src/marketplace/rate-limiter.js'
import { shortestExcess } from '../helpers/data/shortest-excess.js'
import { ManualClock } from '../helpers/manual-clock.js'
import { newCaller, paidAt, TOGETHER } from './starts.js'

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

describe('limits shared by processes', () => {
  it('hold for the sum of all, and every request is served', async () => {
    const request = fc.record({ at: fc.nat(3000), takes: fc.nat(700), process: fc.nat(2), together: TOGETHER })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(1, 3, 10, 1000),
        async (requests, concurrency, perSecond) => {
          const { time, limiters } = shareLimits(Array.from({ length: 3 }, () => ({ concurrency, perSecond })))
          const starts: number[] = []
          const running = [0, 0, 0]
          const send = async ({ at, takes, process, together }: (typeof requests)[number]) => {
            const limiter = limiters[process] as RateLimiter
            await time.wait(at, forever)
            const slot = await limiter.acquire(newCaller(), together)
            starts.push(...paidAt(time.elapsed(), together, perSecond))
            running[process] = (running[process] as number) + 1
            expect(running[process]).toBeLessThanOrEqual(concurrency)
            await time.wait(takes, forever)
            running[process] = (running[process] as number) - 1
            slot.release()
          }
          const all = Promise.all(requests.map(send))
          await time.runAll()
          await all
          expect(starts).toHaveLength(requests.reduce((sum, { together }) => sum + together, 0))
          expect(shortestExcess(starts, perSecond)).toBeGreaterThanOrEqual(1000)
        },
      ),
      { numRuns: 15 },
    )
  })

  it.each([
    [0, 20],
    [120, 20],
    [120, 2],
    [400, 2],
  ])(
    'hold with a ledger that takes one process %d ms to answer, at %d per second, and every request is served',
    async (takes, perSecond) => {
      const shared = shareLimits(Array.from({ length: 2 }, () => ({ concurrency: 10, perSecond })))
      shared.takes = takes
      const starts: number[] = []
      const send = async (_: unknown, index: number) => {
        const limiter = shared.limiters[index % 2] as RateLimiter
        const slot = await limiter.acquire(newCaller())
        starts.push(shared.time.elapsed())
        await shared.time.wait(30, forever)
        slot.release()
      }
      const all = Promise.all(Array.from({ length: 30 }, send))
      await shared.time.runAll()
      await all
      expect(starts).toHaveLength(30)
      expect(shortestExcess(starts, perSecond)).toBeGreaterThanOrEqual(1000)
    },
  )

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

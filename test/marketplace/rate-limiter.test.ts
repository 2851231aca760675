import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PausedError } from '../../src/marketplace/errors.js'
import { type Caller, RateLimiter, type Slot } from '../../src/marketplace/rate-limiter.js'
import { ManualClock } from '../helpers/manual-clock.js'
import { newCaller, paidAt, TOGETHER } from './starts.js'

function limiterOf(time: ManualClock, concurrency: number, perSecond: number) {
  const now = () => new Date(time.elapsed())
  return new RateLimiter({ concurrency, perSecond, timing: time, now })
}

const forever = new AbortController().signal
setMaxListeners(0, forever)

describe('rate limiter', () => {
  it('holds rate, concurrency and pauses and serves every request, for any sequence of requests', async () => {
    const request = fc.record({ at: fc.nat(3000), takes: fc.nat(700), session: fc.nat(2), together: TOGETHER })
    const pause = fc.record({ at: fc.nat(3000), lasts: fc.integer({ min: 1, max: 2000 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 40 }),
        fc.array(pause, { maxLength: 2 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(0.5, 1, 3, 10, 1000),
        async (requests, pauses, concurrency, perSecond) => {
          const time = new ManualClock()
          const limiter = limiterOf(time, concurrency, perSecond)
          const sessions = [newCaller(), newCaller(), newCaller()]
          const starts: number[] = []
          const begun: number[] = []
          let running = 0
          const send = async ({ at, takes, session, together }: (typeof requests)[number]) => {
            await time.wait(at, forever)
            const slot = await limiter.acquire(sessions[session] as Caller, together)
            starts.push(...paidAt(time.elapsed(), together, perSecond))
            begun.push(time.elapsed())
            expect(++running).toBeLessThanOrEqual(concurrency)
            await time.wait(takes, forever)
            running--
            slot.release()
          }
          const pauseLater = async ({ at, lasts }: (typeof pauses)[number]) => {
            await time.wait(at, forever)
            limiter.pause(lasts)
          }
          const all = Promise.all([...requests.map(send), ...pauses.map(pauseLater)])
          await time.runAll()
          await all
          expect(begun).toHaveLength(requests.length)
          for (const { at, lasts } of pauses) {
            expect(begun.filter((start) => start > at && start < at + lasts)).toEqual([])
          }
          const window = Math.max(1, perSecond)
          for (const [index, start] of starts.entries()) {
            const after = starts[index + window]
            if (after !== undefined) expect(after - start).toBeGreaterThanOrEqual((window / perSecond) * 1000)
          }
        },
      ),
      { numRuns: 60 },
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

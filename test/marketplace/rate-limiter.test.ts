import { setMaxListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CancelToken } from '../../src/marketplace/cancel-token.js'
import { AbortedError, PausedError } from '../../src/marketplace/errors.js'
import { RateLimiter } from '../../src/marketplace/rate-limiter.js'
import type { Timing } from '../../src/marketplace/timing.js'

/** Time that stands still until it is moved. */
class StillTime implements Timing {
  #now = 0
  #sleepers: { at: number; wake: () => void }[] = []

  elapsed = () => this.#now
  random = () => 0
  wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((wake, reject) => {
      const sleeper = { at: this.#now + milliseconds, wake }
      this.#sleepers.push(sleeper)
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal.reason)
      })
    })

  get sleepers() {
    return this.#sleepers.length
  }

  /** Wakes the next sleeper, at its time; false where nobody sleeps. */
  async step(): Promise<boolean> {
    await turn()
    const next = this.#sleepers.sort((a, b) => a.at - b.at).shift()
    if (!next) return false
    this.#now = Math.max(this.#now, next.at)
    next.wake()
    await turn()
    return true
  }

  async runOut(): Promise<void> {
    while (await this.step());
  }
}

function limiterOf(time: StillTime, concurrency: number, perSecond: number) {
  const now = () => new Date(time.elapsed())
  return new RateLimiter({ concurrency, perSecond, timing: time, now })
}

const forever = new AbortController().signal
setMaxListeners(0, forever)

describe('the limiter', () => {
  it('keeps every law whatever is asked when: rate in any second, concurrency, pauses, everybody served', async () => {
    const request = fc.record({ at: fc.nat(3000), takes: fc.nat(700), lane: fc.nat(2) })
    const pause = fc.record({ at: fc.nat(3000), lasts: fc.integer({ min: 1, max: 2000 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 1, maxLength: 40 }),
        fc.array(pause, { maxLength: 2 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(0.5, 1, 3, 10, 1000),
        async (requests, pauses, concurrency, perSecond) => {
          const time = new StillTime()
          const limiter = limiterOf(time, concurrency, perSecond)
          const lanes = [{}, {}, {}]
          const starts: number[] = []
          let running = 0
          const send = async ({ at, takes, lane }: (typeof requests)[number]) => {
            await time.wait(at, forever)
            await limiter.acquire(lanes[lane] ?? {}, new CancelToken())
            starts.push(time.elapsed())
            expect(++running).toBeLessThanOrEqual(concurrency)
            await time.wait(takes, forever)
            running--
            limiter.end()
          }
          const hold = async ({ at, lasts }: (typeof pauses)[number]) => {
            await time.wait(at, forever)
            limiter.pause(lasts)
          }
          const all = Promise.all([...requests.map(send), ...pauses.map(hold)])
          await time.runOut()
          await all
          expect(starts).toHaveLength(requests.length)
          for (const { at, lasts } of pauses) {
            expect(starts.filter((start) => start > at && start < at + lasts)).toEqual([])
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

  it('lets requests begin at once, without a timer, while there is room', async () => {
    const time = new StillTime()
    const limiter = limiterOf(time, 2, 2)
    await limiter.acquire({}, new CancelToken())
    await limiter.acquire({}, new CancelToken())
    expect(time.sleepers).toBe(0)
  })

  it('asks for one timer, however many wait', async () => {
    const time = new StillTime()
    const limiter = limiterOf(time, 100, 1)
    const waiting = Promise.all(Array.from({ length: 5 }, () => limiter.acquire({}, new CancelToken())))
    expect(time.sleepers).toBe(1)
    await time.runOut()
    await waiting
    expect(time.elapsed()).toBe(4000)
  })

  it('serves those who wait in turn, one request a session', async () => {
    const limiter = limiterOf(new StillTime(), 1, Number.POSITIVE_INFINITY)
    const [long, short] = [{ name: 'long' }, { name: 'short' }]
    const served: string[] = []
    const ask = (lane: { name: string }) => limiter.acquire(lane, new CancelToken()).then(() => served.push(lane.name))
    await ask(long)
    const waiting = [...Array.from({ length: 4 }, () => ask(long)), ask(short), ask(short)]
    for (const _ of waiting) {
      limiter.end()
      await turn()
    }
    expect(served.slice(1)).toEqual(['long', 'short', 'long', 'short', 'long', 'long'])
  })

  it('waits out a pause of a minute, and refuses at once in a longer one, who waits as who comes', async () => {
    const time = new StillTime()
    const limiter = limiterOf(time, 1, 1000)
    limiter.pause(60_000)
    const waiting = limiter.acquire({}, new CancelToken())
    expect(limiter.longPause()).toBeNull()
    limiter.pause(60_001)
    const until = new Date(60_001)
    await expect(waiting).rejects.toMatchObject({ name: 'PausedError', until })
    await expect(limiter.acquire({}, new CancelToken())).rejects.toBeInstanceOf(PausedError)
    expect(time.sleepers).toBe(0)
  })

  it('never shortens a pause', async () => {
    const time = new StillTime()
    const limiter = limiterOf(time, 1, 1000)
    limiter.pause(5000)
    limiter.pause(10)
    const begun = limiter.acquire({}, new CancelToken())
    await time.runOut()
    await begun
    expect(time.elapsed()).toBe(5000)
  })

  it('forgets who was stopped, its timer included', async () => {
    const time = new StillTime()
    const limiter = limiterOf(time, 1, 1)
    const stop = new CancelToken()
    await limiter.acquire({}, stop)
    limiter.end()
    const waiting = limiter.acquire({}, stop)
    expect(time.sleepers).toBe(1)
    stop.cancel(new AbortedError('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(time.sleepers).toBe(0)
    await expect(limiter.acquire({}, stop)).rejects.toThrow('enough')
  })
})

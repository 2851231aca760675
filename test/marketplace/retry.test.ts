import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AbortedError, ItemError, UnavailableError } from '../../src/marketplace/errors.js'
import { CancelToken } from '../../src/marketplace/http/cancel-token.js'
import { backoffDelay, DEFAULT_BACKOFF, RetryQuota, TransientError, withRetries } from '../../src/marketplace/retry.js'
import { quickTime } from '../helpers/quick-time.js'
import { failureOf } from './server.js'

const options = (retries: number, quota = new RetryQuota()) => {
  const timing = quickTime()
  return { retries, backoff: DEFAULT_BACKOFF, quota, timing, cancelToken: new CancelToken(), waits: timing.waits }
}
const failing = async () => {
  throw new TransientError('down', { status: 503 })
}

describe('back-off delay', () => {
  it('is random between zero and a bound that doubles up to the cap', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), random, (retry, chance) => {
        const delay = backoffDelay(retry, DEFAULT_BACKOFF, chance)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(Math.min(20_000, 500 * 2 ** (retry - 1)))
      }),
    )
    expect([1, 2, 3, 4, 5, 6, 7, 50].map((retry) => backoffDelay(retry, DEFAULT_BACKOFF, 1))).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000,
    ])
  })
})

describe('withRetries', () => {
  it('retries until it succeeds, waiting longer each time', async () => {
    const { waits, ...rest } = options(5)
    const retries: number[] = []
    const value = await withRetries(async (retry) => {
      retries.push(retry)
      return retry < 3 ? failing() : 'done'
    }, rest)
    expect(value).toBe('done')
    expect(retries).toEqual([0, 1, 2, 3])
    expect(waits.map(Math.round)).toEqual([500, 1000, 2000])
  })

  it('throws UnavailableError with the number of attempts after the last retry', async () => {
    const { waits, ...rest } = options(2)
    const error = await failureOf(withRetries(failing, rest))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).not.toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ message: 'down, after 3 attempts', status: 503 })
    expect(waits).toHaveLength(2)
  })

  it('does not retry other errors', async () => {
    const { waits, ...rest } = options(5)
    for (const fault of [new ItemError('gone', { status: 404 }), new TypeError('a mistake of ours')]) {
      const error = await failureOf(
        withRetries(async () => {
          throw fault
        }, rest),
      )
      expect(error).toBe(fault)
    }
    expect(waits).toEqual([])
  })

  it('says nothing of attempts if there was one', async () => {
    const { waits: _, ...rest } = options(0)
    expect(await failureOf(withRetries(failing, rest))).toMatchObject({ message: 'down' })
  })

  it('ends at once when cancelled during a wait', async () => {
    const cancelToken = new CancelToken()
    const wait = (_: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('a timer of the platform')))
        queueMicrotask(() => cancelToken.cancel(new AbortedError('enough')))
      })
    const rest = { ...options(5), cancelToken, timing: { ...quickTime(), wait } }
    expect(await failureOf(withRetries(failing, rest))).toMatchObject({ name: 'AbortedError', message: 'enough' })
  })
})

describe('retry quota', () => {
  it('allows twenty retries without any success, then treats the marketplace as down', async () => {
    const quota = new RetryQuota()
    const { waits, ...rest } = options(5, quota)
    for (let read = 0; read < 20; read++) await failureOf(withRetries(failing, rest))
    expect(waits).toHaveLength(20)
    expect(quota.exhausted).toBe(true)
  })

  it('is never used up if every failed read succeeds at its first retry', async () => {
    const quota = new RetryQuota()
    const { waits, ...rest } = options(5, quota)
    for (let read = 0; read < 200; read++) await withRetries(async (retry) => (retry === 0 ? failing() : 1), rest)
    expect(waits).toHaveLength(200)
    expect(quota.exhausted).toBe(false)
  })

  it('treats a marketplace that replies with errors as up', async () => {
    const quota = new RetryQuota()
    const { waits: _, ...rest } = options(5, quota)
    for (let read = 0; read < 20; read++) await failureOf(withRetries(failing, rest))
    const gone = async () => {
      throw new ItemError('gone', { status: 404 })
    }
    await failureOf(withRetries(gone, rest))
    expect(quota.exhausted).toBe(false)
  })

  it('does not take other errors for replies', async () => {
    const quota = new RetryQuota()
    const { waits: _, ...rest } = options(5, quota)
    for (let read = 0; read < 20; read++) await failureOf(withRetries(failing, rest))
    for (const fault of [new AbortedError('stopped'), new TypeError('a mistake of ours')]) {
      const broken = async () => {
        throw fault
      }
      await failureOf(withRetries(broken, rest))
      expect(quota.exhausted).toBe(true)
    }
  })

  const spendAll = (quota: RetryQuota) => {
    let spent = 0
    while (quota.spend()) spent++
    return spent
  }

  it('never holds more than twenty retries, and a success at once returns a fifth of one', () => {
    const quota = new RetryQuota()
    for (let success = 0; success < 1000; success++) quota.recordSuccess(false)
    expect(spendAll(quota)).toBe(20)
    for (let success = 0; success < 5; success++) quota.recordSuccess(false)
    expect(spendAll(quota)).toBe(1)
    quota.recordSuccess(true)
    expect(spendAll(quota)).toBe(1)
  })

  it('is exhausted from ten failures in a row on, if no retry is left', () => {
    const quota = new RetryQuota()
    for (let failure = 0; failure < 50; failure++) quota.recordFailure()
    expect(quota.exhausted).toBe(false)
    quota.recordReply()
    spendAll(quota)
    for (let failure = 0; failure < 9; failure++) quota.recordFailure()
    expect(quota.exhausted).toBe(false)
    quota.recordFailure()
    expect(quota.exhausted).toBe(true)
    for (let success = 0; success < 5; success++) quota.recordSuccess(false)
    for (let failure = 0; failure < 10; failure++) quota.recordFailure()
    expect(quota.exhausted).toBe(false)
  })
})

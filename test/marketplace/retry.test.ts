import { describe, expect, it } from 'vitest'
import { AbortedError, ItemError } from '../../src/marketplace/errors.js'
import { CancelToken } from '../../src/marketplace/http/cancel-token.js'
import { DEFAULT_BACKOFF, RetryQuota, TransientError, withRetries } from '../../src/marketplace/retry.js'
import { quickTime } from '../helpers/quick-time.js'
import { failureOf } from './server.js'

const options = (retries: number, quota = new RetryQuota()) => {
  const timing = quickTime()
  return { retries, backoff: DEFAULT_BACKOFF, quota, timing, cancelToken: new CancelToken(), waits: timing.waits }
}
const failing = async () => {
  throw new TransientError('down', { status: 503 })
}

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

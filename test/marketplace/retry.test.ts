import { describe, expect, it } from 'vitest'
import { AbortedError, ItemError, TransientError } from '../../src/marketplace/errors.js'
import { RetryQuota, withRetries } from '../../src/marketplace/retry.js'
import { failureOf } from './server.js'

const { signal } = new AbortController()
const optionsOf = (quota: RetryQuota) => ({
  ...{ quota, signal, retries: 5, backoff: { minTimeout: 0, maxTimeout: 0 } },
})
const down = new TransientError('down', { status: 503 })
const failing = async () => {
  throw down
}

/** A quota after twenty reads of a marketplace that is down. */
async function exhausted(): Promise<RetryQuota> {
  const quota = new RetryQuota()
  for (let read = 0; read < 20; read++) await failureOf(withRetries(failing, optionsOf(quota)))
  return quota
}

describe('retry quota', () => {
  it('is never used up if every failed read succeeds at its first retry', async () => {
    const quota = new RetryQuota()
    let attempts = 0
    const attempt = async (retry: number) => {
      attempts++
      return retry === 0 ? failing() : 1
    }
    for (let read = 0; read < 200; read++) await withRetries(attempt, optionsOf(quota))
    expect(attempts).toBe(400)
    expect(quota.exhausted).toBe(false)
  })

  it.each([
    [new ItemError('gone', { status: 404 }), false],
    [new AbortedError('stopped'), true],
    [new TypeError('a mistake of ours'), true],
  ])('is told that the marketplace is up by error replies only: %s', async (error, isExhausted) => {
    const quota = await exhausted()
    expect(await failureOf(withRetries(() => Promise.reject(error), optionsOf(quota)))).toBe(error)
    expect(quota.exhausted).toBe(isExhausted)
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
    for (let failure = 0; failure < 50; failure++) quota.recordFailure(down)
    expect(quota.exhausted).toBe(false)
    quota.recordSuccess(false)
    spendAll(quota)
    for (let failure = 0; failure < 9; failure++) quota.recordFailure(down)
    expect(quota.exhausted).toBe(false)
    quota.recordFailure(down)
    expect(quota.exhausted).toBe(true)
  })
})

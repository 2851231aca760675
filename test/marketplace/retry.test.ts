import { describe, expect, it } from 'vitest'
import { AbortedError, ItemError, TransientError } from '../../src/marketplace/errors.js'
import { Retries } from '../../src/marketplace/retry.js'
import { failureOf } from './server.js'

const { signal } = new AbortController()
const newRetries = () => new Retries({ signal, backoff: { minTimeout: 0, maxTimeout: 0 } })
const down = async () => {
  throw new TransientError('down', { status: 503 })
}
const up = async () => 1

/** How many retries are left; uses them up. */
async function retriesLeft(retries: Retries): Promise<number> {
  let attempts = 0
  const attempt = () => {
    attempts++
    return down()
  }
  await failureOf(retries.run(attempt, 1_000))
  return attempts - 1
}

describe('the retries of a session', () => {
  it('are never used up if every failed read succeeds at its first retry', async () => {
    const retries = newRetries()
    let attempts = 0
    const attempt = async (retry: number) => {
      attempts++
      return retry === 0 ? down() : 1
    }
    for (let read = 0; read < 200; read++) await retries.run(attempt, 5)
    expect(attempts).toBe(400)
    expect(retries.exhausted).toBe(false)
  })

  it('are never more than twenty, and a success at once returns a fifth of one', async () => {
    const retries = newRetries()
    for (let success = 0; success < 1000; success++) await retries.run(up, 5)
    expect(await retriesLeft(retries)).toBe(20)
    for (let success = 0; success < 5; success++) await retries.run(up, 5)
    expect(await retriesLeft(retries)).toBe(1)
  })

  it('are exhausted from ten failures in a row on, if none is left', async () => {
    const retries = newRetries()
    for (let failure = 0; failure < 50; failure++) await failureOf(retries.run(down, 0))
    expect(retries.exhausted).toBe(false)
    await retriesLeft(retries)
    expect(retries.exhausted).toBe(true)
    await retries.run(up, 0)
    for (let failure = 0; failure < 9; failure++) await failureOf(retries.run(down, 0))
    expect(retries.exhausted).toBe(false)
    await failureOf(retries.run(down, 0))
    expect(retries.exhausted).toBe(true)
  })

  it.each([
    [new ItemError('gone', { status: 404 }), false],
    [new AbortedError('stopped'), true],
    [new TypeError('a mistake of ours'), true],
  ])('are told that the marketplace is up by error replies only: %s', async (error, isExhausted) => {
    const retries = newRetries()
    await retriesLeft(retries)
    expect(await failureOf(retries.run(() => Promise.reject(error), 5))).toBe(error)
    expect(retries.exhausted).toBe(isExhausted)
  })
})

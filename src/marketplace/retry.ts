import pRetry, { type Options, type RetryContext } from 'p-retry'
import { MarketplaceError, UnavailableError } from './errors.js'
import type { CancelToken } from './http/cancel-token.js'
import type { Timing } from './http/timing.js'

/** A failure that a retry may overcome. `withRetries` turns it into an UnavailableError. */
export class TransientError extends UnavailableError {}

export interface Backoff {
  /** Longest wait before the first retry, in milliseconds; doubled for each further retry. */
  baseMs: number
  /** Longest wait of all, in milliseconds. */
  capMs: number
}

/** Full jitter from 500 ms to 20 s (docs/MARKETPLACE.md, Retries). */
export const DEFAULT_BACKOFF: Backoff = { baseMs: 500, capMs: 20_000 }

/**
 * The wait before a retry: exponential back-off with full jitter, as in the AWS SDKs.
 * @param retry 1 for the first
 * @param random in [0, 1)
 * @returns milliseconds
 */
export function backoffDelay(retry: number, backoff: Backoff, random: number): number {
  return random * Math.min(backoff.capMs, backoff.baseMs * 2 ** (retry - 1))
}

const MAX_TOKENS = 100
const RETRY_COST = 5
const MIN_FAILURES_IN_A_ROW = 10

/**
 * The retry budget of one session, modelled on the retry quota of the AWS SDKs: a retry costs 5 of 100 tokens, the success
 * of a retried read returns 5, any other success 1. If the marketplace is down, a run makes about twenty retries in all,
 * however many reads it has; occasional failures never exhaust the budget.
 */
export class RetryQuota {
  #tokens = MAX_TOKENS
  #failuresInRow = 0

  /** Takes the tokens for one retry; false if too few are left. */
  spend(): boolean {
    if (this.#tokens < RETRY_COST) return false
    this.#tokens -= RETRY_COST
    return true
  }

  recordSuccess(retried: boolean): void {
    this.#failuresInRow = 0
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + (retried ? RETRY_COST : 1))
  }

  recordFailure(): void {
    this.#failuresInRow++
  }

  /** Records an error reply: the marketplace is up, so earlier failures in a row no longer count. */
  recordReply(): void {
    this.#failuresInRow = 0
  }

  /** No tokens left and ten failures in a row: this session treats the marketplace as down. */
  get exhausted(): boolean {
    return this.#tokens < RETRY_COST && this.#failuresInRow >= MIN_FAILURES_IN_A_ROW
  }
}

export interface RetryOptions {
  /** Retries after the first attempt. */
  retries: number
  backoff: Backoff
  quota: RetryQuota
  timing: Timing
  cancelToken: CancelToken
}

/**
 * Repeats an attempt until it succeeds, fails with another error than TransientError, or uses up the retries or the
 * quota. Requests are retried nowhere else (docs/ARCHITECTURE.md).
 * @param attempt receives the number of attempts before it
 * @throws UnavailableError with the number of attempts; any other error of `attempt` unchanged
 */
export async function withRetries<T>(attempt: (retry: number) => Promise<T>, options: RetryOptions): Promise<T> {
  try {
    return await recordAttempt(attempt, 0, options.quota)
  } catch (error) {
    if (!(error instanceof TransientError)) throw error
    if (options.retries > 0 && options.quota.spend()) return await retryAfterFailure(attempt, options)
    throw new UnavailableError(error.message, { status: error.status })
  }
}

/** The attempts after the first, which nearly always is the only one: p-retry would take longer than the rest of it. */
async function retryAfterFailure<T>(attempt: (retry: number) => Promise<T>, options: RetryOptions): Promise<T> {
  let attempts = 1
  const shouldRetry = ({ error }: RetryContext) => error instanceof TransientError && options.quota.spend()
  try {
    return await pRetry(
      async (retry) => {
        await waitBeforeRetry(retry, options)
        attempts = retry + 1
        return await recordAttempt(attempt, retry, options.quota)
      },
      { ...P_RETRY_OPTIONS, retries: options.retries - 1, shouldRetry },
    )
  } catch (error) {
    if (!(error instanceof TransientError)) throw error
    const suffix = attempts === 1 ? '' : `, after ${attempts} attempts`
    throw new UnavailableError(`${error.message}${suffix}`, { status: error.status })
  }
}

/** p-retry with its own waits disabled. */
const P_RETRY_OPTIONS: Options = { factor: 1, minTimeout: 0, maxTimeout: Number.POSITIVE_INFINITY, randomize: false }

async function recordAttempt<T>(attempt: (retry: number) => Promise<T>, retry: number, quota: RetryQuota): Promise<T> {
  try {
    const value = await attempt(retry)
    quota.recordSuccess(retry > 0)
    return value
  } catch (error) {
    if (error instanceof TransientError) quota.recordFailure()
    else if (error instanceof MarketplaceError && error.status !== null) quota.recordReply()
    throw error
  }
}

async function waitBeforeRetry(retry: number, { backoff, timing, cancelToken }: RetryOptions): Promise<void> {
  const timer = new AbortController()
  const unlisten = cancelToken.onCancel(() => timer.abort())
  try {
    cancelToken.throwIfCancelled()
    await timing.wait(backoffDelay(retry, backoff, timing.random()), timer.signal)
  } catch (error) {
    cancelToken.throwIfCancelled()
    throw error
  } finally {
    unlisten()
  }
}

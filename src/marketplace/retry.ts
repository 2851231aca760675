import pRetry from 'p-retry'
import { abortedError, MarketplaceError, TransientError, UnavailableError } from './errors.js'

/** Waits before retries, in milliseconds: before the first, between this and twice this; doubled for each further one. */
export interface Backoff {
  minTimeout: number
  maxTimeout: number
}

export const DEFAULT_BACKOFF: Backoff = { minTimeout: 500, maxTimeout: 20_000 }

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
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + (retried ? RETRY_COST : 1))
    this.#failuresInRow = 0
  }

  /** Any other status than those that are retried shows that the marketplace is up. */
  recordFailure(error: unknown): void {
    if (error instanceof TransientError) this.#failuresInRow++
    else if (error instanceof MarketplaceError && error.status !== null) this.#failuresInRow = 0
  }

  /** No tokens left and ten failures in a row: this session treats the marketplace as down. */
  get exhausted(): boolean {
    return this.#tokens < RETRY_COST && this.#failuresInRow >= MIN_FAILURES_IN_A_ROW
  }
}

interface RetryOptions {
  /** Retries after the first attempt. */
  retries: number
  backoff: Backoff
  quota: RetryQuota
  signal: AbortSignal
}

/**
 * Repeats an attempt until it succeeds, fails with another error than TransientError, or uses up the retries or the
 * quota. Requests are retried nowhere else (docs/ARCHITECTURE.md).
 * @param attempt receives the number of attempts before it
 * @throws UnavailableError with the number of attempts; any other error of `attempt` unchanged
 */
export async function withRetries<T>(
  attempt: (retry: number) => Promise<T>,
  { retries, backoff, quota, signal }: RetryOptions,
): Promise<T> {
  let attempts = 0
  const recorded = async () => {
    const retry = attempts++
    try {
      const value = await attempt(retry)
      quota.recordSuccess(retry > 0)
      return value
    } catch (error) {
      quota.recordFailure(error)
      throw error
    }
  }
  // p-retry gets the first attempt only if it failed: it would cost more time than all else that most reads need.
  const first = recorded()
  try {
    return await first.catch(() =>
      pRetry((number) => (number === 1 ? first : recorded()), {
        ...backoff,
        ...{ retries, signal, randomize: true },
        shouldRetry: ({ error }) => error instanceof TransientError && quota.spend(),
      }),
    )
  } catch (error) {
    if (!(error instanceof MarketplaceError) && signal.aborted) throw abortedError(signal)
    if (!(error instanceof TransientError)) throw error
    const suffix = attempts === 1 ? '' : `, after ${attempts} attempts`
    throw new UnavailableError(`${error.message}${suffix}`, { status: error.status })
  }
}

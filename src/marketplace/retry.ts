import pRetry, { type Options, type RetryContext } from 'p-retry'
import type { CancelToken } from './cancel-token.js'
import { MarketplaceError, UnavailableError } from './errors.js'
import type { Timing } from './timing.js'

/** A failure that a second try may cure. Leaves this room only as the UnavailableError it is. */
export class TransientError extends UnavailableError {}

export interface Backoff {
  /** Longest wait before the first retry, in milliseconds; doubles with each retry. */
  baseMs: number
  /** No wait is longer, in milliseconds. */
  capMs: number
}

/** reliability.md, numbers to adopt: full jitter from 500 ms, cap 20 s. */
export const DEFAULT_BACKOFF: Backoff = { baseMs: 500, capMs: 20_000 }

/**
 * How long to wait before a retry: exponential backoff with full jitter, as the AWS SDKs do.
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
 * What one session may spend on retries, after the AWS SDK's retry quota: a retry costs 5 of 100 tokens, the success
 * of a retried read gives 5 back, any other success 1. A marketplace that is down is thus asked about twenty times
 * more than necessary by one run, however many reads the run has; one that fails now and then is never given up.
 */
export class RetryQuota {
  #tokens = MAX_TOKENS
  #failuresInRow = 0

  /** Pays for one retry; false where there is nothing left to pay with. */
  spend(): boolean {
    if (this.#tokens < RETRY_COST) return false
    this.#tokens -= RETRY_COST
    return true
  }

  succeeded(retried: boolean): void {
    this.#failuresInRow = 0
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + (retried ? RETRY_COST : 1))
  }

  failed(): void {
    this.#failuresInRow++
  }

  /** An answer came, if not the one hoped for: the marketplace lives. */
  answered(): void {
    this.#failuresInRow = 0
  }

  /** No tokens left and ten failures in a row: the marketplace is taken for dead by this session. */
  get exhausted(): boolean {
    return this.#tokens < RETRY_COST && this.#failuresInRow >= MIN_FAILURES_IN_A_ROW
  }
}

export interface RetryOptions {
  /** Retries after the first try. */
  retries: number
  backoff: Backoff
  quota: RetryQuota
  timing: Timing
  stop: CancelToken
}

/**
 * Tries until it succeeds, fails for good, or the retries or the quota are used up. The one place where a request is
 * retried (architecture.md, rule 6).
 * @param attempt told how many tries went before
 * @throws UnavailableError that says how often was tried; whatever else `attempt` throws, at once
 */
export async function withRetries<T>(attempt: (retry: number) => Promise<T>, options: RetryOptions): Promise<T> {
  let tries = 0
  const shouldRetry = ({ error }: RetryContext) => error instanceof TransientError && options.quota.spend()
  try {
    return await pRetry(
      async (number) => {
        if (number > 1) await waitBeforeRetry(number - 1, options)
        tries = number
        return await recordAttempt(attempt, number - 1, options.quota)
      },
      { ...P_RETRY_OPTIONS, retries: options.retries, shouldRetry },
    )
  } catch (error) {
    if (!(error instanceof TransientError)) throw error
    const outcome = tries === 1 ? '' : `, after ${tries} tries`
    throw new UnavailableError(`${error.message}${outcome}`, { status: error.status })
  }
}

/**
 * Every option of p-retry, as it has it by default but for the waits, which are ours. Given whole because p-retry fills
 * in what is absent, and adding properties to a copy costs V8 thirty times the rest of the call (13 µs, measured).
 */
const P_RETRY_OPTIONS: Required<Omit<Options, 'signal'>> = {
  retries: 0,
  factor: 1,
  minTimeout: 0,
  maxTimeout: Number.POSITIVE_INFINITY,
  maxRetryTime: Number.POSITIVE_INFINITY,
  randomize: false,
  unref: false,
  onFailedAttempt: () => undefined,
  shouldConsumeRetry: () => true,
  shouldRetry: () => true,
}

async function recordAttempt<T>(attempt: (retry: number) => Promise<T>, retry: number, quota: RetryQuota): Promise<T> {
  try {
    const value = await attempt(retry)
    quota.succeeded(retry > 0)
    return value
  } catch (error) {
    if (error instanceof TransientError) quota.failed()
    else if (error instanceof MarketplaceError && error.status !== null) quota.answered()
    throw error
  }
}

async function waitBeforeRetry(retry: number, { backoff, timing, stop }: RetryOptions): Promise<void> {
  const alarm = new AbortController()
  const unlisten = stop.onCancel(() => alarm.abort())
  try {
    stop.throwIfCancelled()
    await timing.wait(backoffDelay(retry, backoff, timing.random()), alarm.signal)
  } catch (error) {
    stop.throwIfCancelled()
    throw error
  } finally {
    unlisten()
  }
}

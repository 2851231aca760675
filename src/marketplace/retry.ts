import pRetry from 'p-retry'
import type { Backoff } from './contract.js'
import { abortedError, MarketplaceError, TransientError, UnavailableError } from './errors.js'

export const DEFAULT_BACKOFF: Backoff = { minTimeout: 500, maxTimeout: 20_000 }

const MAX_TOKENS = 100
const RETRY_COST = 5
const MIN_FAILURES_IN_A_ROW = 10

/**
 * The retries of one session. Their budget is modelled on the retry quota of the AWS SDKs: a retry costs 5 of 100 tokens, the success
 * of a retried read returns 5, any other success 1. If the marketplace is down, a run makes about twenty retries in all,
 * however many reads it has; occasional failures never exhaust the budget.
 */
export class Retries {
  readonly #options: { backoff: Backoff; signal: AbortSignal }
  #tokens = MAX_TOKENS
  #failuresInRow = 0

  constructor(options: { backoff: Backoff; signal: AbortSignal }) {
    this.#options = options
  }

  /** No tokens left and ten failures in a row: this session treats the marketplace as down. */
  get exhausted(): boolean {
    return this.#tokens < RETRY_COST && this.#failuresInRow >= MIN_FAILURES_IN_A_ROW
  }

  /**
   * Repeats an attempt until it succeeds, fails with another error than TransientError, or uses up the retries or the
   * budget. Requests are retried nowhere else (docs/ARCHITECTURE.md).
   * @param attempt receives the number of attempts before it
   * @param retries after the first attempt
   * @throws UnavailableError with the number of attempts; any other error of `attempt` unchanged
   */
  async run<T>(attempt: (retry: number) => Promise<T>, retries: number): Promise<T> {
    const { backoff, signal } = this.#options
    let attempts = 0
    const next = () => this.#recorded(attempt, attempts++)
    // p-retry gets the first attempt only if it failed: it would cost more time than all else that most reads need.
    const first = next()
    try {
      return await first.catch(() =>
        pRetry((number) => (number === 1 ? first : next()), {
          ...backoff,
          ...{ retries, signal, randomize: true },
          shouldRetry: ({ error }) => error instanceof TransientError && this.#spend(),
        }),
      )
    } catch (error) {
      if (!(error instanceof MarketplaceError) && signal.aborted) throw abortedError(signal)
      if (!(error instanceof TransientError)) throw error
      const suffix = attempts === 1 ? '' : `, after ${attempts} attempts`
      const remedy = error.status === null ? '; check the network and baseUrl' : ''
      throw new UnavailableError(`${error.message}${suffix}${remedy}`, { status: error.status })
    }
  }

  async #recorded<T>(attempt: (retry: number) => Promise<T>, retry: number): Promise<T> {
    try {
      const value = await attempt(retry)
      this.#tokens = Math.min(MAX_TOKENS, this.#tokens + (retry > 0 ? RETRY_COST : 1))
      this.#failuresInRow = 0
      return value
    } catch (error) {
      if (error instanceof TransientError) this.#failuresInRow++
      // Any other status shows that the marketplace is up.
      else if (error instanceof MarketplaceError && error.status !== null) this.#failuresInRow = 0
      throw error
    }
  }

  /** Takes the tokens for one retry; false if too few are left. */
  #spend(): boolean {
    if (this.#tokens < RETRY_COST) return false
    this.#tokens -= RETRY_COST
    return true
  }
}

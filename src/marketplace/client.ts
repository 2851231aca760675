import type { RequestLedger } from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import type { Marketplace, RequestLimits, RequestObserver } from './contract.js'
import { type Backoff, DEFAULT_BACKOFF } from './retry.js'
import { Session } from './session.js'
import { SYSTEM_TIMING, type Timing } from './timing.js'
import { Transport } from './transport.js'

export interface MarketplaceOptions {
  /** Origin, with an optional path. */
  baseUrl: string
  limits: RequestLimits
  /** Quotekeeper's version, for the User-Agent. */
  version: string
  /** Shares the limits with other processes (docs/ARCHITECTURE.md); without it, they apply to this client only. */
  ledger?: RequestLedger | undefined
  /** Called after each HTTP request, for metrics. */
  observer?: RequestObserver | undefined
  now?: Clock
  /** Waits before retries; tests make them short. */
  backoff?: Backoff
  /** Clock and timers; tests replace them. */
  timing?: Timing
}

/**
 * Creates the client of one marketplace (docs/MARKETPLACE.md). Its sessions share connections, limits and pauses.
 * Nothing is sent before a session makes a request.
 * @returns a client that the caller closes
 * @throws TypeError for an invalid base URL
 */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const { limits, version, backoff = DEFAULT_BACKOFF, timing = SYSTEM_TIMING } = options
  const { observer = () => undefined, now = () => new Date() } = options
  const transport = new Transport({ ...options, observer, now, timing })
  return {
    session: (channel, { signal = new AbortController().signal } = {}) =>
      new Session({ transport, version, channel, retries: limits.retries, backoff, signal }),
    close: () => transport.close(),
  }
}

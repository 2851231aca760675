import type { Clock } from '../domain/clock.js'
import type { Marketplace, RequestLimits, RequestObserver } from './contract.js'
import { type Backoff, DEFAULT_BACKOFF } from './retry.js'
import { Session } from './session.js'
import { SYSTEM_TIMING, type Timing } from './timing.js'
import { Transport } from './transport.js'

export interface MarketplaceOptions {
  /** Origin and path of the marketplace. */
  baseUrl: string
  limits: RequestLimits
  /** Quotekeeper's version, for the User-Agent. */
  version: string
  /** Told of each HTTP request. */
  observer?: RequestObserver
  now?: Clock
  /** How long to wait before retries; tests against a failing server make it short. */
  backoff?: Backoff
  /** How time passes; tests hand in their own. */
  timing?: Timing
}

/**
 * Opens the way to one marketplace (marketplace-api.md). Nothing is sent before a session asks; connections, limits
 * and pauses are shared by all its sessions. docs/MARKETPLACE.md tells the rules.
 * @returns to be closed by who opened it
 * @throws TypeError for a base URL that is none
 */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const { baseUrl, limits, version, backoff = DEFAULT_BACKOFF, timing = SYSTEM_TIMING } = options
  const { observer = () => undefined, now = () => new Date() } = options
  const host = new Transport({ baseUrl, limits, version, observer, now, timing })
  return {
    session: (channel, { signal } = {}) =>
      new Session({ host, channel, retries: limits.retries, backoff, timing, signal }),
    close: () => host.close(),
  }
}

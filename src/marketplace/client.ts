import type { Marketplace, MarketplaceOptions } from './contract.js'
import { createDispatcher } from './dispatcher.js'
import { AbortedError } from './errors.js'
import { RateLimiter, SYSTEM_TIMING } from './rate-limiter.js'
import { DEFAULT_BACKOFF } from './retry.js'
import { Session } from './session.js'

const CONNECT_TIMEOUT_MS = 10_000

/**
 * Creates the client of one marketplace (docs/MARKETPLACE.md). Its sessions share connections, limits and pauses.
 * Nothing is sent before a session makes a request.
 * @returns a client that the caller closes
 * @throws TypeError for an invalid base URL
 */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const { limits, observer = () => undefined, now = () => new Date() } = options
  const { timing = SYSTEM_TIMING, backoff = DEFAULT_BACKOFF } = options
  const { origin, pathname } = new URL(options.baseUrl)
  const limiter = new RateLimiter({ ...limits, ledger: options.ledger, timing, now })
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, limits.timeoutMs)
  // http-exchange.ts enforces one deadline per request in place of undici's timeouts.
  const pool = { connections: limits.concurrency, headersTimeout: 0, bodyTimeout: 0 }
  const reads = createDispatcher(origin, connectMs, pool)
  // A POST gets a new connection: the server may be closing a kept-alive one, and the outcome would be unknown.
  const closes = createDispatcher(origin, connectMs, { ...pool, pipelining: 0 })
  const shared = { ...options, observer, now, timing, backoff, origin, limiter, reads, closes }
  const prefix = pathname.replace(/\/+$/, '')
  return {
    session: (channel, { signal = new AbortController().signal } = {}) =>
      new Session({ ...shared, prefix }, channel, signal),
    async close() {
      const waiting = limiter.close(new AbortedError('The marketplace client was closed'))
      await Promise.all([waiting, reads.destroy(), closes.destroy()])
    },
  }
}

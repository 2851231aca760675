import type { Marketplace } from './contract.js'
import { DEFAULT_BACKOFF } from './retry.js'
import { Session } from './session.js'
import { type MarketplaceOptions, Transport } from './transport.js'

/**
 * Creates the client of one marketplace (docs/MARKETPLACE.md). Its sessions share connections, limits and pauses.
 * Nothing is sent before a session makes a request.
 * @returns a client that the caller closes
 * @throws TypeError for an invalid base URL
 */
export function createMarketplace(options: MarketplaceOptions): Marketplace {
  const { limits, version, backoff = DEFAULT_BACKOFF } = options
  const transport = new Transport(options)
  return {
    session: (channel, { signal = new AbortController().signal } = {}) =>
      new Session({ transport, version, channel, retries: limits.retries, backoff, signal }),
    close: () => transport.close(),
  }
}

import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { isLoopback } from '../core/requests/loopback.js'

/**
 * Connections to an origin: to this machine only if it is http, otherwise through the proxy of $HTTPS_PROXY, unless $NO_PROXY has the host.
 * @param timeoutMs for connecting, in milliseconds
 * @param options of the pool of connections
 */
export function createDispatcher(origin: string, timeoutMs: number, options: Pool.Options = {}): Dispatcher {
  const tls = { timeout: timeoutMs }
  if (new URL(origin).protocol === 'http:')
    return new Pool(origin, { ...options, connect: { ...tls, lookup: lookupLoopback } })
  return new EnvHttpProxyAgent({
    ...options,
    ...{ httpProxy: '', connect: tls, proxyTls: tls, requestTls: tls },
    // Else a proxy that accepts connections and does not answer would keep one for five minutes.
    clientFactory: (uri, settings) => new Pool(uri, { ...settings, headersTimeout: timeoutMs }),
  })
}

/**
 * Resolves a host name to addresses of this machine only. Used for plain http: a name server might answer `x.localhost` with
 * another machine, which would receive the API key unencrypted.
 */
export const lookupLoopback: LookupFunction = (host, options, callback) => {
  dns.lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, [])
    const addresses = found.filter(({ address }) => isLoopback(address))
    const [first] = addresses
    if (first === undefined) {
      const names = found.map(({ address }) => address).join(', ')
      return callback(new Error(`${host} is another machine (${names}), which may be used with https only`), [])
    }
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import { isLoopback } from '../core/requests/loopback.js'

/**
 * Connections to an origin: through the proxy of the environment if it is https, and to this machine only if it is http.
 * @param timeoutMs for connecting, in milliseconds
 * @param options of the pool of connections
 */
export function createDispatcher(origin: string, timeoutMs: number, options: Pool.Options = {}): Dispatcher {
  const url = new URL(origin)
  const proxy = proxyFor(url)
  if (proxy === null) {
    const lookup = url.protocol === 'http:' ? { lookup: lookupLoopback } : {}
    return new Pool(origin, { ...options, connect: { timeout: timeoutMs, ...lookup } })
  }
  return new ProxyAgent({
    ...options,
    uri: proxy.href,
    proxyTls: { timeout: timeoutMs },
    requestTls: { timeout: timeoutMs },
    // Else a proxy that accepts connections and does not answer would keep one for five minutes.
    clientFactory: (uri, settings) => new Pool(uri, { ...settings, headersTimeout: timeoutMs }),
  })
}

/**
 * The proxy for a URL by $HTTPS_PROXY and $NO_PROXY, read as undici's EnvHttpProxyAgent reads them, which does not say what it chose.
 * Plain http never leaves this machine, so no proxy sees it.
 */
export function proxyFor({ protocol, hostname, port }: URL): URL | null {
  const { env } = process
  const proxy = env.https_proxy ?? env.HTTPS_PROXY
  const names = [`.${hostname}`, `.${hostname}:${port || 443}`]
  const excluded = (env.no_proxy ?? env.NO_PROXY ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  const isExcluded = excluded.some((entry) =>
    names.some((name) => entry === '*' || name.endsWith(`.${entry.replace(/^\*?\./, '')}`)),
  )
  return !proxy || protocol !== 'https:' || isExcluded ? null : new URL(proxy)
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

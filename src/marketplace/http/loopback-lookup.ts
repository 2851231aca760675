import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isLoopback } from '../../core/requests/loopback.js'

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

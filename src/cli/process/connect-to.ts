import { connect } from 'node:net'
import { proxyFor } from '../../marketplace/http/dispatcher.js'
import { describeNetworkError } from '../../marketplace/http/network-error.js'
import { FailedError } from '../cli-error.js'

/** An address that does not answer within this time counts as dead, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000

/**
 * Connects to the host of a URL, or to its proxy, and disconnects.
 * @param key where the URL is configured, for the error message
 * @returns the address that answered, and how fast
 * @throws FailedError with the addresses that were tried
 */
export async function connectTo(url: string, key: string): Promise<string> {
  const target = new URL(url)
  const proxy = proxyFor(target)
  const { hostname, port, protocol } = proxy ?? target
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const number = Number(port) || (protocol === 'http:' ? 80 : 443)
  const startedAt = performance.now()
  const socket = connect({ host, port: number })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
        reject(new Error(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
      )
      socket.once('connect', () => resolve()).once('error', reject)
    })
    const milliseconds = Math.round(performance.now() - startedAt)
    const reached = `${hostname}:${number} accepts connections (${socket.remoteAddress}, ${milliseconds} ms)`
    return proxy === null ? reached : `through the proxy of HTTPS_PROXY: ${reached}`
  } catch (error) {
    const tried = triedAddresses(error)
    const where = tried.length > 0 ? ` (tried ${tried.join(', ')})` : ''
    throw new FailedError(
      `no connection to ${hostname}:${number}${where}: ${describeNetworkError(error)}; check ${proxy === null ? key : 'HTTPS_PROXY and NO_PROXY'}, the network and ` +
        'the firewall',
    )
  } finally {
    socket.destroy()
  }
}

function triedAddresses(error: unknown): string[] {
  const errors = error instanceof AggregateError ? error.errors : [error]
  return errors.flatMap((each: { address?: string; port?: number }) =>
    each.address === undefined ? [] : [`${each.address}:${each.port}`],
  )
}

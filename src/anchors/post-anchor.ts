import { Client } from 'undici'
import { connectOptions } from '../marketplace/loopback-lookup.js'
import { describeNetworkError } from '../marketplace/network-error.js'
import { type Anchor, AnchorError, formatAnchor } from './anchor.js'

/** From connecting to the last byte of the reply, in milliseconds. */
const TIMEOUT_MS = 15_000

/**
 * Posts an anchor as JSON. Follows no redirects.
 * @throws AnchorError unless the reply is a 2xx; the reason of the signal when it is aborted
 */
export async function postAnchor(
  url: string,
  anchor: Anchor,
  { signal, timeoutMs = TIMEOUT_MS }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<void> {
  const { origin, pathname, search } = new URL(url)
  const deadline = AbortSignal.timeout(timeoutMs)
  const client = new Client(origin, { connect: connectOptions(origin, timeoutMs) })
  try {
    const { statusCode, body } = await client.request({
      method: 'POST',
      path: pathname + search,
      headers: { 'content-type': 'application/json', 'user-agent': 'quotekeeper' },
      body: formatAnchor(anchor),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    await body.dump({ limit: 64 * 1024 })
    if (statusCode >= 200 && statusCode < 300) return
    throw new AnchorError(`The anchor was not accepted by ${origin}: status ${statusCode}. Check the URL.`)
  } catch (error) {
    if (error instanceof AnchorError) throw error
    signal?.throwIfAborted()
    const reason = deadline.aborted ? `no reply within ${timeoutMs / 1000} s` : describeNetworkError(error)
    throw new AnchorError(`The anchor could not be sent to ${origin}: ${reason}. Check the URL and the network.`)
  } finally {
    await client.destroy()
  }
}

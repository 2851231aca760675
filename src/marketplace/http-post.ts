import { createDispatcher } from './dispatcher.js'
import { type HttpReply, sendHttpRequest } from './http-exchange.js'

/** From connecting to the last byte of the reply, in milliseconds. */
const TIMEOUT_MS = 15_000

/**
 * Sends one POST with a JSON body to a URL that the configuration allows: https, or http to this machine, whatever a name
 * server answers. Follows no redirects. Messages have the origin of the URL only, because path and query may contain a secret.
 * @returns the reply with the first 64 KiB of its body
 * @throws UnavailableError if none arrives; AbortedError when the signal is aborted
 */
export async function postJson(
  url: string,
  body: string,
  { headers = {}, signal }: { headers?: Record<string, string>; signal: AbortSignal },
): Promise<HttpReply> {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = createDispatcher(origin, TIMEOUT_MS)
  try {
    return await sendHttpRequest(dispatcher, {
      ...{ origin, method: 'POST', path: pathname + search, body, signal, timeoutMs: TIMEOUT_MS, maxBytes: 0 },
      headers: { 'content-type': 'application/json', 'user-agent': 'quotekeeper', ...headers },
      label: () => origin,
    })
  } finally {
    await dispatcher.destroy()
  }
}

import { createDispatcher } from './dispatcher.js'
import { describeNetworkError } from './network-error.js'

/** From connecting to the last byte of the reply, in milliseconds. */
const TIMEOUT_MS = 15_000
/** More of a reply is not read. */
const MAX_REPLY_BYTES = 64 * 1024
/** Characters of a reply that are of interest. */
const MAX_REPLY_TEXT = 1000

export interface PostReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The beginning of the body. */
  text: string
}

/** No reply arrived. The message has the origin of the URL only, because path and query may contain a secret. */
export class PostError extends Error {
  override name = 'PostError'
}

/**
 * Sends one POST with a JSON body to a URL that the configuration allows: https, or http to this machine, whatever a name
 * server answers. Follows no redirects. Time and the size of the reply are bounded.
 * @throws PostError if no reply arrives; the reason of the signal when it is aborted
 */
export async function postJson(
  url: string,
  body: string,
  options: { headers?: Record<string, string>; signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<PostReply> {
  const { headers = {}, signal, timeoutMs = TIMEOUT_MS } = options
  const { origin, pathname, search } = new URL(url)
  const deadline = AbortSignal.timeout(timeoutMs)
  const dispatcher = createDispatcher(origin, timeoutMs)
  try {
    const reply = await dispatcher.request({
      origin,
      method: 'POST',
      path: pathname + search,
      headers: { 'content-type': 'application/json', 'user-agent': 'quotekeeper', ...headers },
      body,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    return { status: reply.statusCode, headers: reply.headers, text: await readStart(reply.body) }
  } catch (error) {
    signal?.throwIfAborted()
    const reason = deadline.aborted ? `no reply within ${timeoutMs / 1000} s` : describeNetworkError(error)
    throw new PostError(`${origin}: ${reason}`)
  } finally {
    await dispatcher.destroy()
  }
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MAX_REPLY_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, MAX_REPLY_TEXT)
}

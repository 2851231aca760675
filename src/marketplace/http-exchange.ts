import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { createDispatcher } from './dispatcher.js'
import {
  AbortedError,
  abortedError,
  describeNetworkError,
  MarketplaceError,
  NotSentError,
  TransientError,
  UnavailableError,
} from './errors.js'

export interface HttpRequest {
  origin: string
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  body?: string
  /** Names the request in messages; contains no secret. */
  label: () => string
  /** From connecting to the last byte of the reply, in milliseconds. */
  timeoutMs: number
  /** Largest body, in bytes, decoded or not. */
  maxBytes: number
  /** The setting of `maxBytes`, for messages. */
  sizeSetting?: string
  signal: AbortSignal
  /**
   * Called once connected, just before the first byte is sent, which follows without another event in between.
   * @returns why nothing may be sent, or null
   */
  refuseStart?: (() => string | null) | undefined
}

/** A complete HTTP reply. */
export interface HttpReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Decoded. */
  body: Buffer
}

/**
 * Sends one request and reads its reply within one deadline. Follows no redirects and sends nothing twice.
 * @throws NotSentError if no byte of a POST was sent; TransientError without a complete reply; UnavailableError for a body that is too
 *   large or has an unknown encoding; AbortedError on cancellation
 */
export async function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpReply> {
  if (request.signal.aborted) throw abortedError(request.signal)
  let hasStarted = false
  const onStart = () => {
    hasStarted = true
  }
  try {
    return await decoded(await exchange(dispatcher, request, onStart), request)
  } catch (error) {
    throw toMarketplaceError(error, request, hasStarted)
  }
}

/**
 * Sends a request, and ends once: with its reply, or with an error. Reads the reply from undici as it arrives, because `request` of
 * undici, which makes a stream of every body, takes about a third of the time that a small request takes. Never pauses the
 * connection: undici 7 ends the process with an AssertionError if the connection of a paused reply ends
 * (https://github.com/nodejs/undici/issues/5360).
 * @param onStart called just before the first byte is sent
 */
function exchange(dispatcher: Dispatcher, request: HttpRequest, onStart: () => void): Promise<HttpReply> {
  const { signal, timeoutMs, origin, method, path, headers, body = null, label, refuseStart } = request
  return new Promise((resolve, reject) => {
    let head: Omit<HttpReply, 'body'> = { status: 0, headers: {} }
    const chunks: Buffer[] = []
    let size = 0
    let controller: Dispatcher.DispatchController | null = null
    let hasEnded = false
    /** Ends with an error, or what has arrived, at once; nothing is sent from then on. */
    const end = (error: Error | null) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      const [first] = chunks
      if (error) reject(error)
      else resolve({ body: chunks.length === 1 && first ? first : Buffer.concat(chunks), ...head })
      if (error) controller?.abort(error)
    }
    const abort = () => end(abortedError(signal))
    const timedOut = () => end(new TransientError(`${label()}: no complete reply within ${timeoutMs} ms`))
    const timer = setTimeout(timedOut, timeoutMs)
    signal.addEventListener('abort', abort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (hasEnded) return started.abort(new Error('The request was cancelled before it was sent'))
        const reason = refuseStart?.() ?? null
        if (reason === null) onStart()
        else end(new NotSentError(`${label()}: not sent, because ${reason}`))
      },
      onResponseStart(_, status, received) {
        // Informational replies come before the reply itself.
        if (status >= 200) head = { status, headers: received }
      },
      onResponseData(_, chunk) {
        if (hasEnded) return
        chunks.push(chunk)
        size += chunk.length
        if (size > request.maxBytes) end(tooLargeError(request, head.status))
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(error),
    }
    try {
      dispatcher.dispatch({ origin, method, path, headers, body }, handler)
    } catch (error) {
      end(error as Error)
    }
  })
}

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
])
export const ACCEPT_ENCODING = 'gzip, br'

/** Stops at the limits, because a small body may decode to one that fills the memory. */
async function decoded(reply: HttpReply, request: HttpRequest): Promise<HttpReply> {
  const { status, headers, body } = reply
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity' || encoding === '' || body.length === 0) return reply
  const decode = DECODERS.get(encoding)
  if (!decode) {
    const message = `${request.label()}: the body has a content encoding that was not requested`
    throw new UnavailableError(message, { status })
  }
  try {
    return { ...reply, body: await decode(body, { maxOutputLength: request.maxBytes }) }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLargeError(request, status) : error
  }
}

function toMarketplaceError(error: unknown, { label, method }: HttpRequest, hasStarted: boolean): MarketplaceError {
  const isSafe = method === 'POST' && !hasStarted
  if (error instanceof MarketplaceError) {
    return isSafe && error instanceof TransientError ? new NotSentError(`${error.message}; it was not sent`) : error
  }
  if ((error as { code?: unknown }).code === 'UND_ERR_DESTROYED')
    return new AbortedError('The marketplace client was closed')
  const reason = describeNetworkError(error)
  if (isSafe) return new NotSentError(`${label()}: not sent (${reason})`)
  return new TransientError(`${label()}: no complete reply (${reason})`)
}

function tooLargeError({ label, maxBytes, sizeSetting }: HttpRequest, status: number): UnavailableError {
  const mib = Math.round((maxBytes / 2 ** 20) * 1000) / 1000
  const advice = sizeSetting === undefined ? '' : `; raise ${sizeSetting} if that is expected`
  return new UnavailableError(`${label()}: the body is larger than ${mib} MiB${advice}`, { status })
}

/** Largest body that `sendOnce` reads, in bytes. */
const ONCE_MAX_BYTES = 16 * 2 ** 20

/**
 * Sends one request on a connection of its own, to a URL that the configuration allows: https, or http to this machine, whatever a name
 * server answers. Follows no redirects. Messages have the origin of the URL only, because path and query may contain a secret.
 * Errors: as `sendHttpRequest`.
 */
export async function sendOnce(
  url: string,
  request: Pick<HttpRequest, 'method' | 'headers' | 'body' | 'timeoutMs' | 'signal'>,
): Promise<HttpReply> {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = createDispatcher(origin, request.timeoutMs)
  try {
    const headers = { 'user-agent': 'quotekeeper', ...request.headers }
    const own = { origin, path: pathname + search, headers, maxBytes: ONCE_MAX_BYTES, label: () => origin }
    return await sendHttpRequest(dispatcher, { ...request, ...own })
  } finally {
    await dispatcher.destroy()
  }
}

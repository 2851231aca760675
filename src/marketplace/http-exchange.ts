import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import {
  AbortedError,
  abortedError,
  MarketplaceError,
  NotSentError,
  TransientError,
  UnavailableError,
} from './errors.js'
import { describeNetworkError } from './network-error.js'

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
  /** Largest body of a 200 to a GET, in bytes, decoded or not. */
  maxBytes: number
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
  /** Decoded. For a POST or an error status, only the first 64 KiB, and empty if they cannot be decoded. */
  body: Buffer
}

/** How much is kept of a body that is used only in messages. */
const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * Sends one request and reads its reply within one deadline. Follows no redirects and sends nothing twice.
 * @throws NotSentError if no byte of a POST was sent; TransientError without a complete reply; UnavailableError for a body that is too
 *   large or has an unknown encoding; AbortedError on cancellation
 */
export async function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpReply> {
  const { signal, timeoutMs, origin, method, path, headers, body = null, label } = request
  if (signal.aborted) throw abortedError(signal)
  const reader = new ReplyReader(request)
  const timer = setTimeout(
    () => reader.end(new TransientError(`${label()}: no complete reply within ${timeoutMs} ms`)),
    timeoutMs,
  )
  const abort = () => reader.end(abortedError(signal))
  signal.addEventListener('abort', abort)
  try {
    dispatcher.dispatch({ origin, method, path, headers, body }, reader)
    return await decoded(await reader.reply, request)
  } catch (error) {
    throw toMarketplaceError(error, request, reader.hasStarted)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

const isDocument = ({ method }: HttpRequest, status: number) => method === 'GET' && status === 200

/**
 * Receives one reply, and ends once: with it, or with an error. Reads it from undici as it arrives, because `request` of
 * undici, which makes a stream of every body, takes about a third of the time that a small request takes. Never pauses the
 * connection: undici 7 ends the process with an AssertionError if the connection of a paused reply ends
 * (https://github.com/nodejs/undici/issues/5360).
 */
class ReplyReader implements Dispatcher.DispatchHandler {
  readonly reply: Promise<HttpReply>
  /** Whether the first byte of the request was sent, or is about to be. */
  hasStarted = false
  readonly #request: HttpRequest
  readonly #chunks: Buffer[] = []
  #size = 0
  #head: Omit<HttpReply, 'body'> = { status: 0, headers: {} }
  #controller: Dispatcher.DispatchController | null = null
  #hasEnded = false
  #settle: { resolve: (reply: HttpReply) => void; reject: (error: Error) => void } | null = null

  constructor(request: HttpRequest) {
    this.#request = request
    this.reply = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
  }

  /** Ends with an error, or what has arrived, at once; nothing is sent from then on. */
  end(error: Error | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const [first] = this.#chunks
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    if (error) this.#settle?.reject(error)
    else this.#settle?.resolve({ ...this.#head, body })
    this.#controller?.abort(error ?? new Error('The rest of the body is not needed'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasEnded) {
      controller.abort(new Error('The request was cancelled before it was sent'))
      return
    }
    const { refuseStart, label } = this.#request
    const reason = refuseStart?.() ?? null
    if (reason !== null) this.end(new NotSentError(`${label()}: not sent, because ${reason}`))
    this.hasStarted = !this.#hasEnded
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    // Informational replies come before the reply itself.
    if (status >= 200) this.#head = { status, headers }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (isDocument(this.#request, this.#head.status)) {
      if (this.#size > this.#request.maxBytes) this.end(tooLargeError(this.#request))
    } else if (this.#size > MAX_MESSAGE_BYTES) this.end(null)
  }

  onResponseEnd(): void {
    this.#controller = null
    this.end(null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(error)
  }
}

const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])
/** Deflate is decoded but not requested, because servers disagree on its meaning. */
export const ACCEPT_ENCODING = 'gzip, br'

/** Stops at the limits, because a small body may decode to one that fills the memory. */
async function decoded(reply: HttpReply, request: HttpRequest): Promise<HttpReply> {
  const { status, headers, body } = reply
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  // A 304 has no body, although its headers may describe that of the document.
  if (encoding === 'identity' || encoding === '' || body.length === 0) return reply
  const decode = DECODERS.get(encoding)
  if (!decode) {
    const message = `${request.label()}: the body has a content encoding that was not requested`
    throw new UnavailableError(message, { status })
  }
  if (!isDocument(request, status)) {
    const start = await decode(body, { maxOutputLength: MAX_MESSAGE_BYTES }).catch(() => Buffer.alloc(0))
    return { ...reply, body: start }
  }
  try {
    return { ...reply, body: await decode(body, { maxOutputLength: request.maxBytes }) }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLargeError(request) : error
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

function tooLargeError({ label, maxBytes }: HttpRequest): UnavailableError {
  const mib = Math.round((maxBytes / 2 ** 20) * 1000) / 1000
  const advice = 'If this size is expected, raise requests.maxBodyMiB'
  return new UnavailableError(`${label()}: the body is larger than ${mib} MiB. ${advice}`, { status: 200 })
}

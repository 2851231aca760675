import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { MarketplaceError, NotSentError, UnavailableError } from '../errors.js'
import { TransientError } from '../retry.js'
import type { CancelToken } from './cancel-token.js'
import { describeNetworkError } from './network-error.js'

export interface HttpRequest {
  origin: string
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  /** Names the request in messages; contains no secret. */
  label: () => string
  /** From connecting to the last byte of the reply, in milliseconds. */
  timeoutMs: number
  /** Largest decoded body of a 200, in bytes. */
  maxBytes: number
  cancelToken: CancelToken
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
  /** Decoded. For a POST or an error status, only the first 64 KiB. */
  body: Buffer
}

/** How much is kept of a body that is used only in messages. */
const MAX_MESSAGE_BYTES = 64 * 1024
/** How much of such a body may wait to be decoded. */
const MAX_BUFFERED_BYTES = 4 * 2 ** 20
type Decoder = Transform
const DECODERS: Record<string, () => Decoder> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** Deflate is decoded but not requested, because servers disagree on its meaning. */
export const ACCEPT_ENCODING = 'gzip, br'

/**
 * Sends one request and reads its reply within one deadline. Follows no redirects and sends nothing twice.
 * @throws NotSentError if no byte of a POST was sent; TransientError without a complete reply; UnavailableError for a body that is too
 *   large or has an unknown encoding; AbortedError on cancellation
 */
export function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpReply> {
  request.cancelToken.throwIfCancelled()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reader.abort(timeoutError(request)), request.timeoutMs)
    const unlisten = request.cancelToken.onCancel((reason) => reader.abort(reason))
    const reader = new ReplyReader(request, (result) => {
      clearTimeout(timer)
      unlisten()
      if (result instanceof Error) reject(toMarketplaceError(result, request, reader.hasStarted))
      else resolve(result)
    })
    const { origin, method, path, headers } = request
    try {
      dispatcher.dispatch({ origin, method, path, headers }, reader)
    } catch (error) {
      reader.abort(error as Error)
    }
  })
}

/**
 * Receives one reply, and ends once: with it, or with an error. Reads it from undici as it arrives, because `request` of
 * undici, which makes a stream of every body, takes about a third of the time that a small request takes. Never pauses the
 * connection: undici 7 ends the process with an AssertionError if the connection of a paused reply ends
 * (https://github.com/nodejs/undici/issues/5360).
 */
class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #end: (result: HttpReply | Error) => void
  #chunks: Buffer[] = []
  #size = 0
  #status = 0
  #headers: HttpReply['headers'] = {}
  #limit: BodyLimit = { bytes: 0, exceeded: null }
  /** Null if the body is not encoded. */
  #decoder: Decoder | null = null
  #controller: Dispatcher.DispatchController | null = null
  #hasStarted = false
  #hasEnded = false

  constructor(request: HttpRequest, end: (result: HttpReply | Error) => void) {
    this.#request = request
    this.#end = end
  }

  /** Whether the first byte of the request was sent, or is about to be. */
  get hasStarted(): boolean {
    return this.#hasStarted
  }

  /** Ends with an error at once; nothing is sent from then on. */
  abort(reason: Error): void {
    this.#finish(reason)
    this.#controller?.abort(reason)
    this.#decoder?.destroy()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasEnded) controller.abort(new Error('The request was cancelled before it was sent'))
    const { refuseStart, label } = this.#request
    const reason = this.#hasEnded ? null : (refuseStart?.() ?? null)
    if (reason !== null) this.abort(new NotSentError(`${label()}: not sent, because ${reason}`))
    this.#hasStarted = !this.#hasEnded
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpReply['headers']): void {
    // Informational replies come before the reply itself.
    if (status < 200 || this.#hasEnded) return
    this.#status = status
    this.#headers = headers
    this.#limit = bodyLimit(this.#request, status)
    // A 304 has no body, although its headers may describe that of the document.
    if (status === 304) return
    this.#decode(String(headers['content-encoding'] ?? 'identity').toLowerCase())
    const length = Number(headers['content-length'])
    if (this.#limit.exceeded) this.#checkSize(length)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    if (!this.#decoder) this.#add(chunk)
    else {
      this.#decoder.write(chunk)
      this.#checkSize()
    }
  }

  onResponseEnd(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#complete()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error)
    this.#decoder?.destroy()
  }

  #decode(encoding: string): void {
    if (encoding === 'identity' || encoding === '') return
    const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined
    if (!decoder) {
      const message = `${this.#request.label()}: the body has a content encoding that was not requested`
      this.abort(new UnavailableError(message, { status: this.#status }))
      return
    }
    this.#decoder = decoder
    decoder.on('data', (chunk: Buffer) => this.#add(chunk))
    decoder.on('end', () => this.#complete())
    decoder.on('error', (error: Error) => this.abort(error))
  }

  #add(chunk: Buffer): void {
    if (this.#hasEnded) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#checkSize()
  }

  /**
   * Stops at the limits: neither a decompression bomb nor bytes that arrive faster than they are decoded may fill the memory.
   * @param buffered bytes of the body in memory, decoded or not
   */
  #checkSize(buffered = this.#size + (this.#decoder?.writableLength ?? 0)): void {
    if (this.#hasEnded) return
    const { bytes, exceeded } = this.#limit
    if (exceeded === null) {
      if (this.#size <= bytes && buffered <= MAX_BUFFERED_BYTES) return
      this.#complete()
      this.abort(new Error('The rest of the body is not needed'))
    } else if (buffered > bytes) this.abort(exceeded())
  }

  #complete(): void {
    const [first] = this.#chunks
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    this.#finish({ status: this.#status, headers: this.#headers, body: whole.subarray(0, this.#limit.bytes) })
  }

  #finish(result: HttpReply | Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#end(result)
  }
}

const timeoutError = ({ label, timeoutMs }: HttpRequest) =>
  new TransientError(`${label()}: no complete reply within ${timeoutMs} ms`)

function toMarketplaceError(error: unknown, { label, method }: HttpRequest, hasStarted: boolean): MarketplaceError {
  const isSafe = method === 'POST' && !hasStarted
  if (error instanceof MarketplaceError) {
    return isSafe && error instanceof TransientError ? new NotSentError(`${error.message}; it was not sent`) : error
  }
  const reason = describeNetworkError(error)
  if (isSafe) return new NotSentError(`${label()}: not sent (${reason})`)
  return new TransientError(`${label()}: no complete reply (${reason})`)
}

interface BodyLimit {
  bytes: number
  /** Creates the error for a larger body; null to leave the rest unread. */
  exceeded: (() => Error) | null
}

function bodyLimit(request: HttpRequest, status: number): BodyLimit {
  if (request.method === 'POST' || status !== 200) return { bytes: MAX_MESSAGE_BYTES, exceeded: null }
  return { bytes: request.maxBytes, exceeded: () => tooLargeError(request, status) }
}

function tooLargeError({ label, maxBytes }: HttpRequest, status: number): UnavailableError {
  const mib = Math.round((maxBytes / 2 ** 20) * 1000) / 1000
  const advice = 'If this size is expected, raise requests.maxBodyMiB'
  return new UnavailableError(`${label()}: the body is larger than ${mib} MiB. ${advice}`, { status })
}

import { EventEmitter } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { CancelToken } from './cancel-token.js'
import { MarketplaceError, UnavailableError } from './errors.js'
import { describeNetworkError } from './network-error.js'
import { TransientError } from './retry.js'

export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** Names the request in messages; contains no secret. */
  label: () => string
  /** From connecting to the last byte of the reply, in milliseconds. */
  timeoutMs: number
  /** Largest decoded body of a 200, in bytes. */
  maxBytes: number
  cancelToken: CancelToken
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
const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** Deflate is decoded but not requested, because servers disagree on its meaning. */
export const ACCEPT_ENCODING = 'gzip, br'

/**
 * Sends one request and reads its reply within one deadline. Follows no redirects and sends nothing twice.
 * @throws TransientError without a complete reply; UnavailableError for a body that is too large or has an unknown
 *   encoding; AbortedError on cancellation
 */
export function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpReply> {
  request.cancelToken.throwIfCancelled()
  return new Promise((resolve, reject) => {
    const abortSignal = new EventEmitter()
    // undici reacts to an abort only once it is connected, so reject at once; nothing is sent after the abort.
    const abort = (reason: Error) => {
      cleanUp()
      reject(reason)
      abortSignal.emit('abort')
    }
    const timer = setTimeout(() => abort(timeoutError(request)), request.timeoutMs)
    const unlisten = request.cancelToken.onCancel(abort)
    const cleanUp = () => {
      clearTimeout(timer)
      unlisten()
    }
    readWholeReply(dispatcher, request, abortSignal).then(
      (reply) => {
        cleanUp()
        resolve(reply)
      },
      (error) => {
        cleanUp()
        reject(toMarketplaceError(error, request))
      },
    )
  })
}

async function readWholeReply(
  dispatcher: Dispatcher,
  request: HttpRequest,
  abortSignal: EventEmitter,
): Promise<HttpReply> {
  const { method, path, headers } = request
  const response = await dispatcher.request({ method, path, headers, signal: abortSignal })
  const limit = bodyLimit(request, response.statusCode)
  if (limit.exceeded && Number(response.headers['content-length']) > limit.bytes)
    throw discardBody(response, limit.exceeded())
  const body = await readBody(decodedBody(response, request), limit)
  return { status: response.statusCode, headers: response.headers, body }
}

const timeoutError = ({ label, timeoutMs }: HttpRequest) =>
  new TransientError(`${label()}: no complete reply within ${timeoutMs} ms`)

function toMarketplaceError(error: unknown, { label }: HttpRequest): MarketplaceError {
  if (error instanceof MarketplaceError) return error
  return new TransientError(`${label()}: no complete reply (${describeNetworkError(error)})`)
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
  const message = `${label()}: the body is larger than ${mib} MiB. If this size is expected, raise requests.maxBodyMiB`
  return new UnavailableError(message, { status })
}

function decodedBody(response: Dispatcher.ResponseData, { label }: HttpRequest): Readable {
  const { headers, body } = response
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity' || encoding === '') return body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined
  if (!decoder) {
    const message = `${label()}: the body has a content encoding that was not requested`
    throw discardBody(response, new UnavailableError(message, { status: response.statusCode }))
  }
  // A failure of either stream destroys both and appears as an error of the decoder.
  pipeline(body, decoder, () => undefined)
  return decoder
}

/** Destroys an unread body with its connection, which emits an error that must have a listener. */
function discardBody({ body }: Dispatcher.ResponseData, error: Error): Error {
  body.on('error', () => undefined).destroy()
  return error
}

/** Reads a stream, stopping at the limit: a decompression bomb must not fill the memory. */
function readBody(source: Readable, { bytes, exceeded }: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finishEarly = () => {
      if (exceeded) reject(exceeded())
      else resolve(Buffer.concat(chunks).subarray(0, bytes))
      source.destroy()
    }
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > bytes) finishEarly()
    })
    source.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    source.on('error', reject)
  })
}

import { EventEmitter } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { CancelToken } from './cancel-token.js'
import { MarketplaceError, UnavailableError } from './errors.js'
import { describeNetworkError } from './network-error.js'
import { TransientError } from './retry.js'

/** One HTTP request as it goes out. */
export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  /** How messages call the request; holds no secret. */
  label: () => string
  /** From now to the last byte of the answer, connecting included, in milliseconds. */
  timeoutMs: number
  /** Largest decoded body of a 200, in bytes. */
  maxBytes: number
  stop: CancelToken
}

/** One HTTP answer, whole. */
export interface HttpReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Decoded. Of an answer to a POST and of an error only the first 64 KiB. */
  body: Buffer
}

/** What is kept of a body nobody parses as a document: enough for any message. */
const MAX_MESSAGE_BYTES = 64 * 1024
const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
/** The encodings asked for; deflate is understood but not asked for, because servers disagree on what it means. */
export const ACCEPT_ENCODING = 'gzip, br'

/**
 * Sends one request and reads its answer whole, within one deadline. Redirects are not followed, nothing is sent twice.
 * @throws TransientError where no whole answer came; UnavailableError for a body larger than allowed or encoded in
 *   an unknown way; AbortedError when stopped
 */
export function sendHttpRequest(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpReply> {
  request.stop.throwIfCancelled()
  return new Promise((resolve, reject) => {
    const cut = new EventEmitter()
    // undici notices a cut only once it is connected: that is not waited for, and nothing is sent after it.
    const end = (reason: Error) => {
      settle()
      reject(reason)
      cut.emit('abort')
    }
    const timer = setTimeout(() => end(timeoutError(request)), request.timeoutMs)
    const unlisten = request.stop.onCancel(end)
    const settle = () => {
      clearTimeout(timer)
      unlisten()
    }
    readWholeReply(dispatcher, request, cut).then(
      (reply) => {
        settle()
        resolve(reply)
      },
      (error) => {
        settle()
        reject(toMarketplaceError(error, request))
      },
    )
  })
}

async function readWholeReply(dispatcher: Dispatcher, request: HttpRequest, cut: EventEmitter): Promise<HttpReply> {
  const { method, path, headers } = request
  const answer = await dispatcher.request({ method, path, headers, signal: cut })
  const limit = bodyLimit(request, answer.statusCode)
  if (limit.exceeded && Number(answer.headers['content-length']) > limit.bytes)
    throw discardBody(answer, limit.exceeded())
  const body = await readBody(decodedBody(answer, request), limit)
  return { status: answer.statusCode, headers: answer.headers, body }
}

const timeoutError = ({ label, timeoutMs }: HttpRequest) =>
  new TransientError(`${label()}: no whole answer within ${timeoutMs} ms`)

function toMarketplaceError(error: unknown, { label }: HttpRequest): MarketplaceError {
  if (error instanceof MarketplaceError) return error
  return new TransientError(`${label()}: no whole answer came (${describeNetworkError(error)})`)
}

interface BodyLimit {
  bytes: number
  /** The error for a larger body; null where the rest is merely left unread. */
  exceeded: (() => Error) | null
}

function bodyLimit(request: HttpRequest, status: number): BodyLimit {
  if (request.method === 'POST' || status !== 200) return { bytes: MAX_MESSAGE_BYTES, exceeded: null }
  return { bytes: request.maxBytes, exceeded: () => tooLargeError(request, status) }
}

function tooLargeError({ label, maxBytes }: HttpRequest, status: number): UnavailableError {
  const mib = Math.round((maxBytes / 2 ** 20) * 1000) / 1000
  const message = `${label()}: the body is larger than ${mib} MiB; if that is right, raise requests.maxBodyMiB`
  return new UnavailableError(message, { status })
}

function decodedBody(answer: Dispatcher.ResponseData, { label }: HttpRequest): Readable {
  const { headers, body } = answer
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity' || encoding === '') return body
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined
  if (!decoder) {
    const message = `${label()}: the body is encoded in a way that was not asked for`
    throw discardBody(answer, new UnavailableError(message, { status: answer.statusCode }))
  }
  // A failure on either side destroys both and shows as an error of the decoder; nothing is left for the callback.
  pipeline(body, decoder, () => undefined)
  return decoder
}

/** Leaves a body unread; its connection ends with it, and says so to a listener that must be there. */
function discardBody({ body }: Dispatcher.ResponseData, error: Error): Error {
  body.on('error', () => undefined).destroy()
  return error
}

/** Reads a stream whole, counting as it comes, so that a bomb is stopped at the limit and not after. */
function readBody(source: Readable, { bytes, exceeded }: BodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = () => {
      if (exceeded) reject(exceeded())
      else resolve(Buffer.concat(chunks).subarray(0, bytes))
      source.destroy()
    }
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > bytes) stop()
    })
    source.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    source.on('error', reject)
  })
}

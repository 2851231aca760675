import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Answer } from './operation-handlers.js'

const MEBIBYTE = 2 ** 20

/** What a way of sending needs. */
export interface Delivery {
  response: ServerResponse
  answer: Answer
  /** The `Date` header; null for none. */
  date: string | null
}

/** Sends an answer as it should be. */
export function send({ response, answer, date }: Delivery): void {
  response.writeHead(answer.status, headersOf(answer, date, { 'content-length': answer.body.length }))
  response.end(answer.body)
}

/** Resets the connection without a byte. */
export function reset({ response }: Delivery): void {
  response.socket?.resetAndDestroy()
}

/** Announces the whole body, sends half of it, and resets the connection. */
export function resetMidBody({ response, answer, date }: Delivery): void {
  response.writeHead(answer.status, headersOf(answer, date, { 'content-length': answer.body.length }))
  response.write(half(answer.body), () => response.socket?.resetAndDestroy())
}

/** Sends half of the body with no length, and ends the connection as an HTTP/1.0 server ends a whole answer. */
export function truncate({ response, answer, date }: Delivery): void {
  response.useChunkedEncodingByDefault = false
  response.writeHead(answer.status, headersOf(answer, date, { connection: 'close' }))
  response.end(half(answer.body))
}

/** Sends a few bytes at a time. */
export function drip({ response, answer, date }: Delivery, pace: { bytes: number; everyMs: number }): void {
  response.writeHead(answer.status, headersOf(answer, date, { 'content-length': answer.body.length }))
  response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => {
    response.write(answer.body.subarray(sent, sent + pace.bytes))
    sent += pace.bytes
    if (sent >= answer.body.length) response.end()
    if (sent >= answer.body.length) clearInterval(timer)
  }, pace.everyMs)
  response.once('close', () => clearInterval(timer))
}

/** Sends a list that decodes to so many bytes, a mebibyte at a time as fast as it is taken. */
export function flood({ response, answer, date }: Delivery, size: { bytes: number; compressed: boolean }): void {
  // Several gzip members one after another are one valid gzip stream (RFC 1952, 2.2): the blanks are packed once.
  const pack = size.compressed ? (text: string) => gzipSync(text) : (text: string) => Buffer.from(text)
  const head = '{"items":['
  const padding = Math.max(0, size.bytes - head.length - 2)
  const chunk = pack(' '.repeat(MEBIBYTE))
  const rest = pack(' '.repeat(padding % MEBIBYTE))
  response.writeHead(answer.status, headersOf(answer, date, size.compressed ? { 'content-encoding': 'gzip' } : {}))
  response.write(pack(head))
  pour(response, chunk, Math.floor(padding / MEBIBYTE), () => response.end(Buffer.concat([rest, pack(']}')])))
}

function pour(response: ServerResponse, chunk: Buffer, times: number, done: () => void): void {
  let left = times
  const fill = () => {
    while (left > 0 && !response.destroyed) {
      left--
      if (!response.write(chunk)) return void response.once('drain', fill)
    }
    if (!response.destroyed) done()
  }
  fill()
}

const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))

function headersOf(answer: Answer, date: string | null, more: Record<string, string | number>) {
  const own = { 'content-type': 'application/json; charset=utf-8', ...(date === null ? {} : { date }) }
  return { ...own, ...more, ...answer.headers }
}

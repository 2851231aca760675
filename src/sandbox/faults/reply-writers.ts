import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Reply } from '../reply.js'

const MEBIBYTE = 2 ** 20

/** A reply with the connection to send it on. */
export interface OutgoingReply {
  response: ServerResponse
  reply: Reply
  /** The `Date` header; null for none. */
  date: string | null
}

/** Sends the reply without any fault. */
export function send({ response, reply, date }: OutgoingReply): void {
  response.writeHead(reply.status, headersOf(reply, date, { 'content-length': reply.body.length }))
  response.end(reply.body)
}

/** Resets the connection before any byte is sent. */
export function reset({ response }: OutgoingReply): void {
  response.socket?.resetAndDestroy()
}

/** Announces the full content length, sends half of the body, and resets the connection. */
export function resetMidBody({ response, reply, date }: OutgoingReply): void {
  response.writeHead(reply.status, headersOf(reply, date, { 'content-length': reply.body.length }))
  response.write(half(reply.body), () => response.socket?.resetAndDestroy())
}

/** Sends half of the body without a content length and closes normally, as an HTTP/1.0 server ends a complete reply. */
export function truncate({ response, reply, date }: OutgoingReply): void {
  response.useChunkedEncodingByDefault = false
  response.writeHead(reply.status, headersOf(reply, date, { connection: 'close' }))
  response.end(half(reply.body))
}

/** Sends the body a few bytes at a time. */
export function drip({ response, reply, date }: OutgoingReply, pace: { bytes: number; everyMs: number }): void {
  response.writeHead(reply.status, headersOf(reply, date, { 'content-length': reply.body.length }))
  response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => {
    response.write(reply.body.subarray(sent, sent + pace.bytes))
    sent += pace.bytes
    if (sent >= reply.body.length) response.end()
    if (sent >= reply.body.length) clearInterval(timer)
  }, pace.everyMs)
  response.once('close', () => clearInterval(timer))
}

/** Sends a valid, empty list padded with blanks to `bytes` decoded bytes, as fast as the client reads. */
export function flood({ response, reply, date }: OutgoingReply, size: { bytes: number; compressed: boolean }): void {
  // Concatenated gzip members are one valid gzip stream (RFC 1952, 2.2), so the padding is compressed only once.
  const encode = size.compressed ? (text: string) => gzipSync(text) : (text: string) => Buffer.from(text)
  const head = '{"items":['
  const padding = Math.max(0, size.bytes - head.length - 2)
  const chunk = encode(' '.repeat(MEBIBYTE))
  const rest = encode(' '.repeat(padding % MEBIBYTE))
  response.writeHead(reply.status, headersOf(reply, date, size.compressed ? { 'content-encoding': 'gzip' } : {}))
  response.write(encode(head))
  writeRepeatedly(response, chunk, Math.floor(padding / MEBIBYTE), () =>
    response.end(Buffer.concat([rest, encode(']}')])),
  )
}

function writeRepeatedly(response: ServerResponse, chunk: Buffer, times: number, done: () => void): void {
  let left = times
  const writeNext = () => {
    while (left > 0 && !response.destroyed) {
      left--
      if (!response.write(chunk)) return void response.once('drain', writeNext)
    }
    if (!response.destroyed) done()
  }
  writeNext()
}

const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2))

function headersOf(reply: Reply, date: string | null, extra: Record<string, string | number>) {
  const defaults = { 'content-type': 'application/json; charset=utf-8', ...(date === null ? {} : { date }) }
  return { ...defaults, ...extra, ...reply.headers }
}

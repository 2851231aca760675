import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { HttpReply } from './http-exchange.js'
import { TransientError } from './retry.js'
import type { Sanitize } from './sanitizer.js'

export type JsonObject = Record<string, unknown>

/** Deeper bodies would overflow the stack of recursive code. The API description needs seven levels. */
const MAX_DEPTH = 200

/**
 * Parses the body of a 200 as a JSON object. Invalid UTF-8 becomes U+FFFD; a byte order mark is skipped.
 * @param label names the request in messages
 * @throws TransientError with the start of an unexpected body, as sent by proxies and servers that are starting up
 */
export async function readJsonObject(reply: HttpReply, label: () => string, sanitize: Sanitize): Promise<JsonObject> {
  const text = reply.body.toString('utf8').replace(/^\uFEFF/, '')
  const fail = (problem: string) => {
    const start = sanitize(text.slice(0, 4096))
    const excerpt = start === '' ? '' : `; it starts with: ${start}`
    return new TransientError(`${label()}: status 200, but ${problem}${excerpt}`, { status: reply.status })
  }
  const type = String(reply.headers['content-type'] ?? '')
  if (!isJsonType(type)) throw fail(`the body is ${sanitize(type)} instead of application/json`)
  if (text.trim() === '') throw fail('the body is empty')
  if (exceedsDepth(MAX_DEPTH, text)) throw fail(`the body is nested deeper than ${MAX_DEPTH} levels`)
  // Checking and parsing tens of megabytes would block the event loop for too long at once.
  if (text.length > LARGE_TEXT) await yieldToEventLoop()
  return asObject(parse(text, fail), fail)
}

/** Characters. */
const LARGE_TEXT = 2 ** 20
type ErrorFactory = (problem: string) => Error

/** An absent content type is accepted. */
const isJsonType = (type: string) => type === '' || /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())

function parse(text: string, fail: ErrorFactory): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fail('the body is not valid JSON, or incomplete')
  }
}

function asObject(value: unknown, fail: ErrorFactory): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fail('the body is not a JSON object')
  return value as JsonObject
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
/** The only bit in which `[` differs from `{`, and `]` from `}`. */
const CURLY_BIT = 0x20
const [OPENING, CLOSING] = [0x7b, 0x7d]

/**
 * Whether JSON text nests arrays and objects deeper than a limit. Scans the text, because a parsed value that is too deep
 * cannot be traversed safely. Skips strings, which are most of a document.
 */
export function exceedsDepth(limit: number, text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if ((code | CURLY_BIT) === OPENING && ++depth > limit) return true
    else if ((code | CURLY_BIT) === CLOSING) depth--
  }
  return false
}

/** Index of the closing quote of the string that starts at `start`; the length of the text if there is none. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

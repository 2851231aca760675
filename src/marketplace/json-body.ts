import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpReply } from './http-exchange.js'
import { TransientError } from './retry.js'
import type { Sanitize } from './sanitizer.js'

export type JsonObject = Record<string, unknown>

/** Deeper documents would break those who walk them later; the deepest promised one has seven levels. */
export const MAX_DEPTH = 200

/**
 * Reads the body of a 200 as the JSON object that was promised. Bytes that are no UTF-8 become U+FFFD, as everywhere
 * on the web; a byte order mark is skipped.
 * @param label how messages call the request
 * @throws TransientError that says what came instead, with its beginning: proxies and half-started servers answer so
 */
export async function readJsonObject(reply: HttpReply, label: () => string, quote: Sanitize): Promise<JsonObject> {
  const text = reply.body.toString('utf8').replace(/^\uFEFF/, '')
  const fault = (what: string) => {
    const beginning = quote(text.slice(0, 4096))
    const shown = beginning === '' ? '' : `; it begins: ${beginning}`
    return new TransientError(`${label()}: answered 200, but ${what}${shown}`, { status: reply.status })
  }
  const type = String(reply.headers['content-type'] ?? '')
  if (!isJsonType(type)) throw fault(`the body is ${quote(type)} instead of application/json`)
  if (text.trim() === '') throw fault('the body is empty')
  if (exceedsDepth(MAX_DEPTH, text)) throw fault(`the body is nested deeper than ${MAX_DEPTH} levels`)
  // Checking and parsing a list of tens of megabytes takes long enough for others to have a turn between.
  if (text.length > LARGE_TEXT) await nextTurn()
  return asObject(parse(text, fault), fault)
}

const LARGE_TEXT = 2 ** 20
type FaultFactory = (what: string) => Error

/** An absent type contradicts nothing. */
const isJsonType = (type: string) => type === '' || /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())

function parse(text: string, fault: FaultFactory): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('the body is not JSON, or was cut short')
  }
}

function asObject(value: unknown, fault: FaultFactory): JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fault('the body is not a JSON object')
  return value as JsonObject
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
/** `[` and `{` differ in this bit only, as do `]` and `}`. */
const CURLY_BIT = 0x20
const [OPENING, CLOSING] = [0x7b, 0x7d]

/**
 * Whether JSON text nests arrays and objects deeper than a limit. Looks at the text, because a value that is too deep
 * cannot be walked safely any more. Leaps over strings, which are most of a document.
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

/** Where the string that begins at `start` ends; the end of the text if it does not. */
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

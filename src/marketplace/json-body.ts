import { isUtf8 } from 'node:buffer'
import { isPlainObject, membersOf, partsOf } from '../core/documents/json-text.js'
import type { Observation } from '../core/documents/observation.js'
import { TimeSlice } from '../core/time/time-slice.js'
import { TransientError, UnavailableError } from './errors.js'
import type { HttpReply } from './http-exchange.js'
import { partialReason } from './partial-list.js'
import type { Sanitize } from './sanitizer.js'

/** Items of one list; a marketplace that sends more is out of order, and they would fill the memory. */
const MAX_ITEMS = 100_000

/** The body of a 200 as text. */
export interface ReceivedText {
  /** Decoded from UTF-8, without byte order mark and white space around it. */
  text: string
  /** Bytes that are not UTF-8 were replaced by U+FFFD. */
  isDamaged: boolean
  headers: HttpReply['headers']
}

/** The message says why a body cannot be used: `the body is empty`. */
export class UnusableBodyError extends Error {}

interface ReadBodyOptions {
  /** Names the request in messages. */
  label: () => string
  sanitize: Sanitize
  /** Whether bytes contain the API key. */
  hasKey: (bytes: Buffer) => boolean
}

/**
 * Reads the body of a 200.
 * @param read parses its text
 * @throws TransientError with the start of a body that is not JSON, as sent by proxies and servers that are starting up, and for
 *   UnusableBodyError, SyntaxError and RangeError of `read`
 * @throws UnavailableError for a body that contains the API key, which must not be stored, and for too many entries
 */
export async function readBody<T>(
  { body, headers, status }: HttpReply,
  { label, sanitize, hasKey }: ReadBodyOptions,
  read: (received: ReceivedText) => T | Promise<T>,
): Promise<T> {
  if (hasKey(body))
    throw new UnavailableError(`${label()}: status 200, but the body contains the API key. Nothing of it was used`, {
      status,
    })
  const text = body.toString('utf8').trim()
  try {
    const type = String(headers['content-type'] ?? '')
    if (!isJsonType(type)) throw new UnusableBodyError(`the body is ${sanitize(type)} instead of application/json`)
    if (text === '') throw new UnusableBodyError('the body is empty')
    return await read({ text, headers, isDamaged: text.includes('\ufffd') && !isUtf8(body) })
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    const start = sanitize(text.slice(0, 4096))
    const message = `${label()}: status 200, but ${problem}${start === '' ? '' : `; it starts with: ${start}`}`
    throw error instanceof TooManyEntriesError
      ? new UnavailableError(message, { status })
      : new TransientError(message, { status })
  }
}

class TooManyEntriesError extends UnusableBodyError {}

function problemOf(error: unknown): string | null {
  if (error instanceof UnusableBodyError) return error.message
  if (error instanceof SyntaxError) return 'the body is not valid JSON, or incomplete'
  return error instanceof RangeError ? 'the body is nested too deeply' : null
}

/** An absent content type is accepted. */
const isJsonType = (type: string) => type === '' || /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())

/** Parses the text of a document. Throws UnusableBodyError unless it is an object that is not the body of an error. */
export function parseObject(text: string): Record<string, unknown> {
  const body: unknown = JSON.parse(text)
  if (!isPlainObject(body)) throw new UnusableBodyError('the body is not a JSON object')
  // The error body of the API, in which something in between changed the status.
  const statusCode = Number(body.statusCode)
  if (statusCode >= 400) throw new UnusableBodyError(`the body is an error (statusCode ${statusCode})`)
  return body
}

/**
 * Parses the text of a list, in slices, because it may have tens of thousands of items.
 * @param observe parses the text of an item
 * @returns its items, and why they are only a part (partial-list.ts)
 * @throws UnusableBodyError if there is no array `items`: a channel must not look empty because of a broken reply
 */
export async function parseList<T>(
  { text, headers }: ReceivedText,
  observe: (text: string) => Observation<T>,
): Promise<{ value: Observation<T>[]; partial: string | null }> {
  const slice = new TimeSlice()
  await slice.next()
  if (!text.startsWith('{')) parseObject(text)
  const { items, ...others } = Object.fromEntries(membersOf(text))
  const envelope = parseObject(`{${Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`)
  if (!items?.startsWith('[')) throw new UnusableBodyError('the body has no "items" array')
  const texts: string[] = []
  for (const part of partsOf(items)) {
    // Before any is parsed, which takes a hundred times the memory.
    if (texts.push(part) > MAX_ITEMS) throw new TooManyEntriesError(`the list has more than ${MAX_ITEMS} entries`)
    if (slice.isOver) await slice.next()
  }
  const value: Observation<T>[] = []
  for (const each of texts) {
    value.push(observe(each))
    if (slice.isOver) await slice.next()
  }
  return { value, partial: partialReason({ headers }, envelope, value.length) }
}

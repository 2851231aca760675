import { isUtf8 } from 'node:buffer'
import { membersOf, partsOf } from '../../core/documents/json-text.js'
import type { Observation } from '../../core/documents/observation.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { UnavailableError } from '../errors.js'
import type { HttpReply } from '../http/http-exchange.js'
import { TransientError } from '../retry.js'
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
  /** The error for a body that cannot be used. */
  fail: (problem: string) => TransientError
}

/**
 * Decodes the body of a 200.
 * @param label names the request in messages
 * @param hasKey whether bytes contain the API key
 * @throws TransientError with the start of a body that is not JSON, as sent by proxies and servers that are starting up
 * @throws UnavailableError for a body that contains the API key, which must not be stored
 */
export function receiveText(
  { body, headers, status }: HttpReply,
  label: () => string,
  { sanitize, hasKey }: { sanitize: Sanitize; hasKey: (bytes: Buffer) => boolean },
): ReceivedText {
  if (hasKey(body))
    throw new UnavailableError(`${label()}: status 200, but the body contains the API key. Nothing of it was used`, {
      status,
    })
  const text = body.toString('utf8').trim()
  const fail = (problem: string) => {
    const start = sanitize(text.slice(0, 4096))
    const excerpt = start === '' ? '' : `; it starts with: ${start}`
    return new TransientError(`${label()}: status 200, but ${problem}${excerpt}`, { status })
  }
  const type = String(headers['content-type'] ?? '')
  if (!isJsonType(type)) throw fail(`the body is ${sanitize(type)} instead of application/json`)
  if (text === '') throw fail('the body is empty')
  return { text, isDamaged: text.includes('\ufffd') && !isUtf8(body), fail }
}

/** An absent content type is accepted. */
const isJsonType = (type: string) => type === '' || /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim())

/** Reads a text, whose errors become those of a body that cannot be used. */
export function readJson<T>({ fail }: ReceivedText, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof SyntaxError) throw fail('the body is not valid JSON, or incomplete')
    if (error instanceof RangeError) throw fail('the body is nested too deeply')
    throw error
  }
}

/** Parses the text of a document. Throws TransientError unless it is an object that is not the body of an error. */
export const parseObject = (received: ReceivedText): Record<string, unknown> =>
  requireDocument(
    received,
    readJson(received, () => JSON.parse(received.text) as unknown),
  )

function requireDocument({ fail }: ReceivedText, body: unknown): Record<string, unknown> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) throw fail('the body is not a JSON object')
  // The error body of the API, in which something in between changed the status.
  const statusCode = Number((body as { statusCode?: unknown }).statusCode)
  if (statusCode >= 400) throw fail(`the body is an error (statusCode ${statusCode})`)
  return body as Record<string, unknown>
}

/**
 * Parses the text of a list, in slices, because it may have tens of thousands of items.
 * @param observe parses the text of an item
 * @returns its items, and why they are only a part (partial-list.ts)
 * @throws TransientError if there is no array `items`: a channel must not look empty because of a broken reply
 * @throws UnavailableError if it has more than MAX_ITEMS
 */
export async function parseList<T>(
  received: ReceivedText,
  headers: HttpReply['headers'],
  observe: (text: string) => Observation<T>,
): Promise<{ value: Observation<T>[]; partial: string | null }> {
  const { text, fail } = received
  const slice = new TimeSlice()
  await slice.next()
  if (!text.startsWith('{')) parseObject(received)
  const { items, ...others } = readJson(received, () => Object.fromEntries(membersOf(text)))
  const envelope = readJson(received, () =>
    Object.fromEntries(Object.entries(others).map(([name, value]) => [name, JSON.parse(value) as unknown])),
  )
  requireDocument(received, envelope)
  if (!items?.startsWith('[')) throw fail('the body has no "items" array')
  const texts: string[] = []
  const parts = partsOf(items)
  const next = () => readJson(received, () => parts.next())
  for (let part = next(); !part.done; part = next()) {
    // Before any is parsed, which takes a hundred times the memory.
    if (texts.push(part.value) > MAX_ITEMS)
      throw new UnavailableError(fail(`the list has more than ${MAX_ITEMS} entries`).message, { status: 200 })
    if (slice.isOver) await slice.next()
  }
  const value: Observation<T>[] = []
  for (const each of texts) {
    value.push(readJson(received, () => observe(each)))
    if (slice.isOver) await slice.next()
  }
  return { value, partial: readJson(received, () => partialReason({ headers }, envelope, value.length)) }
}

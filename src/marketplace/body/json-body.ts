import { isAscii, isUtf8 } from 'node:buffer'
import { parseExactly } from '../../core/documents/exact-json.js'
import type { ReceivedText } from '../../core/documents/observation.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import { UnavailableError } from '../errors.js'
import type { HttpReply } from '../http/http-exchange.js'
import { TransientError } from '../retry.js'
import { type ItemRange, JsonScanner, type TextCounts } from './json-scanner.js'
import { partialReason } from './partial-list.js'
import type { Sanitize } from './sanitizer.js'

/** A text with its parsed value. */
export interface ParsedText {
  value: unknown
  received: ReceivedText
}
export type JsonObject = Record<string, unknown>
export type ParsedObject = ParsedText & { value: JsonObject }

/** Deeper bodies would overflow the stack of recursive code. The API description needs seven levels. */
const MAX_DEPTH = 200
/** Entries of one list, and members of one object. */
export const MAX_ENTRIES = 100_000
/** Values within one document. Memory depends on their number more than on the size of the body. */
const MAX_DOCUMENT_VALUES = 1_500_000
/** Characters of one document. Parsing, hashing and storing it takes several times as much memory. */
export const MAX_DOCUMENT_LENGTH = 8 * 2 ** 20
/** Maximum bytes of a document with that many characters. */
export const MAX_DOCUMENT_BYTES = 3 * MAX_DOCUMENT_LENGTH
/** Values of one reply. */
const MAX_VALUES = 5_000_000
/** Characters of a document that is parsed at once: it cannot have more values or entries than are accepted. */
const MAX_SMALL_LENGTH = 2 ** 16

/**
 * Parses the body of a 200 as a JSON object. Invalid UTF-8 becomes U+FFFD; a byte order mark is skipped.
 * @param label names the request in messages
 * @returns the value itself of a small body, which is parsed at once
 * @throws TransientError with the start of an unexpected body, as sent by proxies and servers that are starting up
 * @throws UnavailableError for more entries or values than are accepted
 */
export function readJsonObject(
  reply: HttpReply,
  label: () => string,
  sanitize: Sanitize,
): ParsedObject | Promise<ParsedObject> {
  const decoded = checkBody(decodeText(reply.body), reply, label, sanitize)
  const small = parseSmall(decoded.text)
  return small ? requireObject(small, decoded.fail) : readLargeObject(reply, decoded, label)
}

async function readLargeObject(
  reply: HttpReply,
  decoded: ReturnType<typeof checkBody>,
  label: () => string,
): Promise<ParsedObject> {
  const { text, scanner, fail, hasInvalidUtf8 } = await scanBody(reply, decoded, label)
  rejectTooLarge({ length: text.length, values: scanner.totalValues }, label)
  return requireObject(parseWithText(text, scanner.total, { fail, hasInvalidUtf8 }), fail)
}

/** An element of a list. */
export interface ListItem {
  text: string
  parse: () => ParsedText
}

/**
 * Parses the body of a list.
 * @returns the elements of `items` one by one, in slices, because there may be tens of thousands; and why they are only a part
 * @throws TransientError as above, and if there is no such array: a channel must not look empty because of a broken reply
 * @throws UnavailableError as above
 */
export async function readJsonList(
  reply: HttpReply,
  label: () => string,
  sanitize: Sanitize,
): Promise<{ items: AsyncGenerator<ListItem>; partial: string | null }> {
  const slice = new TimeSlice()
  const decoded = checkBody(await decodeInPieces(reply.body, slice), reply, label, sanitize)
  const { text, scanner, fail, hasInvalidUtf8 } = await scanBody(reply, decoded, label, slice)
  const { items, itemsStart, itemsEnd, itemsMembers } = scanner
  const itemsLength = items === null ? 0 : itemsEnd - itemsStart
  rejectTooLarge({ length: text.length - itemsLength, values: scanner.rest.values }, label)
  const envelope = items === null ? text : text.slice(0, itemsStart) + text.slice(itemsEnd)
  const body = requireObject({ value: parse(envelope, fail) }, fail).value
  if (itemsMembers > 1)
    throw new TransientError(`${label()}: status 200, but the body has several "items"`, { status: 200 })
  if (items === null || !Array.isArray(body.items)) {
    throw new TransientError(`${label()}: status 200, but the body has no "items" array`, { status: 200 })
  }
  async function* parseItems(ranges: readonly ItemRange[]): AsyncGenerator<ListItem> {
    for (const { start, end, ...counts } of ranges) {
      rejectTooLarge({ length: end - start, values: counts.values }, label)
      const item = text.slice(start, end)
      yield { text: item, parse: () => parseWithText(item, counts, { fail, hasInvalidUtf8 }) }
      if (slice.isOver) await slice.next()
    }
  }
  return { items: parseItems(items), partial: partialReason(reply, body, items.length) }
}

/** Rejects a body that is obviously not JSON. */
function checkBody(
  text: string,
  reply: Pick<HttpReply, 'headers' | 'status'>,
  label: () => string,
  sanitize: Sanitize,
) {
  const fail = (problem: string) => {
    const start = sanitize(text.slice(0, 4096))
    const excerpt = start === '' ? '' : `; it starts with: ${start}`
    return new TransientError(`${label()}: status 200, but ${problem}${excerpt}`, { status: reply.status })
  }
  const type = String(reply.headers['content-type'] ?? '')
  if (!isJsonType(type)) throw fail(`the body is ${sanitize(type)} instead of application/json`)
  if (text.trim() === '') throw fail('the body is empty')
  return { text, fail }
}

/** The text of a body, without its byte order mark. */
export function decodeText(body: Buffer): string {
  return withoutMark(isAscii(body) ? body.toString('latin1') : body.toString('utf8'))
}

/** Bytes of a large body that are decoded at once: a few milliseconds. */
const PIECE_BYTES = 4 * 2 ** 20

/** Decodes a body of any size, in slices; each piece ends at a character boundary. */
export async function decodeInPieces(body: Buffer, slice: TimeSlice, pieceBytes = PIECE_BYTES): Promise<string> {
  if (body.length <= pieceBytes || isAscii(body)) return decodeText(body)
  const pieces: string[] = []
  for (let start = 0, end = 0; start < body.length; start = end) {
    end = Math.min(start + pieceBytes, body.length)
    while (end < body.length && (body[end] as number) >= 0x80) end++
    pieces.push(body.toString('utf8', start, end))
    if (slice.isOver) await slice.next()
  }
  return withoutMark(pieces.join(''))
}

const withoutMark = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)

const BYTE_ORDER_MARK = '\ufeff'

/**
 * Parses a small text that is identical to the output of JSON.stringify, as most servers send it. Parsing loses nothing, and the text need
 * not be scanned.
 * @returns null for any other text
 */
export function parseSmall(text: string): ParsedText | null {
  if (text.length > MAX_SMALL_LENGTH || text.includes('\ufffd') || !isShallow(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) !== text) return null
    return { value, received: { text, exact: value, losses: [], hasInvalidUtf8: false } }
  } catch {
    return null
  }
}

/** Whether a text has so few brackets that it cannot be nested too deeply. */
function isShallow(text: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (left-- === 0) return false
    }
  }
  return true
}

/** Scans a body, and rejects what cannot be parsed safely. */
async function scanBody(
  reply: HttpReply,
  { text, fail }: ReturnType<typeof checkBody>,
  label: () => string,
  slice = new TimeSlice(),
) {
  if (slice.isOver) await slice.next()
  const scanner = await new JsonScanner(text, { depth: MAX_DEPTH, entries: MAX_ENTRIES }).scan(slice)
  if (scanner.tooDeep) throw fail(`the body is nested deeper than ${MAX_DEPTH} levels`)
  if (scanner.tooMany > 0) {
    throw tooLarge(`the body has a list of ${scanner.tooMany} entries; at most ${MAX_ENTRIES} are accepted`, label)
  }
  if (scanner.totalValues > MAX_VALUES) {
    throw tooLarge(`the body has about ${scanner.totalValues} values; at most ${MAX_VALUES} are accepted`, label)
  }
  return { text, scanner, fail, hasInvalidUtf8: !isUtf8(reply.body) }
}

/** Parses a body of valid UTF-8 that was accepted before. */
export function parseAgain(text: string): ParsedText {
  const small = parseSmall(text)
  if (small) return small
  const value: unknown = JSON.parse(text)
  return { value, received: { text, ...parseExactly(text, value), hasInvalidUtf8: false } }
}

/** The elements of an array that is a member of a document, each with its own text. */
export async function readElements(
  { text, hasInvalidUtf8 }: Pick<ReceivedText, 'text' | 'hasInvalidUtf8'>,
  member: string,
): Promise<ParsedText[]> {
  const scanner = new JsonScanner(text, { depth: MAX_DEPTH, entries: MAX_ENTRIES }, member)
  await scanner.scan(new TimeSlice())
  const fail = (problem: string) => new Error(problem)
  return (scanner.items ?? []).map(({ start, end, ...counts }) =>
    parseWithText(text.slice(start, end), counts, { fail, hasInvalidUtf8 }),
  )
}

/** Rejects a document that takes too much memory. Throws UnavailableError. */
function rejectTooLarge({ length, values }: { length: number; values: number }, label: () => string): void {
  if (values > MAX_DOCUMENT_VALUES) {
    throw tooLarge(`a document has about ${values} values; at most ${MAX_DOCUMENT_VALUES} are accepted`, label)
  }
  if (length > MAX_DOCUMENT_LENGTH) {
    throw tooLarge(`a document has ${length} characters; at most ${MAX_DOCUMENT_LENGTH} are accepted`, label)
  }
}

const tooLarge = (problem: string, label: () => string) =>
  new UnavailableError(`${label()}: status 200, but ${problem}. Nothing of it was used`, { status: 200 })

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

/** Texts without long numbers and with as many members as their value have lost nothing. */
function parseWithText(
  text: string,
  counts: TextCounts,
  { fail, hasInvalidUtf8 }: { fail: ErrorFactory; hasInvalidUtf8: boolean },
): ParsedText {
  const value = parse(text, fail)
  const isSuspicious = counts.longNumbers || countMembers(value) !== counts.members
  const parsed = isSuspicious ? parseExactly(text, value) : { exact: value, losses: [] }
  return {
    value,
    received: { text: text.trim(), ...parsed, hasInvalidUtf8: hasInvalidUtf8 && text.includes('\ufffd') },
  }
}

/** The members of all objects within a parsed value. Text with more colons has duplicate keys. */
export function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element)
    return count
  }
  for (const member of Object.values(value)) count += 1 + countMembers(member)
  return count
}

function requireObject<P extends { value: unknown }>(parsed: P, fail: ErrorFactory): P & { value: JsonObject } {
  const { value } = parsed
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw fail('the body is not a JSON object')
  // The error body of the API, in which something in between changed the status.
  const { statusCode } = value as JsonObject
  if (Number(statusCode) >= 400) throw fail(`the body is an error (statusCode ${Number(statusCode)})`)
  return parsed as P & { value: JsonObject }
}

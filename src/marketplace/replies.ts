import { comparableId } from '../core/documents/identifier.js'
import { isPlainObject, membersOf, partsOf } from '../core/documents/json-text.js'
import type { Observation } from '../core/documents/observation.js'
import { truncate } from '../core/text/clean-text.js'
import { createTimeSlices } from '../core/time/time-slice.js'
import type { CloseResult, Operation } from './contract.js'
import { ChannelError, ItemError, type MarketplaceError, TransientError, UnavailableError } from './errors.js'
import type { HttpReply } from './http-exchange.js'
import type { Sanitize } from './sanitizer.js'

/** Items of one list; a marketplace that sends more is out of order, and they would fill the memory. */
const MAX_ITEMS = 100_000

/** Characters of a body from which a message is made, and of one that has no message, those that are shown. */
const [MAX_QUOTED_LENGTH, MAX_START] = [4096, 80]

/** A reply with its body as text; its bytes would fill the memory beside it. */
export interface TextReply extends Omit<HttpReply, 'body'> {
  text: string
}

/** Decodes a body from UTF-8, without byte order mark and white space around it. */
export const textOf = ({ status, headers, body }: HttpReply): TextReply => ({
  status,
  headers,
  text: body.toString('utf8').trim(),
})

/** The message says why a body cannot be used: `the body is empty`. */
export class UnusableBodyError extends Error {}

/**
 * Reads the body of a 200.
 * @param read parses it
 * @throws TransientError with the start of a body that is not JSON, as sent by proxies and servers that are starting up, and for
 *   UnusableBodyError, SyntaxError and RangeError of `read`
 */
export async function readBody<T>(
  reply: TextReply,
  { label, sanitize }: { label: () => string; sanitize: Sanitize },
  read: (reply: TextReply) => T | Promise<T>,
): Promise<T> {
  const { text, headers, status } = reply
  try {
    const type = String(headers['content-type'] ?? '')
    if (!isJsonType(type)) throw new UnusableBodyError(`the body is ${sanitize(type)} instead of application/json`)
    if (text === '') throw new UnusableBodyError('the body is empty')
    return await read(reply)
  } catch (error) {
    const problem = problemOf(error)
    if (problem === null) throw error
    const start = startOf(text, sanitize)
    const message = `${label()}: status 200, but ${problem}${start === '' ? '' : `; it starts with: ${start}`}`
    throw new TransientError(message, { status })
  }
}

/** The start of a body that is no message, without tags of HTML. */
const startOf = (text: string, sanitize: Sanitize): string =>
  truncate(sanitize(text.slice(0, MAX_QUOTED_LENGTH).replaceAll(/<[^>]*>/g, ' ')), MAX_START)

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
 * Checks that a document has the requested id, or none.
 * @throws UnusableBodyError for another id: the document must not be stored under the requested one
 */
export function requireMatchingId({ id: found }: { id?: unknown }, id: string, sanitize: Sanitize): void {
  if (found === undefined || found === null || found === '') return
  if (typeof found === 'string' && comparableId(found) === comparableId(id)) return
  throw new UnusableBodyError(`the body is another document (id ${sanitize(String(found))})`)
}

/**
 * Parses the text of a list, in slices, because it may have tens of thousands of items.
 * @param observe parses the text of an item
 * @returns its items, and why they are only a part
 * @throws UnusableBodyError if there is no array `items`: a channel must not look empty because of a broken reply
 */
export async function parseList<T>(
  { text, headers }: TextReply,
  observe: (text: string) => Observation<T>,
): Promise<{ value: Observation<T>[]; partial: string | null }> {
  const nextSlice = createTimeSlices()
  await nextSlice()
  if (!text.startsWith('{')) parseObject(text)
  const { items, ...others } = Object.fromEntries(membersOf(text))
  const envelope = parseObject(`{${Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${value}`)}}`)
  if (!items?.startsWith('[')) throw new UnusableBodyError('the body has no "items" array')
  const parts = [...partsOf(items)]
  if (parts.length > MAX_ITEMS) throw new UnusableBodyError(`the list has more than ${MAX_ITEMS} entries`)
  const value: Observation<T>[] = []
  for (const part of parts) {
    value.push(observe(part))
    await nextSlice()
  }
  return { value, partial: partialReason(headers, envelope, value.length) }
}

/** Names of members and headers that lead to further entries if they have a value, without case and punctuation. */
const FURTHER = /^x?(odata)?(has)?(next|more)(link|url|page|cursor|token|pagetoken|items)?$|^(is)?truncated$/
const ENTRIES = /^x?(total|count|total(count|items|results|records|elements|entries))$/
/** Objects beside the entries that are about the list, such as `meta.pagination`. */
const ABOUT_LIST = /meta|pag|link/

/**
 * What a list says of itself that makes it only a part: a next page, or more entries than it has. The API description has no pages, so
 * nothing asks for the others; but entries on them are not missing.
 * @param envelope the body without its entries
 * @param entries how many entries the list has
 * @returns for the message of a run; null if the list does not say so
 */
export function partialReason(headers: HttpReply['headers'], envelope: unknown, entries: number): string | null {
  if (/;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(String(headers.link ?? ''))) return 'its Link header has a next page'
  for (const [name, value] of [...namedValues(headers), ...namedValues(envelope)]) {
    if (FURTHER.test(name) && isGiven(value)) return `its ${name} is given`
    if (ENTRIES.test(name) && Number(value) > entries)
      return `its ${name} is ${Number(value)}, and it has ${entries} entries`
  }
  return null
}

/** The members of an object, and of objects within it that are about the list, by their names without case and punctuation. */
function namedValues(value: unknown): [name: string, value: unknown][] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, member]) => {
    const name = key.toLowerCase().replaceAll(/[^a-z]/g, '')
    return [[name, member], ...(ABOUT_LIST.test(name) ? namedValues(member) : [])] as [string, unknown][]
  })
}

/** Whether a member has a value, or an object has a member with one. */
const isGiven = (value: unknown): boolean =>
  value !== null && typeof value === 'object' ? Object.values(value).some(isGiven) : Boolean(value)

/** The body of an error or of a close, as far as it is JSON, and its `message`, else its start; null if it is empty. */
function readMessage({ text }: TextReply, sanitize: Sanitize) {
  const { ok, message, statusCode } = Object(parsedOrNull(text)) as Record<string, unknown>
  const isMessage = typeof message === 'string'
  const shown = (isMessage && sanitize(message.slice(0, MAX_QUOTED_LENGTH))) || startOf(text, sanitize) || null
  return { ok, statusCode: Number(statusCode), shown, isMessage }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What the reply to a close says; the caller interprets it. */
export function closeResultOf(reply: TextReply & { serverDate: Date | null }, sanitize: Sanitize): CloseResult {
  const { ok, statusCode, shown, isMessage } = readMessage(reply, sanitize)
  const { status, serverDate } = reply
  return {
    status: status === 200 && statusCode >= 400 ? statusCode : status,
    ok: typeof ok === 'boolean' ? ok : null,
    message: typeof ok === 'boolean' && !isMessage ? null : shown,
    serverDate,
  }
}

/**
 * The error for a read that was answered with another status than 200 (docs/MARKETPLACE.md, Reactions to each reply).
 * Statuses that the API description does not define are treated as in RFC 9110.
 */
export function errorForStatus(
  reply: TextReply,
  { label, operation }: { label: () => string; operation: Operation },
  sanitize: Sanitize,
): MarketplaceError {
  const { status, headers } = reply
  const { shown } = readMessage(reply, sanitize)
  const failure = `${label()}: status ${status}${shown ? ` (${shown})` : ''}`
  const isList = operation === 'listListings' || operation === 'listRfqs'
  if (status === 401)
    return new ChannelError(`${failure}. The API key is not accepted: correct or renew it`, { status })
  if (status === 403)
    return new ChannelError(`${failure}. The API key has no access: request it, or correct org and channel`, { status })
  if (status === 400 || status === 404 || status === 410) {
    if (!isList) return new ItemError(failure, { status })
    return new ChannelError(`${failure}. The channel does not exist there: correct org, channel or baseUrl`, { status })
  }
  if (status === 408 || status === 429 || status >= 500) return new TransientError(failure, { status })
  if (status >= 300 && status < 400) {
    // The API key is sent to the configured origin only.
    const location = sanitize(String(headers.location ?? 'an unspecified address'))
    const message = `${label()}: status ${status}, a redirect to ${location}, which is not followed; if the marketplace has moved, correct baseUrl`
    return new (isList ? ChannelError : UnavailableError)(message, { status })
  }
  return new UnavailableError(`${failure}, which the API description does not define`, { status })
}

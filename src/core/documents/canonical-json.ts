import { hash } from 'node:crypto'
import { comparableText } from '../text/comparable-text.js'
import type { SentKind } from './documents.js'
import { isPlainObject } from './json-text.js'

/** Levels of nesting of a document. The API description needs seven; much deeper ones would overflow the stack of recursive code. */
const MAX_DEPTH = 200

type TextForm = (text: string) => string

/**
 * Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785).
 * @throws RangeError if it is nested deeper than 200 levels
 */
export function canonicalJson(value: unknown, form: TextForm = (text) => text, depth = 0): string {
  if (typeof value === 'string') return canonicalString(form(value))
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (depth === MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`)
  let text = ''
  if (Array.isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element, form, depth + 1)}`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member, form, depth + 1)}`
  }
  return `{${text}}`
}

/** The same with texts in the form in which they are compared: equal for documents that say the same. */
const comparableJson = (value: unknown): string => canonicalJson(value, comparableText)

/** Characters that JSON writes as they are. */
const ORDINARY = /^[ !#-[\]-~]*$/
const canonicalString = (text: string) => (ORDINARY.test(text) ? `"${text}"` : JSON.stringify(text))

/**
 * Hash that decides whether a document changed: SHA-256 of its canonical JSON with texts in the form in which they are compared,
 * without the members of which a part does not count.
 * @param body parsed JSON
 * @returns 64 hexadecimal digits
 * @throws RangeError if it is nested deeper than 200 levels
 */
export const contentHash = (kind: SentKind, body: unknown): string =>
  hash('sha256', comparableJson(isPlainObject(body) ? { ...body, ...withoutNoise(kind, body) } : body))

/** The order of lists whose order has no meaning, and a signed URL with its expiry, differ between reads (docs/DATABASE.md). */
function withoutNoise(kind: SentKind, body: Record<string, unknown>): Record<string, unknown> {
  if (kind === 'response' || kind === 'summary') return {}
  const { additionalDocumentation: file, listingIds, responses } = body
  if (kind === 'listing')
    return isPlainObject(file) ? { additionalDocumentation: { ...file, url: undefined, expires: undefined } } : {}
  return {
    ...(Array.isArray(listingIds) && { listingIds: sorted(listingIds) }),
    ...(Array.isArray(responses) && { responses: sorted(responses) }),
  }
}

const sorted = (list: readonly unknown[]) => list.map(comparableJson).sort()

import { hash } from 'node:crypto'
import { comparableText } from '../text/comparable-text.js'
import { isPlainObject } from './json-text.js'

/** Levels of nesting of a document. The API description needs seven; much deeper ones would overflow the stack of recursive code. */
const MAX_DEPTH = 200

type TextForm = (text: string) => string

/** @throws RangeError for parsed JSON that is nested deeper than 200 levels */
export function refuseDeep(value: unknown, levels = MAX_DEPTH): void {
  if (value === null || typeof value !== 'object') return
  if (levels === 0) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`)
  for (const each of Object.values(value)) refuseDeep(each, levels - 1)
}

/** Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785). */
export function canonicalJson(value: unknown, form: TextForm = (text) => text): string {
  if (typeof value === 'string') return canonicalString(form(value))
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element, form)}`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member, form)}`
  }
  return `{${text}}`
}

/** The same with texts in the form in which they are compared: equal for documents that say the same. */
const comparableJson = (value: unknown): string => canonicalJson(value, comparableText)

/** Characters that JSON writes as they are. */
const ORDINARY = /^[ !#-[\]-~]*$/
const canonicalString = (text: string) => (ORDINARY.test(text) ? `"${text}"` : JSON.stringify(text))

/**
 * What decides whether a document changed: its canonical JSON with texts in the form in which they are compared, without the members
 * of which a part does not count.
 * @param body parsed JSON; an array of several differing entries of a list, whose order does not count
 */
export const contentOf = (body: unknown): string =>
  Array.isArray(body)
    ? `[${body.map(contentOf).sort()}]`
    : comparableJson(isPlainObject(body) ? { ...body, ...withoutNoise(body) } : body)

/** SHA-256 of what decides whether a document changed, 64 hexadecimal digits. */
export const contentHash = (body: unknown): string => hash('sha256', contentOf(body))

/** The order of lists whose order has no meaning, and a signed URL with its expiry, differ between reads (docs/DATABASE.md). */
function withoutNoise({ additionalDocumentation: file, listingIds, responses }: Record<string, unknown>) {
  return {
    ...(isPlainObject(file) && { additionalDocumentation: { ...file, url: undefined, expires: undefined } }),
    ...(Array.isArray(listingIds) && { listingIds: sorted(listingIds) }),
    ...(Array.isArray(responses) && { responses: sorted(responses) }),
  }
}

const sorted = (list: readonly unknown[]) => list.map(comparableJson).sort()

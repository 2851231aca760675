import { hash } from 'node:crypto'
import { byCodeUnit } from '../numbers.js'
import { comparableText } from '../text/comparable-text.js'
import { isPlainObject } from './json-text.js'

/** Levels of nesting of a document. The API description needs seven; much deeper ones would overflow the stack of recursive code. */
const MAX_DEPTH = 200

type TextForm = (text: string) => string

/** @throws RangeError for parsed JSON that is nested deeper than 200 levels */
export function refuseDeep(value: unknown, levels = MAX_DEPTH): void {
  if (value === null || typeof value !== 'object') return
  if (levels === 0) throw new RangeError(`nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) for (const each of value) refuseDeep(each, levels - 1)
  else for (const name in value) refuseDeep((value as Record<string, unknown>)[name], levels - 1)
}

/** Serialises parsed JSON with object keys in one order, so that equal documents give equal text. */
export const canonicalJson = (value: unknown, form: TextForm = (text) => text): string =>
  JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return form(each)
    return isPlainObject(each) ? Object.fromEntries(Object.entries(each).sort(byKey)) : each
  }) ?? 'null'
const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => byCodeUnit(a, b)

/** The same with texts in the form in which they are compared: equal for documents that say the same. */
const comparableJson = (value: unknown): string => canonicalJson(value, comparableText)

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

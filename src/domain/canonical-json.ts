import { createHash } from 'node:crypto'
import type { DocumentKind } from './documents.js'

/**
 * JSON with object keys in code-unit order: equal documents give equal text (after RFC 8785, for values that
 * came out of JSON.parse).
 * @param value parsed JSON
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const object = value as Record<string, unknown>
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`)
  return `{${members.join(',')}}`
}

/** Members whose order means nothing (interfaces.md §3). */
const UNORDERED: Record<DocumentKind, readonly string[]> = {
  listing: [],
  rfq: ['listingIds', 'responses'],
  response: [],
}
/** Members that differ at every read without meaning: the signed address and its expiry. */
const VOLATILE: Record<DocumentKind, readonly string[]> = {
  listing: ['additionalDocumentation'],
  rfq: [],
  response: [],
}

/**
 * The hash that decides whether a document changed: SHA-256 of its canonical JSON, without volatile members and with
 * unordered lists in one order.
 * @returns 64 hexadecimal digits
 */
export function contentHash(kind: DocumentKind, body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(comparable(kind, body)))
    .digest('hex')
}

function comparable(kind: DocumentKind, body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body
  const copy: Record<string, unknown> = { __proto__: null, ...body }
  for (const key of UNORDERED[kind]) {
    const list = copy[key]
    if (Array.isArray(list)) copy[key] = list.map(canonicalJson).sort()
  }
  for (const key of VOLATILE[kind]) {
    const value = copy[key]
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      const { url: _url, expires: _expires, ...lasting } = value as Record<string, unknown>
      copy[key] = lasting
    }
  }
  return copy
}

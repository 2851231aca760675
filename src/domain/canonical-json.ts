import { createHash } from 'node:crypto'
import type { DocumentKind } from './documents.js'

/**
 * Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785).
 * @param value a result of JSON.parse
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

/** Lists whose order has no meaning (docs/DATABASE.md). */
const UNORDERED: Record<DocumentKind, readonly string[]> = {
  listing: [],
  rfq: ['listingIds', 'responses'],
  response: [],
}
/** Members with a signed URL and its expiry, which differ at every read. */
const VOLATILE: Record<DocumentKind, readonly string[]> = {
  listing: ['additionalDocumentation'],
  rfq: [],
  response: [],
}

/**
 * Hash that decides whether a document changed: SHA-256 of its canonical JSON, without volatile members and with
 * unordered lists sorted.
 * @returns 64 hexadecimal digits
 */
export function contentHash(kind: DocumentKind, body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(withoutNoise(kind, body)))
    .digest('hex')
}

function withoutNoise(kind: DocumentKind, body: unknown): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body
  const copy: Record<string, unknown> = { __proto__: null, ...body }
  for (const key of UNORDERED[kind]) {
    const list = copy[key]
    if (Array.isArray(list)) copy[key] = list.map(canonicalJson).sort()
  }
  for (const key of VOLATILE[kind]) {
    const value = copy[key]
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      const { url: _url, expires: _expires, ...stable } = value as Record<string, unknown>
      copy[key] = stable
    }
  }
  return copy
}

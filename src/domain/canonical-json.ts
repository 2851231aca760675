import { createHash } from 'node:crypto'
import type { DocumentKind } from './documents.js'
import { ExactNumber, isPlainObject, mapRepeated, RepeatedMember } from './exact-json.js'

/**
 * Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785).
 * @param value a result of JSON.parse, or an exact value: its numbers beyond a double and its repeated members count too
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value instanceof ExactNumber) return value.normalForm
  const object = value as Record<string, unknown>
  const members = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort()
    .map((key) => canonicalMember(JSON.stringify(key), object[key]))
  return `{${members.join(',')}}`
}

const canonicalMember = (name: string, value: unknown): string =>
  value instanceof RepeatedMember
    ? value.values.map((each) => `${name}:${canonicalJson(each)}`).join(',')
    : `${name}:${canonicalJson(value)}`

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
 * @param body parsed JSON, or its exact value (exact-json.ts); they differ only if parsing lost something
 * @returns 64 hexadecimal digits
 */
export function contentHash(kind: DocumentKind, body: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(withoutNoise(kind, body)))
    .digest('hex')
}

function withoutNoise(kind: DocumentKind, body: unknown): unknown {
  if (!isPlainObject(body)) return body
  const copy: Record<string, unknown> = { __proto__: null, ...body }
  for (const key of UNORDERED[kind]) {
    copy[key] = mapRepeated(copy[key], (list) => (Array.isArray(list) ? list.map(canonicalJson).sort() : list))
  }
  for (const key of VOLATILE[kind]) copy[key] = mapRepeated(copy[key], withoutSignature)
  return copy
}

function withoutSignature(value: unknown): unknown {
  if (!isPlainObject(value)) return value
  const { url: _url, expires: _expires, ...stable } = value
  return stable
}

/** A copy of a parsed or exact value without the members of one name, at any depth. */
export function withoutMembers(value: unknown, name: string): unknown {
  const copy = (part: unknown) => withoutMembers(part, name)
  if (Array.isArray(value)) return value.map(copy)
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).filter(([each]) => each !== name)
  return Object.fromEntries(members.map(([each, member]) => [each, mapRepeated(member, copy)]))
}

import { hash } from 'node:crypto'
import type { DocumentKind } from './documents.js'
import { ExactNumber, isPlainObject, mapRepeated, RepeatedMember } from './exact-json.js'

/**
 * Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785).
 * @param value a result of JSON.parse, or an exact value: its numbers beyond a double and its repeated members count too
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let elements = ''
    for (const element of value) elements += elements === '' ? canonicalJson(element) : `,${canonicalJson(element)}`
    return `[${elements}]`
  }
  if (value instanceof ExactNumber) return value.normalForm
  return canonicalObject(value as Record<string, unknown>, {})
}

/** @param replace what to serialise in place of the values of some members */
function canonicalObject(
  object: Record<string, unknown>,
  replace: Readonly<Record<string, (value: unknown) => unknown>>,
): string {
  let members = ''
  for (const { key, name } of orderedMembers(Object.keys(object))) {
    const value = Object.hasOwn(replace, key) ? replace[key]?.(object[key]) : object[key]
    if (value !== undefined) members += `${members === '' ? '' : ','}${canonicalMember(name, value)}`
  }
  return `{${members}}`
}

const canonicalMember = (name: string, value: unknown): string =>
  value instanceof RepeatedMember
    ? value.values.map((each) => `${name}:${canonicalJson(each)}`).join(',')
    : `${name}:${canonicalJson(value)}`

/** A member with its name as JSON. */
interface MemberName {
  key: string
  name: string
}

/** The objects of a marketplace have few different lists of keys: sorting each again takes longest of all. */
const orders = new Map<string, { keys: readonly string[]; ordered: readonly MemberName[] }>()
const MAX_ORDERS = 500
const MAX_REMEMBERED_LENGTH = 2000

function orderedMembers(keys: readonly string[]): readonly MemberName[] {
  const joined = keys.join()
  if (joined.length > MAX_REMEMBERED_LENGTH) return inOrder(keys)
  const known = orders.get(joined)
  // A key may contain a comma.
  if (known?.keys.length === keys.length && keys.every((key, index) => key === known.keys[index])) return known.ordered
  const ordered = inOrder(keys)
  if (orders.size >= MAX_ORDERS) orders.clear()
  orders.set(joined, { keys, ordered })
  return ordered
}

const inOrder = (keys: readonly string[]) => [...keys].sort().map((key) => ({ key, name: JSON.stringify(key) }))

const sorted = (value: unknown) =>
  mapRepeated(value, (list) => (Array.isArray(list) ? list.map(canonicalJson).sort() : list))
const withoutSignatures = (value: unknown) => mapRepeated(value, withoutSignature)

/**
 * Members of which a part does not count: the order of lists whose order has no meaning (docs/DATABASE.md), and a signed URL
 * with its expiry, which differ at every read.
 */
const NOISY: Record<DocumentKind, Readonly<Record<string, (value: unknown) => unknown>>> = {
  listing: { additionalDocumentation: withoutSignatures },
  rfq: { listingIds: sorted, responses: sorted },
  response: {},
}

/**
 * Hash that decides whether a document changed: SHA-256 of its canonical JSON, without volatile members and with
 * unordered lists sorted.
 * @param body parsed JSON, or its exact value (exact-json.ts); they differ only if parsing lost something
 * @returns 64 hexadecimal digits
 */
export const contentHash = (kind: DocumentKind, body: unknown): string =>
  hash('sha256', isPlainObject(body) ? canonicalObject(body, NOISY[kind]) : canonicalJson(body))

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

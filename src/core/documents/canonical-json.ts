import { hash } from 'node:crypto'
import { comparableText } from '../text/comparable-text.js'
import type { DocumentKind, SubjectKind } from './documents.js'
import { ExactNumber, isPlainObject, mapRepeated, RepeatedMember } from './exact-json.js'

/**
 * Serialises parsed JSON with object keys in code-unit order, so that equal documents give equal text (RFC 8785).
 * @param value a result of JSON.parse, or an exact value: its numbers beyond a double and its repeated members count too
 */
export function canonicalJson(value: unknown, form: TextForm = (text) => text): string {
  if (typeof value === 'string') return canonicalString(form(value))
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let elements = ''
    for (const element of value)
      elements += elements === '' ? canonicalJson(element, form) : `,${canonicalJson(element, form)}`
    return `[${elements}]`
  }
  if (value instanceof ExactNumber) return value.normalForm
  return canonicalObject(value as Record<string, unknown>, null, form)
}
type TextForm = (text: string) => string

/** The same with texts in the form in which they are compared: equal for documents that say the same. */
export const comparableJson = (value: unknown): string => canonicalJson(value, comparableText)

/** Characters that JSON writes as they are. */
const ORDINARY = /^[ !#-[\]-~]*$/
const canonicalString = (text: string) => (ORDINARY.test(text) ? `"${text}"` : JSON.stringify(text))

/** What to serialise in place of the values of some members. */
type Noisy = Readonly<Record<string, (value: unknown) => unknown>>

function canonicalObject(object: Record<string, unknown>, noisy: Noisy | null, form: TextForm): string {
  let members = ''
  for (const { key, name } of membersInOrder(Object.keys(object))) {
    const value = noisy !== null && Object.hasOwn(noisy, key) ? noisy[key]?.(object[key]) : object[key]
    if (value === undefined) continue
    if (members !== '') members += ','
    members += value instanceof RepeatedMember ? repeated(name, value, form) : name + canonicalJson(value, form)
  }
  return `{${members}}`
}

const repeated = (name: string, { values }: RepeatedMember, form: TextForm): string =>
  values.map((each) => name + canonicalJson(each, form)).join(',')

/** A member with its name and colon as JSON. */
interface MemberName {
  key: string
  name: string
}

/**
 * Lists of keys, as paths from a root. The objects of a marketplace have few different ones: sorting each again takes longest of
 * all, and following a path compares the keys of most objects once each.
 */
class KeyPath {
  /** The first key seen here, and its paths. */
  #key = ''
  #next: KeyPath | null = null
  #others: Map<string, KeyPath> | null = null
  /** The keys of the path that ends here, in order. */
  ordered: readonly MemberName[] | null = null

  follow(key: string): KeyPath {
    if (this.#next !== null && this.#key === key) return this.#next
    return this.#others?.get(key) ?? this.#add(key)
  }

  #add(key: string): KeyPath {
    const added = new KeyPath()
    pathsKnown++
    if (this.#next === null) {
      this.#key = key
      this.#next = added
    } else {
      this.#others ??= new Map()
      this.#others.set(key, added)
    }
    return added
  }
}

const MAX_PATHS = 5000
const MAX_KEYS = 100
const MAX_KEY_LENGTH = 100
let pathsKnown = 0
let root = new KeyPath()

function membersInOrder(keys: readonly string[]): readonly MemberName[] {
  if (keys.length > MAX_KEYS) return sortKeys(keys)
  if (pathsKnown > MAX_PATHS) {
    root = new KeyPath()
    pathsKnown = 0
  }
  let path = root
  for (const key of keys) {
    if (key.length > MAX_KEY_LENGTH) return sortKeys(keys)
    path = path.follow(key)
  }
  path.ordered ??= sortKeys(keys)
  return path.ordered
}

const sortKeys = (keys: readonly string[]) => [...keys].sort().map((key) => ({ key, name: `${JSON.stringify(key)}:` }))

const sorted = (value: unknown) =>
  mapRepeated(value, (list) => (Array.isArray(list) ? list.map(comparableJson).sort() : list))
const withoutSignatures = (value: unknown) => mapRepeated(value, withoutSignature)

/**
 * Members of which a part does not count: the order of lists whose order has no meaning (docs/DATABASE.md), and a signed URL
 * with its expiry, which differ at every read.
 */
const NOISY: Record<SubjectKind, Noisy> = {
  listing: { additionalDocumentation: withoutSignatures },
  rfq: { listingIds: sorted, responses: sorted },
  response: {},
}

/**
 * Hash that decides whether a document changed: SHA-256 of its canonical JSON with texts in the form in which they are compared,
 * without volatile members and with unordered lists sorted.
 * @param body parsed JSON, or its exact value (exact-json.ts); they differ only if parsing lost something
 * @returns 64 hexadecimal digits
 */
export const contentHash = (kind: DocumentKind, body: unknown): string =>
  hash(
    'sha256',
    isPlainObject(body)
      ? canonicalObject(body, NOISY[kind === 'rfq-entry' ? 'rfq' : kind], comparableText)
      : comparableJson(body),
  )

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

import { hash } from 'node:crypto'
import { canonicalJson, contentHash } from './canonical-json.js'
import type { SubjectKind } from './documents.js'
import { ExactNumber, isPlainObject } from './exact-json.js'

/**
 * Members that distinguish documents without an identifier, by kind: from those that change least to those that are least likely
 * to be equal. A level applies only if the document has its first member.
 */
const DISTINCTIVE: Record<SubjectKind, readonly (readonly string[])[]> = {
  listing: [
    ['registryId', 'registry', 'organizationName'],
    ['projectName', 'registryId', 'registry', 'organizationName', 'storefrontUrl'],
  ],
  rfq: [['number'], ['reference'], ['createdAt', 'title']],
  response: [],
}
/** Members that may differ at every read. */
const VOLATILE = new Set(['expires', 'updatedAt'])
/** Addresses in a text, which may be nothing else. */
const ADDRESSES = /https?:\/\/[^\s"<>]*/gi

/**
 * Candidates for the identifier of a document without a usable one, the most stable first: from an `id` that is too long or not text,
 * from other distinguishing members, from its content without what differs at every read (queries of addresses, `expires`,
 * `updatedAt`), and from its whole content (canonical-json.ts).
 * @param body parsed JSON, or its exact value
 * @returns one entry for each, null if the document has none; the last is never null
 */
export function syntheticIds(kind: SubjectKind, body: unknown): (string | null)[] {
  const document = isPlainObject(body) ? body : {}
  const { id } = Object.hasOwn(document, 'id') ? document : {}
  const named = (by: string, value: unknown) => shortened(`${by} ${canonicalJson(value)}`)
  const byMembers = DISTINCTIVE[kind].map((members, level) => {
    const values = members.map((member) => (Object.hasOwn(document, member) ? stable(document[member]) : null))
    return isDistinctive(values[0]) ? named(`members ${level}`, values) : null
  })
  const byStable = shortened(`stable ${contentHash(kind, stable(body))}`)
  return [isDistinctive(id) ? named('id', id) : null, ...byMembers, byStable, shortened(contentHash(kind, body))]
}

/** The identifier of a document without a usable one, unless others of its list have the same. */
export const syntheticId = (kind: SubjectKind, body: unknown): string =>
  syntheticIds(kind, body).find((id) => id !== null) as string

/**
 * Assigns each of several different documents a unique identifier: the first of its `syntheticIds` that no other document has, so
 * that identifiers do not depend on the order.
 * @param entries documents without a usable identifier, with different content
 */
export function assignSyntheticIds(kind: SubjectKind, entries: readonly { id: string; exactBody: unknown }[]): void {
  let open = entries.map((entry) => ({ entry, ids: syntheticIds(kind, entry.exactBody) }))
  for (let level = 0; open.length > 0; level++) {
    const times = new Map<string, number>()
    const idOf = ({ ids }: (typeof open)[number]) => ids[level] ?? null
    for (const id of open.map(idOf)) if (id !== null) times.set(id, (times.get(id) ?? 0) + 1)
    const isShared = (each: (typeof open)[number]) => {
      const id = idOf(each)
      return level < each.ids.length - 1 && (id === null || times.get(id) !== 1)
    }
    for (const each of open) if (!isShared(each)) each.entry.id = idOf(each) as string
    open = open.filter(isShared)
  }
}

const shortened = (text: string) => `unidentified-${hash('sha256', text).slice(0, 16)}`

/** A text, a number, or JSON that is not empty, such as `{ "$oid": … }`. */
const isDistinctive = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
    ? Object.keys(value).length > 0
    : value !== null && value !== undefined && value !== '' && typeof value !== 'boolean'

/** A copy without what may differ at every read. */
function stable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(ADDRESSES, (address) => address.replace(/[?#].*$/s, ''))
  if (Array.isArray(value)) return value.map(stable)
  if (!isPlainObject(value)) return value
  const members = Object.entries(value).filter(([member]) => !VOLATILE.has(member))
  return Object.fromEntries(members.map(([member, each]) => [member, stable(each)]))
}

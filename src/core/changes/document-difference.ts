import { differences, type FieldValue } from '../documents/document-fields.js'

/** The scalar values of a document by path (`flatten`). */
export type Fields = ReadonlyMap<string, FieldValue>

/** A field that differs; null where a document does not have it. */
export interface FieldDifference {
  /** Path within the document, such as `offer.scheduledDeliveries[0].vintages[1].unitPrice`. */
  field: string
  before: FieldValue
  after: FieldValue
}

/** What a sentence about a change is about. */
export const CHANGE_EVENTS = [
  ...(['appeared', 'withdrawn', 'reinstated', 'opened', 'closed', 'status'] as const),
  ...(['accepted', 'rejected', 'review', 'detail', 'changed'] as const),
] as const
export type ChangeEvent = (typeof CHANGE_EVENTS)[number]

/** A difference between two versions of a document in one sentence, and the fields that it covers. */
export interface Sentence {
  event: ChangeEvent
  message: string
  fields: FieldDifference[]
}

/** A sentence without its full stop. `event` is `changed` unless it is given. */
export type Clause = Omit<Sentence, 'event'> & { event?: ChangeEvent }

/** The differences of two documents, from which rules take those that they describe. */
export interface DocumentDifference {
  before: Fields
  after: Fields
  /** The year whose dates are written without it. */
  year: string
  /** Removes and returns the difference of a field; null if there is none. */
  take(field: string): FieldDifference | null
  /** Removes and returns the differences of all fields that match. */
  takeAll(pattern: RegExp): FieldDifference[]
  /** What no rule took, in the order of the later document. */
  rest(): FieldDifference[]
}

/** Compares the fields of two documents. */
export function compareDocuments(before: Fields, after: Fields, year: string): DocumentDifference {
  const pairs = differences(before, after).map(({ field, before: old, value }) => ({
    field,
    before: old,
    after: value,
  }))
  const left = new Map<string, FieldDifference>(pairs.map((pair) => [pair.field, pair]))
  const take = (field: string) => {
    const pair = left.get(field)
    left.delete(field)
    return pair ?? null
  }
  return {
    ...{ before, after, year, take },
    takeAll(pattern) {
      const found = [...left.values()].filter(({ field }) => pattern.test(field))
      for (const { field } of found) left.delete(field)
      return found
    },
    rest: () => [...left.values()],
  }
}

/** Two versions of an item of a list, such as a delivery; null in the version that does not have it. */
export interface ItemPair {
  /** Its number in the later version, or in the earlier one if the later one does not have it. From 1. */
  number: number
  before: Fields | null
  after: Fields | null
}

/**
 * Matches the items of a list in two versions: by their place if there are as many as before; otherwise, equal items at the beginning and
 * the end belong together.
 * @param list path of the list within the fields
 */
export function matchItems(before: Fields, after: Fields, list: string): ItemPair[] {
  const [old, now] = [itemsOf(before, list), itemsOf(after, list)]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  let tail = 0
  if (old.length !== now.length) {
    while (head < shorter && isEqual(old[head], now[head])) head++
    while (tail < shorter - head && isEqual(old.at(-1 - tail), now.at(-1 - tail))) tail++
  }
  const pairs: ItemPair[] = []
  for (let at = 0; at < Math.max(old.length, now.length) - tail; at++) {
    const [one, other] = [at < old.length - tail ? old[at] : null, at < now.length - tail ? now[at] : null]
    pairs.push({ number: at + 1, before: one ?? null, after: other ?? null })
  }
  for (let at = tail; at > 0; at--)
    pairs.push({ number: now.length - at + 1, before: old.at(-at) ?? null, after: now.at(-at) ?? null })
  return pairs
}

/** Matches the fields of the items of a list. */
export const itemPattern = (list: string): RegExp =>
  new RegExp(`^${list.replaceAll('.', '\\.')}\\[\\d{1,4}\\](?:[.[]|$)`)

/** The differences of one item, with paths within the document. */
export function itemDifferences(path: string, before: Fields | null, after: Fields | null): FieldDifference[] {
  const members = new Set([...(after?.keys() ?? []), ...(before?.keys() ?? [])])
  return [...members].flatMap((member) => {
    const [old, now] = [before?.get(member) ?? null, after?.get(member) ?? null]
    const field = member === '' || member.startsWith('[') ? `${path}${member}` : `${path}.${member}`
    return old === now ? [] : [{ field, before: old, after: now }]
  })
}

/** The items of a list, of which there are at most 10,000: their fields, with paths within the item. */
export function itemsOf(fields: Fields, list: string): Map<string, FieldValue>[] {
  const items: Map<string, FieldValue>[] = []
  for (const [path, value] of fields) {
    if (!path.startsWith(`${list}[`)) continue
    const [, at, member] = /^(\d{1,4})\](?:\.|(?=\[)|$)(.*)$/s.exec(path.slice(list.length + 1)) ?? []
    if (at === undefined || member === undefined) continue
    const item = items[Number(at)] ?? new Map<string, FieldValue>()
    items[Number(at)] = item
    item.set(member, value)
  }
  // Items without a value have no fields.
  return Array.from(items, (item) => item ?? new Map<string, FieldValue>())
}

function isEqual(a: Fields | undefined, b: Fields | undefined): boolean {
  if (a === undefined || b === undefined || a.size !== b.size) return false
  for (const [path, value] of a) if (b.get(path) !== value) return false
  return true
}

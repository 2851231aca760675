import { isPlainObject, memberOf } from '../documents/json-text.js'
import type { Version } from '../records.js'
import { comparableText } from '../text/comparable-text.js'

/** A body of an RFQ or an offer, in the shape that was read. */
export type ReadBody = Pick<Version, 'shape' | 'body'>

/** A difference between two versions of a document. */
export interface Change {
  /**
   * Path in the later version, such as `offer.scheduledDeliveries[0].vintages[1].unitPrice`; in the earlier one if it was removed. An item
   * that only one version has is one change.
   */
  field: string
  /** A scalar, scalars of a list as text, or an object. Null if the version does not have it, or if it is empty. */
  before: unknown
  after: unknown
  /** The items that the field is part of, the outermost first. */
  items: Item[]
}

/** An item of a list, in both versions. */
export interface Item {
  /** Name of the list. */
  list: string
  /** Its number in the version whose path the change has, from 1. */
  number: number
  /** All items of that version. */
  siblings: readonly unknown[]
  before: unknown
  after: unknown
}

/** Bounds the time that hostile documents take: no document of the API is as deep, or has as many fields. */
const MAX_DEPTH = 10
const MAX_CHANGES = 10_000
/** What is not compared: responses, which have a history of their own, and when and in which system somebody saved it. */
const IGNORED =
  /^responses$|(?:^|\.)(?:createdAt|updatedAt|openedAt|closedAt)$|^offer\.review\.(?:offerId|source|sourceId)$/
/** What the items of a list are known by, beside being equal. */
const KEY_MEMBERS = ['fulfilmentDueDate', 'reportingPeriodStart', 'reportingPeriodEnd', 'paymentDueDate']

/**
 * Compares two versions of an RFQ or an offer, in the order of the later one. The order of scalars in a list has no meaning. If one version is
 * only a summary, what both have is compared.
 */
export function compareDocuments(before: ReadBody, after: ReadBody): Change[] {
  const changes = compareBodies(asResponse(before), asResponse(after))
  if (before.shape === after.shape) return changes
  return changes.filter((change) => change.before !== null && change.after !== null)
}

/** A summary in the form of a response: its terms belong to the offer. */
export function asResponse({ shape, body }: ReadBody): unknown {
  if (shape !== 'summary' || !isPlainObject(body)) return body
  const { contractType, currency, totalVolume, totalPrice, expiryDate, ...own } = body
  return { ...own, offer: { contractType, currency, totalVolume, totalPrice, expiryDate } }
}

/** The differences of two values of any kind. */
export function compareBodies(before: unknown, after: unknown): Change[] {
  const changes: Change[] = []
  const compare = (one: unknown, other: unknown, field: string, items: Item[], depth: number): void => {
    const [old, now] = [comparable(one), comparable(other)]
    if (old === now || depth > MAX_DEPTH || changes.length >= MAX_CHANGES || IGNORED.test(field)) return
    const [oldItems, newItems] = [old ?? [], now ?? []]
    if (Array.isArray(oldItems) && Array.isArray(newItems)) compareItems(oldItems, newItems, field, items, depth)
    else if (isPlainObject(old ?? {}) && isPlainObject(now ?? {}))
      for (const name of new Set([...Object.keys(now ?? {}), ...Object.keys(old ?? {})]))
        compare(memberOf(old, name), memberOf(now, name), field === '' ? name : `${field}.${name}`, items, depth + 1)
    else changes.push({ field, before: old, after: now, items })
  }
  const compareItems = (old: unknown[], now: unknown[], field: string, items: Item[], depth: number) => {
    for (const [from, to] of matchItems(old, now)) {
      const [place, siblings] = to === null ? [from ?? 0, old] : [to, now]
      const [one, other] = [from === null ? null : (old[from] ?? null), to === null ? null : (now[to] ?? null)]
      const list = field.slice(field.lastIndexOf('.') + 1)
      const own = [...items, { list, number: place + 1, siblings, before: one, after: other }]
      const path = `${field}[${place}]`
      if (from !== null && to !== null) compare(one, other, path, own, depth + 1)
      else if (one !== other && changes.length < MAX_CHANGES)
        changes.push({ field: path, before: one, after: other, items: own })
    }
  }
  compare(before, after, '', [], 0)
  return changes
}

/** Null for everything that says nothing; a list of scalars as text. */
function comparable(value: unknown): unknown {
  if (value === undefined || value === '') return null
  if (typeof value === 'string') return comparableText(value)
  // JSON.parse reads 1e999 as infinity, which cannot be written again.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (!Array.isArray(value)) return value
  return value.some((item) => typeof item === 'object') ? value : value.map(comparable).sort().join(', ') || null
}

/**
 * Matches the items of a list: those that are equal, then those with the same dates, then the others in their order if there are as many as
 * before. Returns their places; null in the version without the item.
 */
function matchItems(before: readonly unknown[], after: readonly unknown[]) {
  const matches = new Map<number, number>()
  const isLeft = new Set(before.keys())
  const added = () => [...after.keys()].filter((at) => !matches.has(at))
  const match = (to: number, from: number | undefined) => {
    if (from === undefined) return
    matches.set(to, from)
    isLeft.delete(from)
  }
  for (const keyOf of [(item: unknown) => JSON.stringify(item), datesOf]) {
    const places = new Map<string, number[]>()
    for (const at of [...isLeft].reverse()) {
      const key = keyOf(before[at])
      const known = places.get(key)
      if (known) known.push(at)
      else places.set(key, [at])
    }
    for (const at of added()) match(at, places.get(keyOf(after[at]))?.pop())
  }
  const [rest, left] = [added(), [...isLeft]]
  if (rest.length === left.length) for (const [nth, at] of rest.entries()) match(at, left[nth])
  const pairs = [...after.keys()].map((at): [number | null, number | null] => [matches.get(at) ?? null, at])
  return [...pairs, ...[...isLeft].map((at): [number | null, number | null] => [at, null])]
}

const datesOf = (item: unknown) => JSON.stringify(KEY_MEMBERS.map((name) => memberOf(item, name)))

import { comparableJson } from '../documents/canonical-json.js'
import { isPlainObject } from '../documents/exact-json.js'
import { IdMap } from '../documents/identifier.js'
import type { KnownDocument, KnownEntry } from '../records.js'
import type { Timestamp } from '../time/clock.js'

// The two sources of an RFQ, its entry in the list and its own document, and how they differ (docs/POLLING.md). Pure.

/** Paths about which the list must not contradict an open RFQ (docs/CLOSING.md, rule 2), with the word before their values. */
const DECIDING = { state: '', responseDueDate: 'due ' } as const
type Deciding = keyof typeof DECIDING
const MEMBERS = Object.keys(DECIDING) as Deciding[]

/** The values of these members of an RFQ in one source; null if absent or not text. */
export type Terms = Record<Deciding, string | null>

/** The terms of an RFQ in its list entry. */
export interface EntryTerms {
  terms: Terms
  /**
   * It does not say one thing: it has the RFQ twice with different values, a value that is no text, or an entry of which parsing lost
   * something that matters, such as one of two values of a key.
   */
  isDoubtful: boolean
}

/** An entry, or several with the identifier of one RFQ (`entriesIn`). */
export type EntryBody = Pick<KnownEntry, 'body' | 'isAmbiguous'>

/** How the list contradicts an open RFQ. It has a member, or is ambiguous. */
export interface Contradiction {
  members: { path: Deciding; listed: unknown; own: unknown }[]
  /** Parsing the entry lost something that matters, such as one of two values of a key. */
  isAmbiguous: boolean
}

/** How a list entry differs from the RFQ itself. */
export interface ListDiff {
  /** When the first list with this entry was recorded. */
  at: Timestamp
  /** When the RFQ itself was last read; as of a past moment, first after that list. Null if that is not known. */
  readAt: Timestamp | null
  /** Null if it is the same. */
  state: string | null
  /** Null if it is the same. */
  responseDueDate: string | null
  /** Null if it is the same. */
  fulfilmentDueDate: string | null
  /** Offers of the RFQ that the list no longer has. */
  removedOffers: RemovedOffer[]
  /** Identifiers of offers that only the list has. */
  addedOffers: string[]
  /** Names of other members that differ. */
  fields: string[]
  /** It keeps the RFQ from being closed. */
  contradicts: boolean
  /**
   * What the RFQ itself says instead, if it was read after the list and they contradict each other: `open`, `due 2026-11-20`, or both.
   * Absent otherwise.
   */
  own?: string | undefined
  /** Parsing its list entry lost something that matters, such as one of two values of a key. Absent otherwise. */
  ambiguous?: true | undefined
}

/** An offer that is no longer listed. */
export interface RemovedOffer {
  id: string
  /** Of its developer; its id if that is not known. */
  name: string
}

/** Characters of a value that are kept. */
const MAX_SHOWN = 80

/** The entries that a list has of one RFQ: usually one; several different ones are stored as an array (docs/DATABASE.md). */
export const entriesIn = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body])

/** @param body of an RFQ that was read */
export const termsOf = (body: unknown): Terms => termsBy((member) => textOrNull(valueIn(body, member)))

export function entryTermsOf({ body, isAmbiguous }: EntryBody): EntryTerms {
  let isDoubtful = isAmbiguous
  const terms = termsBy((member) => {
    const [first, ...others] = valuesOf(body, member)
    isDoubtful ||= others.some((value) => value !== first) || (first !== undefined && typeof first !== 'string')
    return textOrNull(first)
  })
  return { terms, isDoubtful }
}

/**
 * Whether the list contradicts an open RFQ, so that it is not closed. The list may be wrong, or the RFQ may have changed between the two
 * reads. What a source does not say contradicts nothing.
 */
export const contradicts = ({ terms, isDoubtful }: EntryTerms, rfq: Terms): boolean =>
  rfq.state === 'open' &&
  (isDoubtful || MEMBERS.some((member) => terms[member] !== null && terms[member] !== rfq[member]))

/**
 * The same rule, in detail: of each member, the first entry that contradicts the RFQ.
 * @param rfq the body of the RFQ
 * @returns null if the list does not contradict it, or if it is not open
 */
export function contradictionOf({ body, isAmbiguous }: EntryBody, rfq: unknown): Contradiction | null {
  if (valueIn(rfq, 'state') !== 'open') return null
  const members = MEMBERS.flatMap((path) => {
    const own = valueIn(rfq, path)
    const listed = valuesOf(body, path).find((value) => typeof value !== 'string' || value !== own)
    return listed === undefined ? [] : [{ path, listed, own }]
  })
  return members.length === 0 && !isAmbiguous ? null : { members, isAmbiguous }
}

/** A text as it is (at most 80 characters), for any other value its type. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_SHOWN)
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object'
  return `a ${typeof value}`
}

/** The same for a sentence: texts in quotation marks. */
export const quoted = (value: unknown, before = ''): string =>
  typeof value === 'string' ? JSON.stringify(`${before}${valueText(value)}`) : `${before}${valueText(value)}`

/** What the list says that contradicts the RFQ: `"closed" and "due 2026-12-24"`; empty if its entry is ambiguous. */
export const contradictingText = ({ members }: Contradiction): string =>
  members.map(({ path, listed }) => quoted(listed, DECIDING[path])).join(' and ')

/**
 * What the list says otherwise than an RFQ as it was read: everything that differs if the list is newer, and what contradicts it if the RFQ
 * was read since. Absent and null members of the entry say nothing, nor do those that the RFQ itself does not have at all.
 * @returns null if it says nothing else
 */
export function listDiffOf({ body, readAt, entry }: Pick<KnownDocument, 'body' | 'readAt' | 'entry'>): ListDiff | null {
  if (entry === null) return null
  const diff = entry.followedAt === null ? differences(entry, body) : contradictionIn(entry, body)
  return diff && { at: entry.at, readAt: readAt ?? entry.followedAt, ...diff }
}

type Differences = Omit<ListDiff, 'at' | 'readAt'>
const NO_DIFFERENCES: Differences = {
  ...{ state: null, responseDueDate: null, fulfilmentDueDate: null },
  ...{ removedOffers: [], addedOffers: [], fields: [], contradicts: false },
}

function contradictionIn(entry: EntryBody, rfq: unknown): Differences | null {
  const found = contradictionOf(entry, rfq)
  if (found === null) return null
  const diff: Differences = {
    ...NO_DIFFERENCES,
    fields: [],
    contradicts: true,
    ...(found.isAmbiguous && { ambiguous: true }),
  }
  for (const { path, listed } of found.members) addDifference(diff, path, listed)
  const own = found.members.map((member) => `${DECIDING[member.path]}${valueText(member.own)}`)
  return own.length === 0 ? diff : { ...diff, own: own.join(', ') }
}

const TERMS = ['state', 'responseDueDate', 'fulfilmentDueDate'] as const

function differences(entry: EntryBody, rfq: unknown): Differences | null {
  if (!isPlainObject(rfq)) return null
  const diff: Differences = { ...NO_DIFFERENCES, fields: [] }
  for (const each of entriesIn(entry.body)) {
    if (!isPlainObject(each)) continue
    for (const [name, value] of Object.entries(each)) {
      if (name === 'id' || name === 'responses' || !differs(value, memberOf(rfq, name))) continue
      addDifference(diff, name, value)
    }
    Object.assign(diff, compareOffers(each.responses, rfq.responses))
  }
  const found = contradictionOf(entry, rfq)
  if (found?.isAmbiguous) diff.ambiguous = true
  diff.contradicts = found !== null
  diff.fields = [...new Set(diff.fields)]
  return isEmptyDiff(diff) ? null : diff
}

function addDifference(diff: Differences, name: string, value: unknown): void {
  const term = TERMS.find((known) => known === name)
  // A value that is not text contradicts the RFQ too, if closing depends on it.
  if (term !== undefined && (typeof value === 'string' || term !== 'fulfilmentDueDate')) diff[term] ??= valueText(value)
  else diff.fields.push(name)
}

const isEmptyDiff = ({
  state,
  responseDueDate,
  fulfilmentDueDate,
  removedOffers,
  addedOffers,
  fields,
  ambiguous,
}: Differences) =>
  (state ?? responseDueDate ?? fulfilmentDueDate) === null &&
  removedOffers.length + addedOffers.length + fields.length === 0 &&
  !ambiguous

/** Whether it concerns who may be awarded and until when, not only other terms or further offers. */
export const isDecisive = ({ state, responseDueDate, removedOffers }: ListDiff): boolean =>
  state !== null || responseDueDate !== null || removedOffers.length > 0

const memberOf = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
const valueIn = (body: unknown, path: Deciding): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isPlainObject(value) ? memberOf(value, name) : undefined), body)
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const termsBy = (of: (member: Deciding) => string | null): Terms =>
  Object.fromEntries(MEMBERS.map((member) => [member, of(member)])) as Terms

/** The values of a member in all entries, without absent and null ones. */
const valuesOf = (body: unknown, member: Deciding): unknown[] =>
  entriesIn(body)
    .map((entry) => valueIn(entry, member))
    .filter((value) => value !== undefined && value !== null)

function differs(listed: unknown, own: unknown): boolean {
  if (listed === undefined || listed === null || own === undefined) return false
  if (isPlainObject(listed) && isPlainObject(own))
    return Object.entries(listed).some(([name, value]) => differs(value, memberOf(own, name)))
  return comparableJson(listed) !== comparableJson(own)
}

function compareOffers(listed: unknown, own: unknown): Pick<Differences, 'removedOffers' | 'addedOffers'> {
  if (!Array.isArray(listed) || !Array.isArray(own)) return { removedOffers: [], addedOffers: [] }
  const [inList, known] = [offersIn(listed), offersIn(own)]
  return {
    removedOffers: [...known.values()].flatMap((each) =>
      inList.has(each.id) ? [] : [{ id: each.id, name: nameOf(each) }],
    ),
    addedOffers: [...inList.values()].flatMap(({ id }) => (known.has(id) ? [] : [id])),
  }
}

type ListedOffer = Record<string, unknown> & { id: string }
const isOffer = (each: unknown): each is ListedOffer => isPlainObject(each) && typeof each.id === 'string'
const offersIn = (responses: readonly unknown[]) => new IdMap(responses.filter(isOffer).map((each) => [each.id, each]))

function nameOf({ id, projectDeveloperName: name }: ListedOffer): string {
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : id
}

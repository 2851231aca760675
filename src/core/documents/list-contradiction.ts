import type { KnownEntry } from '../records.js'
import { isPlainObject } from './json-text.js'

// Whether the list contradicts an RFQ, so that it is not closed (docs/CLOSING.md, rule 2). Pure.

/** Members about which the list must not contradict an open RFQ, with the word before their values. */
const DECIDING = { state: '', responseDueDate: 'due ' } as const
type Deciding = keyof typeof DECIDING
const MEMBERS = Object.keys(DECIDING) as Deciding[]

/** The values of these members of an RFQ; null if absent or not text. */
export type Terms = Record<Deciding, string | null>

/** The same of its list entry, or of several with its identifier, without absent and null ones. */
interface EntryTerms {
  values: Record<Deciding, unknown[]>
  /** The list has several differing entries of the RFQ. */
  isAmbiguous: boolean
}

/** @param body of an RFQ that was read */
export const termsOf = (body: unknown): Terms =>
  byMember((member) => {
    const value = valueIn(body, member)
    return typeof value === 'string' ? value : null
  })

/** @param entry its body is an array if the list has several differing entries of one identifier (docs/DATABASE.md) */
export function entryTermsOf({ body }: Pick<KnownEntry, 'body'>): EntryTerms {
  const entries = Array.isArray(body) ? body : [body]
  const values = byMember((member) => entries.map((entry) => valueIn(entry, member)).filter((value) => value !== null))
  return { values, isAmbiguous: entries.length > 1 }
}

/**
 * What the list says that contradicts an open RFQ: `"closed" and "due 2026-12-24"`. What a source does not say contradicts nothing.
 * @returns empty if its entry is only ambiguous; null if it does not contradict the RFQ, or the RFQ is not open
 */
export function contradictionOf({ values, isAmbiguous }: EntryTerms, rfq: Terms): string | null {
  if (rfq.state !== 'open') return null
  const others = MEMBERS.flatMap((member) => {
    const other = values[member].find((value) => value !== rfq[member])
    return other === undefined ? [] : [shown(other, DECIDING[member])]
  })
  return others.length === 0 && !isAmbiguous ? null : others.join(' and ')
}

/** Characters of a value that are shown. */
const MAX_SHOWN = 80
const shown = (value: unknown, before: string): string =>
  typeof value === 'string'
    ? JSON.stringify(`${before}${value.slice(0, MAX_SHOWN)}`)
    : `${before}a value that is no text`

const byMember = <T>(of: (member: Deciding) => T): Record<Deciding, T> =>
  Object.fromEntries(MEMBERS.map((member) => [member, of(member)])) as Record<Deciding, T>

/** Null if absent. */
const valueIn = (body: unknown, member: Deciding): unknown =>
  isPlainObject(body) && Object.hasOwn(body, member) ? (body[member] ?? null) : null

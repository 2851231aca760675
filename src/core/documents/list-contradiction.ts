import { memberOf } from './json-text.js'

/** Members about which the list must not contradict an open RFQ, with the word before their values. */
const DECIDING = [
  ['state', ''],
  ['responseDueDate', 'due '],
] as const

/**
 * What the list says that contradicts an open RFQ, so that it is not closed (docs/CLOSING.md, rule 2): `"closed" and "due 2026-12-24"`.
 * What a source does not say contradicts nothing.
 * @param entry its body is an array if the list has several differing entries of one identifier (docs/DATABASE.md)
 * @param rfq the body of the RFQ that was read
 * @returns empty if its entry is only ambiguous; null if it does not contradict the RFQ, or the RFQ is not open
 */
export function contradictionOf(entry: { body: unknown }, rfq: unknown): string | null {
  if (memberOf(rfq, 'state') !== 'open') return null
  const entries: unknown[] = Array.isArray(entry.body) ? entry.body : [entry.body]
  const others = DECIDING.flatMap(([member, before]) => {
    const values = entries.map((each) => memberOf(each, member) ?? null)
    const other = values.find((value) => value !== null && value !== memberOf(rfq, member))
    return other === undefined ? [] : [shown(other, before)]
  })
  return others.length === 0 && entries.length === 1 ? null : others.join(' and ')
}

/** Characters of a value that are shown. */
const MAX_SHOWN = 80
const shown = (value: unknown, before: string): string =>
  typeof value === 'string'
    ? JSON.stringify(`${before}${value.slice(0, MAX_SHOWN)}`)
    : `${before}a value that is no text`

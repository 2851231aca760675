import { comparableText } from '../text/comparable-text.js'
import { ExactNumber, RepeatedMember } from './exact-json.js'

export type FieldValue = string | number | boolean | null

/** Deeper than any document of the API; bounds the cost of hostile nesting. */
const MAX_DEPTH = 10
/** More fields than any document of the API; the rest is ignored. */
const MAX_FIELDS = 20_000

/**
 * Flattens a document to its scalar values by path (`offer.prePayments[0].amount`), in document order, with texts in the form in
 * which they are compared. Null, absent and empty values are left out. In an exact body (exact-json.ts), numbers that a double
 * cannot hold become text, and the values of a repeated member get numbered paths: `state (1 of 2)`.
 */
export function flatten(body: unknown): Map<string, FieldValue> {
  const leaves = new Map<string, FieldValue>()
  const add = (path: string, value: unknown, depth: number): void => {
    if (value === null || value === undefined || leaves.size >= MAX_FIELDS) return
    if (value instanceof ExactNumber) leaves.set(path, value.source)
    else if (typeof value !== 'object') leaves.set(path, toFieldValue(value as string | number | boolean))
    else if (depth === MAX_DEPTH) leaves.set(path, '(nested too deeply to compare)')
    else if (Array.isArray(value)) addAll(value, (at) => `${path}[${at}]`, depth)
    else if (value instanceof RepeatedMember) {
      const { values } = value
      addAll(values, (at) => `${path} (${at + 1} of ${values.length})`, depth)
    } else for (const [key, item] of Object.entries(value)) add(path === '' ? key : `${path}.${key}`, item, depth + 1)
  }
  const addAll = (values: readonly unknown[], pathOf: (at: number) => string, depth: number) => {
    for (const [at, item] of values.entries()) {
      if (leaves.size >= MAX_FIELDS) return
      add(pathOf(at), item, depth + 1)
    }
  }
  add('', body, 0)
  return leaves
}

// JSON.parse reads 1e999 as infinity and keeps −0, which JSON.stringify cannot write.
function toFieldValue(value: string | number | boolean): FieldValue {
  if (typeof value === 'string') return comparableText(value)
  if (typeof value !== 'number') return value
  return Number.isFinite(value) ? value + 0 : String(value)
}

/** The fields that differ between two documents, in the order of the later one; fields that it no longer has come last. */
export function differences(before: ReadonlyMap<string, FieldValue>, after: ReadonlyMap<string, FieldValue>) {
  const paths = new Set([...after.keys(), ...before.keys()])
  return [...paths].flatMap((field) => {
    const pair = { field, before: before.get(field) ?? null, value: after.get(field) ?? null }
    return pair.before === pair.value ? [] : [pair]
  })
}

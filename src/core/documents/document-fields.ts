import { ExactNumber, RepeatedMember } from './exact-json.js'

export type FieldValue = string | number | boolean | null

/** Deeper than any document of the API; bounds the cost of hostile nesting. */
const MAX_DEPTH = 10
/** More fields than any document of the API; the rest is ignored. */
const MAX_FIELDS = 20_000

/**
 * Flattens a document to its scalar values by path (`offer.prePayments[0].amount`), in document order. Null, absent and
 * empty values are left out. In an exact body (exact-json.ts), numbers that a double cannot hold become text, and the values of a
 * repeated member get numbered paths: `state (1 of 2)`.
 */
export function flatten(body: unknown): Map<string, FieldValue> {
  const leaves = new Map<string, FieldValue>()
  const stack: { path: string; value: unknown; depth: number }[] = [{ path: '', value: body, depth: 0 }]
  for (let next = stack.pop(); next !== undefined && leaves.size < MAX_FIELDS; next = stack.pop()) {
    const { path, value, depth } = next
    if (value === null || value === undefined) continue
    if (value instanceof ExactNumber) leaves.set(path, value.source)
    else if (typeof value !== 'object') leaves.set(path, toFieldValue(value as string | number | boolean))
    else if (depth === MAX_DEPTH) leaves.set(path, '(nested too deeply to compare)')
    else
      stack.push(
        ...membersOf(value, path)
          .reverse()
          .map((member) => ({ ...member, depth: depth + 1 })),
      )
  }
  return leaves
}

// JSON.parse reads 1e999 as infinity and keeps −0, which JSON.stringify cannot write.
function toFieldValue(value: string | number | boolean): FieldValue {
  if (typeof value !== 'number') return value
  return Number.isFinite(value) ? value + 0 : String(value)
}

function membersOf(value: object, path: string): { path: string; value: unknown }[] {
  if (Array.isArray(value))
    return value.slice(0, MAX_FIELDS).map((item, at) => ({ path: `${path}[${at}]`, value: item }))
  if (value instanceof RepeatedMember) {
    const { values } = value
    return values
      .slice(0, MAX_FIELDS)
      .map((item, at) => ({ path: `${path} (${at + 1} of ${values.length})`, value: item }))
  }
  const members = Object.entries(value).slice(0, MAX_FIELDS)
  return members.map(([key, item]) => ({ path: path === '' ? key : `${path}.${key}`, value: item }))
}

/** The fields that differ between two documents, in the order of the later one; fields that it no longer has come last. */
export function differences(before: ReadonlyMap<string, FieldValue>, after: ReadonlyMap<string, FieldValue>) {
  const paths = new Set([...after.keys(), ...before.keys()])
  return [...paths].flatMap((field) => {
    const pair = { field, before: before.get(field) ?? null, value: after.get(field) ?? null }
    return pair.before === pair.value ? [] : [pair]
  })
}

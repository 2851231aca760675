import { toStoredText } from '../documents/stored-text.js'

/** Documents that are nested deeper would exhaust the stack of the server. */
const MAX_DEPTH = 500
/** Characters that `jsonb` rejects, as JSON.stringify escapes them: NUL and lone surrogates. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

/**
 * Converts a parsed document for a `jsonb` column: escapes characters that cannot be stored, as in identifiers (docs/DATABASE.md).
 * @returns null if PostgreSQL cannot store the document
 */
export function toJsonb(document: unknown): unknown {
  let text: string
  try {
    text = JSON.stringify(document) ?? 'null'
  } catch {
    return null
  }
  if (depthOf(text) > MAX_DEPTH) return null
  return UNSTORABLE.test(text) ? JSON.parse(text, storable) : document
}

/** A reviver for JSON.parse. The keys of an object are escaped with the object. */
function storable(_: string, value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [toStoredText(key), member]))
}

/** An upper bound of how deep a JSON text is nested: it also counts brackets within strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return deepest
}

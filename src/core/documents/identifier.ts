/**
 * Whether an identifier can be part of a URL. Servers and proxies resolve `.` and `..` even when percent-encoded, so the
 * request would reach another resource, and a lone surrogate cannot be encoded.
 */
export const isAddressable = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)

/** The text as databases can store it: U+FFFD for NUL, and for half of a surrogate pair. */
export const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '\uFFFD').toWellFormed() : text

/** Maximum number of characters in a usable identifier: a key of PostgreSQL has at most 2,704 bytes, and may have two. */
export const MAX_IDENTIFIER_LENGTH = 150

/**
 * Whether an identifier can be a key. A document with one that is longer, or cannot be stored, is treated as having none: identifiers are
 * repeated in each version, problem and index entry, and no marketplace has such ones.
 */
export const isUsableIdentifier = (id: string): boolean =>
  id !== '' && id.length <= MAX_IDENTIFIER_LENGTH && storable(id) === id

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text has the form of a UUID. */
export const isUuid = (text: string): boolean => text.length === 36 && UUID.test(text)

/** An identifier in the form in which it is compared: a UUID in lower case. Stored and requested is the one that was listed. */
export function comparableId(id: string): string {
  const lower = id.toLowerCase()
  return lower !== id && isUuid(id) ? lower : id
}

/** The forms in which a stored identifier is looked for: as it is, and a UUID in lower and in upper case. */
export const formsOfId = (id: string): string[] => (isUuid(id) ? [id, id.toLowerCase(), id.toUpperCase()] : [id])

/** A map by identifier, compared by `comparableId`. */
export class IdMap<T> extends Map<string, T> {
  override get(id: string): T | undefined {
    return super.get(comparableId(id))
  }

  override has(id: string): boolean {
    return super.has(comparableId(id))
  }

  override set(id: string, value: T): this {
    return super.set(comparableId(id), value)
  }
}

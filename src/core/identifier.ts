/**
 * Whether an identifier can be part of a URL. Servers and proxies resolve `.` and `..` even when percent-encoded, so the
 * request would reach another resource, and a lone surrogate cannot be encoded.
 */
export const isAddressable = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)

/**
 * Longer identifiers are not used: a document with one counts as a document without. An identifier is stored with each
 * version, problem and index entry, so that a long one would take many times its size.
 */
export const MAX_IDENTIFIER_LENGTH = 1000

/**
 * Whether an identifier can be part of a URL. Servers and proxies resolve `.` and `..` even when percent-encoded, so the
 * request would reach another resource, and a lone surrogate cannot be encoded.
 */
export const isAddressable = (id: string): boolean =>
  id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id)

/** Maximum number of characters in a usable identifier. */
export const MAX_IDENTIFIER_LENGTH = 500
/** A key of PostgreSQL has at most 2,704 bytes, and may have two identifiers. */
const MAX_IDENTIFIER_BYTES = 1000

/**
 * Whether an identifier can be a key. A document with a longer one is treated as having none: identifiers are
 * repeated in each version, problem and index entry, and no marketplace has such long ones.
 */
export const isUsableIdentifier = (id: string): boolean =>
  id !== '' && id.length <= MAX_IDENTIFIER_LENGTH && Buffer.byteLength(JSON.stringify(id)) - 2 <= MAX_IDENTIFIER_BYTES

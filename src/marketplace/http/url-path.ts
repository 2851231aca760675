import { isAddressable } from '../../core/documents/identifier.js'

/**
 * Joins and percent-encodes a URL path.
 * @param base already encoded, without a trailing slash
 * @param segments not encoded
 * @returns null if a segment cannot be part of a URL
 */
export function encodePath(base: string, segments: readonly string[]): string | null {
  let path = base
  for (const segment of segments) {
    if (PLAIN.test(segment)) path += `/${segment}`
    else if (isAddressable(segment)) path += `/${encodeURIComponent(segment)}`
    else return null
  }
  return path
}

/** Most segments, such as a UUID: encoding changes nothing. */
const PLAIN = /^[\w-]+$/

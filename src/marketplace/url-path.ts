import { isAddressable } from '../domain/identifier.js'

/**
 * Joins and percent-encodes a URL path.
 * @param base already encoded, without a trailing slash
 * @param segments not encoded
 * @returns null if a segment cannot be part of a URL
 */
export const encodePath = (base: string, segments: readonly string[]): string | null =>
  segments.every(isAddressable) ? [base, ...segments.map(encodeURIComponent)].join('/') : null

/**
 * Joins and percent-encodes a URL path.
 * @param base already encoded, without a trailing slash
 * @param segments not encoded
 * @returns null if a segment cannot be part of a URL: empty, `.` or `..` (servers and proxies resolve these even when
 *   percent-encoded, so the request would reach another resource), or a lone surrogate
 */
export function encodePath(base: string, segments: readonly string[]): string | null {
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return null
  try {
    return [base, ...segments.map(encodeURIComponent)].join('/')
  } catch {
    return null
  }
}

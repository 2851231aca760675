/**
 * The path of an operation, or null where a segment cannot stand in an address: empty, `.` and `..` (servers and
 * proxies resolve those even percent-encoded, so that the request would reach another address) or half of a surrogate
 * pair.
 * @param base what is encoded already, without a trailing slash
 * @param segments unencoded
 */
export function encodePath(base: string, segments: readonly string[]): string | null {
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return null
  try {
    return [base, ...segments.map(encodeURIComponent)].join('/')
  } catch {
    return null
  }
}

import { isSecureUrl } from '../requests/loopback.js'

/** Where exchange rates are read from. */
export type RateSource = ({ kind: 'file'; path: string } | { kind: 'url'; url: string }) & {
  /** The name for settings and messages: the path as configured, or the URL without its query, which may contain a secret. */
  name: string
}

/** What `parseRateSource` accepts. */
export const RATE_SOURCES =
  'the path of a file, or an https URL without user and password (http on loopback only), with rates like those of ' +
  'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip'

/** The maintenance task that reads a source. Each source has a separate task, so that a new source is due at once. */
export const ratesTask = ({ name }: RateSource) => `rates ${name}` as const

/**
 * Parses a path or a URL.
 * @param toPath makes a path absolute
 * @returns null if it is a URL that is not allowed
 */
export function parseRateSource(text: string, toPath: (path: string) => string): RateSource | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'file', path: toPath(text), name: text }
  if (!isSecureUrl(text)) return null
  const { username, password, origin, pathname, href } = new URL(text)
  if (username !== '' || password !== '') return null
  return { kind: 'url', url: href, name: `${origin}${pathname}` }
}

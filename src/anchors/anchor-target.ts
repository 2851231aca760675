import { isLoopback } from '../core/requests/loopback.js'

/** Where anchors are sent or appended. */
export type AnchorTarget = { kind: 'file'; path: string } | { kind: 'url'; url: string }

/** What `parseAnchorTarget` accepts. */
export const ANCHOR_TARGETS = 'the path of a file, or an https URL without user and password (http on loopback only)'

/**
 * Parses a path or a URL.
 * @param toPath makes a path absolute
 * @returns null if it is a URL that is not allowed
 */
export function parseAnchorTarget(text: string, toPath: (path: string) => string): AnchorTarget | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'file', path: toPath(text) }
  if (!URL.canParse(text)) return null
  const { protocol, hostname, username, password, href } = new URL(text)
  const secure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return secure && username === '' && password === '' ? { kind: 'url', url: href } : null
}

/** The name of a target for messages; only the origin of a URL, because its path and query may contain a secret. */
export const describeTarget = (target: AnchorTarget): string =>
  target.kind === 'file' ? target.path : new URL(target.url).origin

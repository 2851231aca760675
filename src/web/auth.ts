import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Whether an Authorization header is `Bearer` and the token. Takes the same time for every wrong one.
 */
export function hasToken(header: string | undefined, token: string): boolean {
  const [, given] = /^Bearer (.+)$/i.exec(header ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}
const digest = (text: string) => createHash('sha256').update(text).digest()

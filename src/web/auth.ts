import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an Authorization header is `Bearer` with the token. Compares in constant time. */
export function hasToken(header: string | undefined, token: string): boolean {
  const [, sent] = /^Bearer (.+)$/i.exec(header ?? '') ?? []
  return sent !== undefined && timingSafeEqual(digest(sent), digest(token))
}
const digest = (text: string) => createHash('sha256').update(text).digest()

import { createHash, timingSafeEqual } from 'node:crypto'

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i

/** Whether a server bound to this host can only be reached from this machine. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Whether a Host header names this machine, with or without a port. */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  return header !== undefined && LOOPBACK.test(header.replace(/:\d{1,5}$/, ''))
}

/**
 * Whether an Authorization header is `Bearer` and the token. Takes the same time for every wrong one.
 */
export function hasToken(header: string | undefined, token: string): boolean {
  const [, given] = /^Bearer (.+)$/i.exec(header ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}
const digest = (text: string) => createHash('sha256').update(text).digest()

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../domain/clock.js'
import type { AccessToken } from './tokens.js'
import type { User } from './user.js'

/** Hours until a session ends, whether it is used or not. */
export const SESSION_HOURS = 12

/** A session of a signed-in user. */
export interface Session {
  id: string
  user: User
  expiresAt: Date
}

export interface Sessions {
  /** Starts a session; the value is for a cookie. */
  start(owner: AccessToken): string
  /** The session of a cookie; null if it was never issued, has expired or was ended, or if its token was replaced. */
  read(cookie: string): Session | null
  end(id: string): void
}

/**
 * Sessions live in the cookie, signed for this process and with the token of their user: they end when the process does, so
 * that one that was ended stays ended, and when the token is removed from the configuration.
 */
export function createSessions(tokens: readonly AccessToken[], now: Clock): Sessions {
  const key = randomBytes(32)
  const signatureOf = (text: string, token: string) =>
    createHmac('sha256', key).update(`${text} ${token}`).digest('base64url')
  /** Ids of ended sessions, and when they would have expired. */
  const ended = new Map<string, Date>()
  return {
    start({ name, token }) {
      const expires = now().getTime() + SESSION_HOURS * 3_600_000
      const content = Buffer.from(JSON.stringify([name, randomBytes(12).toString('base64url'), expires]))
      const text = content.toString('base64url')
      return `${text}.${signatureOf(text, token)}`
    },
    read(cookie) {
      const [text = '', signature = ''] = cookie.split('.')
      const owner = tokens.find(({ token }) => equal(signature, signatureOf(text, token)))
      if (owner === undefined) return null
      const [name, id, expires] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string, number]
      if (name !== owner.name || expires <= now().getTime() || ended.has(id)) return null
      return { id, user: { name, role: owner.role }, expiresAt: new Date(expires) }
    },
    end(id) {
      const at = now()
      for (const [other, expiresAt] of ended) if (expiresAt <= at) ended.delete(other)
      ended.set(id, new Date(at.getTime() + SESSION_HOURS * 3_600_000))
    },
  }
}

const equal = (one: string, other: string) => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

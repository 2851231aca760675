import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/time/clock.js'
import type { User } from './users.js'

/** Hours until a session ends, whether it is used or not. */
export const SESSION_HOURS = 12
/** Idle timeout, in minutes, of a session whose cookie is sent without TLS, and so to every port of the host. */
const IDLE_MINUTES = 60
/** Sessions of one user. A further one ends the oldest. */
const MAX_SESSIONS = 20

/** A session of a signed-in user. */
export interface Session {
  /** The value of the cookie. */
  readonly id: string
  readonly user: User
}

/**
 * Sessions live in this process and end with it, so that one that was ended stays ended, and the sessions of a token end when it
 * is removed from the configuration.
 * @param options.isSecure whether browsers send the cookie by https only
 */
export function createSessions(now: Clock, { isSecure }: { isSecure: boolean }) {
  const maxIdleMs = (isSecure ? SESSION_HOURS * 60 : IDLE_MINUTES) * 60_000
  const sessions = new Map<string, Session & { readonly startedAt: number; usedAt: number }>()
  const removeOver = (at: number) => {
    for (const [id, { startedAt, usedAt }] of sessions)
      if (at >= Math.min(startedAt + SESSION_HOURS * 3_600_000, usedAt + maxIdleMs)) sessions.delete(id)
  }
  return {
    start(user: User): Session {
      const at = now().getTime()
      removeOver(at)
      const [oldest, ...others] = [...sessions.values()].filter((session) => session.user.name === user.name)
      if (oldest && others.length + 1 >= MAX_SESSIONS) sessions.delete(oldest.id)
      const session = { id: randomBytes(32).toString('base64url'), user, startedAt: at, usedAt: at }
      sessions.set(session.id, session)
      return session
    },
    /** The session of a cookie, which counts as a use; null if it was never started or has ended. */
    use(id: string): Session | null {
      const at = now().getTime()
      removeOver(at)
      const session = sessions.get(id)
      if (session === undefined) return null
      session.usedAt = at
      return session
    },
    end: (id: string) => void sessions.delete(id),
  }
}

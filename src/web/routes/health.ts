import { createHash } from 'node:crypto'
import { shareConcurrent } from '../../core/async.js'
import type { Readiness } from '../../readiness/contract.js'
import type { WebPlugin } from '../plugin.js'

/** Header of `/healthz`: which database the process serves, by its fingerprint. */
export const DATABASE_HEADER = 'quotekeeper-database'

/** Tells databases apart without showing their id to everybody. */
export const databaseFingerprint = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 16)

/**
 * The endpoints for monitoring, open to all clients:
 * - `GET /healthz`: liveness. Depends on nothing, so that an unavailable queue causes no restarts.
 * - `GET /readyz`: readiness. 200 if every check passes, else 503; lists the checks for known users only.
 * @param databaseId the id of the database, if other processes may recognize by it what this one serves
 */
export function healthRoutes(readiness: Readiness, databaseId: string | null = null): WebPlugin {
  const runChecks = shareConcurrent(readiness)
  const fingerprint = databaseId === null ? {} : { [DATABASE_HEADER]: databaseFingerprint(databaseId) }
  return (app) => {
    app.get('/healthz', { config: { access: 'public' } }, async (_request, reply) => {
      reply.headers(fingerprint)
      return { status: 'ok' }
    })
    app.get('/readyz', { config: { access: 'public' } }, async ({ user }, reply) => {
      const checks = await runChecks()
      const ready = checks.every(({ ok }) => ok)
      reply.code(ready ? 200 : 503)
      return user === null ? { ready } : { ready, checks }
    })
  }
}

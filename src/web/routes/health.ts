import { shareConcurrent } from '../../core/async.js'
import type { Readiness } from '../../readiness/readiness.js'
import type { WebPlugin } from '../plugin.js'

/**
 * The endpoints for monitoring, open to all clients:
 * - `GET /healthz`: liveness. Depends on nothing, so that an unavailable queue causes no restarts.
 * - `GET /readyz`: readiness. 200 if every check passes, else 503; lists the checks for known users only.
 */
export function healthRoutes(readiness: Readiness): WebPlugin {
  const runChecks = shareConcurrent(readiness)
  return (app) => {
    app.get('/healthz', { config: { access: 'public' } }, async () => ({ status: 'ok' }))
    app.get('/readyz', { config: { access: 'public' } }, async ({ user }, reply) => {
      const checks = await runChecks()
      const ready = checks.every(({ ok }) => ok)
      reply.code(ready ? 200 : 503)
      return user === null ? { ready } : { ready, checks }
    })
  }
}

import type { Readiness } from '../domain/readiness.js'
import { type Route, type ServerOptions, startServer, type WebServer } from './server.js'

/**
 * The endpoints for monitoring, open to all clients:
 * - `GET /healthz`: liveness. Depends on nothing, so that an unavailable queue causes no restarts.
 * - `GET /readyz`: readiness. 200 if every check passes, else 503; lists the checks for trusted clients only.
 */
function healthRoutes(readiness: Readiness): Route[] {
  const runChecks = shareConcurrent(readiness)
  return [
    { path: '/healthz', methods: ['GET'], handle: async () => ({ status: 200, body: { status: 'ok' } }) },
    {
      path: '/readyz',
      methods: ['GET'],
      async handle({ trusted }) {
        const checks = await runChecks()
        const ready = checks.every(({ ok }) => ok)
        return { status: ready ? 200 : 503, body: trusted ? { ready, checks } : { ready } }
      },
    },
  ]
}

/**
 * Starts a web server with the health endpoints and any further routes.
 * @throws ListenError
 */
export function startHealthServer(
  options: Omit<ServerOptions, 'routes'> & { readiness: Readiness; routes?: readonly Route[] },
): Promise<WebServer> {
  const { readiness, routes = [], ...server } = options
  return startServer({ ...server, routes: [...healthRoutes(readiness), ...routes] })
}

/** Callers during a running call share its result, so that frequent probes cost no more. */
function shareConcurrent<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= call().finally(() => {
      running = null
    })
    return running
  }
}

import type { Readiness } from '../domain/readiness.js'
import { type Route, type ServerOptions, startServer, type WebServer } from './server.js'

/**
 * The two paths for whoever watches the service:
 * - `GET /healthz`: the process lives. Depends on nothing, so that a lost queue restarts nothing.
 * - `GET /readyz`: 200 when every check holds, else 503; names each check to who may see it, else only the verdict.
 * Both are open to all who can connect; the details need the token where there is one.
 */
export function healthRoutes(readiness: Readiness): Route[] {
  const check = shared(readiness)
  return [
    { path: '/healthz', methods: ['GET'], answer: async () => ({ status: 200, body: { status: 'ok' } }) },
    {
      path: '/readyz',
      methods: ['GET'],
      async answer({ trusted }) {
        const checks = await check()
        const ready = checks.every(({ ok }) => ok)
        return { status: ready ? 200 : 503, body: trusted ? { ready, checks } : { ready } }
      },
    },
  ]
}

/** Serves health and whatever other routes are handed in. Errors: ListenError. */
export function startHealthServer(
  options: Omit<ServerOptions, 'routes'> & { readiness: Readiness; routes?: readonly Route[] },
): Promise<WebServer> {
  const { readiness, routes = [], ...server } = options
  return startServer({ ...server, routes: [...healthRoutes(readiness), ...routes] })
}

/** Who asks while an answer is under way gets the same one: asking often costs nothing. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null
    })
    return underWay
  }
}

import type { AddressInfo } from 'node:net'
import compress from '@fastify/compress'
import formbody from '@fastify/formbody'
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify'
import { type AccessOptions, addAccessControl, hasUsers, isLocal } from './access/access-control.js'
import { API_PREFIX, PROBLEM_TYPE, toProblem } from './api/problem.js'
import { addErrorResponses } from './http/error-responses.js'
import { toListenError } from './http/errors.js'
import { checkRequestValues } from './http/request-values.js'
import type { WebPlugin } from './plugin.js'
import { assetRoutes } from './routes/assets.js'
import { signInRoutes } from './routes/sign-in.js'

/** Ways to sign in may be absent only if no other machine can reach the server. */
export interface ServerOptions extends AccessOptions {
  /** 0: any free port. */
  port: number
  /** What the server serves. */
  plugins: readonly WebPlugin[]
  /** Called when a route fails; the client gets no details. */
  onError: (error: unknown) => void
}

export interface WebServer {
  /** Address it listens on. */
  readonly url: string
  /** Stops listening and closes all connections. */
  close(): Promise<void>
}

/**
 * Serves routes over HTTP. Requests for another host name are rejected, so that no web page can reach the server by DNS rebinding
 * (host-header.ts).
 * @throws ListenError
 */
export async function startWebServer(options: ServerOptions): Promise<WebServer> {
  const app = await createWebApp(options)
  const { host, port } = options
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw toListenError(error as NodeJS.ErrnoException, host, port)
  }
  const { address, port: listening, family } = app.server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${listening}`,
    close: async () => void (await app.close()),
  }
}

/** The server without a socket, for tests that `inject` requests. */
export async function createWebApp(options: ServerOptions): Promise<FastifyInstance> {
  if (!isLocal(options) && !hasUsers(options))
    throw new TypeError('a token is required unless only this machine can reach the server')
  const app = fastify({
    ...LIMITS,
    logger: false,
    forceCloseConnections: true,
    frameworkErrors: rejectAddress as NonNullable<FastifyServerOptions['frameworkErrors']>,
  })
  app.server.maxConnections = MAX_CONNECTIONS
  app.setReplySerializer((payload) => `${JSON.stringify(payload)}\n`)
  addErrorResponses(app, options.onError)
  addSecurityHeaders(app)
  await app.register(compress, { encodings: ['gzip', 'identity'], globalDecompression: false })
  await app.register(formbody)
  await addAccessControl(app, options)
  checkRequestValues(app)
  for (const plugin of [assetRoutes, signInRoutes, ...options.plugins])
    await app.register(async (scope) => plugin(scope))
  await app.ready()
  return app
}

/**
 * Of a request line and its headers, in bytes. An identifier of 1,000 bytes takes 3,000 percent-encoded, and the address of an offer has that
 * of its RFQ too.
 */
const MAX_HEADER_SIZE = 16_384

/** Connections at the same time. Those of clients that are slow to send a request end after the time-outs below, in milliseconds. */
const MAX_CONNECTIONS = 1_000
const LIMITS = {
  bodyLimit: 65_536,
  // No route has a pattern that is slow to match; the length of the whole address is limited.
  routerOptions: { maxParamLength: MAX_HEADER_SIZE },
  // Longer than any page takes.
  connectionTimeout: 120_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  http: { headersTimeout: 3_000, connectionsCheckingInterval: 1_000, maxHeaderSize: MAX_HEADER_SIZE },
}

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Answers a request whose address cannot be routed. No hook runs for it. */
const rejectAddress = (_error: unknown, { url }: FastifyRequest, reply: FastifyReply) => {
  const message = 'invalid request address'
  void reply.code(400).headers(SECURITY_HEADERS)
  return url.startsWith(API_PREFIX)
    ? reply.type(PROBLEM_TYPE).send(`${JSON.stringify(toProblem(400, message))}\n`)
    : reply.type('application/json').send(`${JSON.stringify({ error: message })}\n`)
}

/** Sets the headers of every response; a route may override them. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS))
}

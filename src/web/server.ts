import type { AddressInfo } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyServerOptions, fastify } from 'fastify'
import { isLoopback, isLoopbackHostHeader } from '../domain/loopback.js'
import { identifyUser } from './access/identify-user.js'
import { mayUse, type RouteAccess } from './access/user.js'
import { addErrorResponses } from './error-responses.js'
import { HttpError, toListenError } from './errors.js'
import type { WebPlugin } from './plugin.js'

export interface ServerOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** Required to see anything but `public` routes; may be null on loopback only. */
  token: string | null
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
 * Serves routes over HTTP. A server bound to loopback rejects requests for any other host name, so that no web page can
 * reach it by DNS rebinding.
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
  if (options.token === null && !isLoopback(options.host))
    throw new TypeError('a token is required unless the host is a loopback address')
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
  addAccessControl(app, options)
  for (const plugin of options.plugins) await app.register(async (scope) => plugin(scope))
  await app.ready()
  return app
}

const LIMITS = {
  bodyLimit: 65_536,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  http: { headersTimeout: 3_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 8_192 },
}
const MAX_CONNECTIONS = 100

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Answers a request whose address cannot be routed. No hook runs for it. */
const rejectAddress = (_error: unknown, _request: unknown, reply: FastifyReply) =>
  reply.code(400).headers(SECURITY_HEADERS).type('application/json').send('{"error":"invalid request address"}\n')

/** Sets the headers of every response; a route may override them. */
function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS))
}

function addAccessControl(app: FastifyInstance, { host, token }: ServerOptions): void {
  const onLoopback = isLoopback(host)
  app.decorateRequest('user', null)
  app.addHook('onRequest', async (request, reply) => {
    if (onLoopback && !isLoopbackHostHeader(request.headers.host))
      throw new HttpError(421, 'this server accepts requests for localhost and 127.0.0.1 only')
    request.user = identifyUser(request.headers.authorization, token)
    const { method, routeOptions } = request
    if (routeOptions.url === undefined || mayUse(request.user, routeAccess(method, routeOptions.config.access))) return
    if (request.user !== null) throw new HttpError(403, 'this needs the role operator')
    reply.header('www-authenticate', 'Bearer')
    throw new HttpError(401, 'send the header: Authorization: Bearer TOKEN')
  })
}

/** Reading is for viewers, anything else for operators, unless a route says otherwise. */
const routeAccess = (method: string, access: RouteAccess | undefined): RouteAccess =>
  access ?? (method === 'GET' || method === 'HEAD' ? 'viewer' : 'operator')

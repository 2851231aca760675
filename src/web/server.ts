import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback, isLoopbackHostHeader } from '../domain/loopback.js'
import { hasToken } from './auth.js'
import { toListenError } from './errors.js'

/** Handles the requests to one path. */
export interface Route {
  path: string
  methods: readonly ('GET' | 'POST')[]
  handle(request: RouteRequest): Promise<RouteResponse>
}

interface RouteRequest {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  /** Sent the token, or the server has none and is bound to loopback. */
  trusted: boolean
}

interface RouteResponse {
  status: number
  /** An object is sent as JSON. */
  body: object | string
  headers?: Record<string, string>
}

export interface ServerOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** Required to see details; may be null on loopback only. */
  token: string | null
  routes: readonly Route[]
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
export async function startServer(options: ServerOptions): Promise<WebServer> {
  if (options.token === null && !isLoopback(options.host))
    throw new TypeError('a token is required unless the host is a loopback address')
  const server = createServer(LIMITS, (request, response) => void respond(options, request, response))
  server.maxConnections = 100
  await listen(server, options)
  const { address, port, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const LIMITS = {
  headersTimeout: 3_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 8_192,
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)))
    server.listen({ host, port }, resolve)
  })
}

async function respond(options: ServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume() // No route reads a body; discard it.
  try {
    send(request, response, await routeRequest(options, request))
  } catch (error) {
    options.onError(error)
    send(request, response, errorResponse(500, 'internal error; see the log'))
  }
}

async function routeRequest(options: ServerOptions, request: IncomingMessage): Promise<RouteResponse> {
  const { method = '', headers } = request
  if (isLoopback(options.host) && !isLoopbackHostHeader(headers.host)) {
    return errorResponse(421, 'this server accepts requests for localhost and 127.0.0.1 only')
  }
  const target = `http://localhost${request.url}`
  if (!request.url?.startsWith('/') || !URL.canParse(target)) return errorResponse(400, 'invalid request address')
  const url = new URL(target)
  const route = options.routes.find(({ path }) => path === url.pathname)
  if (route === undefined) return errorResponse(404, 'not found')
  const allowed: string[] = route.methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
  if (!allowed.includes(method))
    return { ...errorResponse(405, 'method not allowed'), headers: { allow: allowed.join(', ') } }
  const trusted = options.token === null || hasToken(headers.authorization, options.token)
  return route.handle({ method, url, headers, trusted })
}

const errorResponse = (status: number, message: string): RouteResponse => ({ status, body: { error: message } })

function send({ method }: IncomingMessage, response: ServerResponse, { status, body, headers }: RouteResponse): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...headers,
  })
  response.end(method === 'HEAD' ? undefined : text)
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback, isLoopbackHostHeader } from '../domain/loopback.js'
import { hasToken } from './auth.js'
import { toListenError } from './errors.js'

/** What answers one path. */
export interface Route {
  path: string
  methods: readonly ('GET' | 'POST')[]
  answer(request: RouteRequest): Promise<RouteResponse>
}

export interface RouteRequest {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  /** May see everything: came with the token, or the server is bound to loopback and has none. */
  trusted: boolean
}

export interface RouteResponse {
  status: number
  /** An object is sent as JSON. */
  body: object | string
  headers?: Record<string, string>
}

export interface ServerOptions {
  host: string
  /** 0: any free one. */
  port: number
  /** Who holds it may see everything; null only on loopback. */
  token: string | null
  routes: readonly Route[]
  /** Told of an answer that failed: the one who asked learns nothing of it. */
  onError: (error: unknown) => void
}

export interface WebServer {
  /** Where it listens. */
  readonly url: string
  /** Stops listening and ends all connections. */
  close(): Promise<void>
}

/**
 * Serves routes over HTTP. Bound to loopback, it answers only who names loopback as host, so that no web page elsewhere
 * can reach it by a name of its own (DNS rebinding).
 * @throws ListenError with the remedy
 */
export async function startServer(options: ServerOptions): Promise<WebServer> {
  if (options.token === null && !isLoopback(options.host)) throw new TypeError('off loopback a token is required')
  const server = createServer(limits, (request, response) => void respond(options, request, response))
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

const limits = {
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
  request.resume() // No route reads a body yet; one that is sent is let pass.
  try {
    send(request, response, await answer(options, request))
  } catch (error) {
    options.onError(error)
    send(request, response, refusal(500, 'this failed; the log says why'))
  }
}

async function answer(options: ServerOptions, request: IncomingMessage): Promise<RouteResponse> {
  const { method = '', headers } = request
  if (isLoopback(options.host) && !isLoopbackHostHeader(headers.host)) {
    return refusal(421, 'this server answers to localhost and 127.0.0.1 only')
  }
  const target = `http://localhost${request.url}`
  if (!request.url?.startsWith('/') || !URL.canParse(target)) return refusal(400, 'the address of the request is none')
  const url = new URL(target)
  const route = options.routes.find(({ path }) => path === url.pathname)
  if (route === undefined) return refusal(404, 'there is nothing here')
  const allowed: string[] = route.methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one]))
  if (!allowed.includes(method)) return { ...refusal(405, 'not this way'), headers: { allow: allowed.join(', ') } }
  const trusted = options.token === null || hasToken(headers.authorization, options.token)
  return route.answer({ method, url, headers, trusted })
}

const refusal = (status: number, message: string): RouteResponse => ({ status, body: { error: message } })

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

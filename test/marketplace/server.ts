import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import { onTestFinished } from 'vitest'
import { createMarketplace } from '../../src/marketplace/client.js'
import type { ChannelSession, Marketplace, MarketplaceOptions, RequestLimits } from '../../src/marketplace/contract.js'

type RequestHandler = (request: IncomingMessage, response: ServerResponse, number: number) => void

interface TestServer {
  url: string
  /** Requests received, in order. */
  requests: IncomingMessage[]
}

/** A real HTTP server for one test. `handle` receives the number of the request, from 1. */
export async function serve(handle: RequestHandler): Promise<TestServer> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    handle(request, response, requests.length)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: await listening(server), requests }
}

/** A server whose RFQs can be read: only its other requests reach `handle`, and count. */
export async function serveCloses(handle: RequestHandler): Promise<TestServer> {
  const requests: IncomingMessage[] = []
  const { url } = await serve((request, response) => {
    const [, id] = /\/rfqs\/([^/]+)$/.exec(request.url ?? '') ?? []
    if (request.method === 'GET' && id) return json(response, 200, { id })
    requests.push(request)
    handle(request, response, requests.length)
  })
  return { url, requests }
}

/** A TCP server that may write anything: `handle` is called for each request header received. */
export async function serveRaw(handle: (socket: Socket, head: string, number: number) => void) {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      heads.push(data.toString('latin1'))
      handle(socket, data.toString('latin1'), heads.length)
    })
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const close = () => {
    server.close()
  }
  return { url: await listening(server), heads, close }
}

/** The URL of a port where nothing listens. */
export async function deadUrl(): Promise<string> {
  const server = createSocketServer()
  const url = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return url
}

/** Starts a server on a free port. @returns its URL */
export async function listening(server: HttpServer | SocketServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const LIMITS: RequestLimits = {
  concurrency: 8,
  perSecond: 1_000_000,
  timeoutMs: 5000,
  retries: 3,
  maxBodyMiB: 1,
}
export const KEY = 'secret-key-0123456789'
export const CHANNEL = { org: 'acme', channel: 'forest', apiKey: KEY }

type Overrides = Partial<Omit<MarketplaceOptions, 'limits'>> & { limits?: Partial<RequestLimits> }

/** A client for one test, with very short waits between retries. */
export function open(baseUrl: string, overrides: Overrides = {}): Marketplace {
  const { limits, ...rest } = overrides
  const backoff = { minTimeout: 1, maxTimeout: 4 }
  const marketplace = createMarketplace({
    baseUrl,
    version: '1.2.3',
    backoff,
    ...rest,
    limits: { ...LIMITS, ...limits },
  })
  onTestFinished(() => marketplace.close())
  return marketplace
}

export const session = (baseUrl: string, overrides: Overrides = {}): ChannelSession =>
  open(baseUrl, overrides).session(CHANNEL)

/** Reads an RFQ and closes it. */
export async function close(channel: ChannelSession, id = 'r1', refuseStart: () => string | null = () => null) {
  const slot = await channel.readForClose(id)
  return slot.close(refuseStart).finally(() => slot.release())
}

/** The error of a rejected call; throws if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<Error> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error)) throw new Error('the call succeeded, or threw something other than an Error')
  return outcome
}

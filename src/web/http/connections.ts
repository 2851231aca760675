import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroup } from '../access/proxies.js'

/**
 * Of a request line and its headers, in bytes. An identifier of 1,000 bytes takes 3,000 percent-encoded, and the address of an offer has that
 * of its RFQ too.
 */
export const MAX_HEADER_SIZE = 16_384

/** Time-outs are in milliseconds. */
const HTTP_LIMITS = {
  headersTimeout: 3_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: MAX_HEADER_SIZE,
}
/** Idle timeout of a connection, in milliseconds; longer than any page takes. */
const INACTIVITY_TIMEOUT = 120_000
/** Connections that are open at the same time. */
const MAX_CONNECTIONS = 200
/** Maximum number of connections from one address: fewer than in total, so that other clients can always connect. */
const MAX_OF_ADDRESS = 100

interface Connection {
  address: string
  /** The request that is sent or answered; null before the first and after each response. */
  exchange: { request: IncomingMessage; response: ServerResponse } | null
}

/**
 * An HTTP server that limits its connections, in all and from each address. A new one above a limit ends the one that has waited longest for
 * its client, to send a complete request or to read the response, so that slow clients keep nobody out. If the server owes all of
 * them a response, the new one is ended.
 */
export function createHttpServer(handler: RequestListener): Server {
  const server = createServer(HTTP_LIMITS, handler)
  server.setTimeout(INACTIVITY_TIMEOUT)
  /** Those that have waited longest come first. */
  const open = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    const address = addressGroup(socket.remoteAddress ?? '')
    const ended = findConnectionToEnd([...open], address)
    if (ended === 'none') return void socket.destroy()
    if (ended !== null) {
      open.delete(ended)
      ended.destroy()
    }
    open.set(socket, { address, exchange: null })
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const connection = open.get(socket)
    if (connection === undefined) return
    const exchange = { request, response }
    connection.exchange = exchange
    response.once('close', () => {
      if (connection.exchange !== exchange || !open.delete(socket)) return
      connection.exchange = null
      open.set(socket, connection)
    })
  })
  return server
}

/** The connection to end for a new one. Null: none is needed; `none`: none can be ended. */
function findConnectionToEnd(open: readonly [Socket, Connection][], address: string): Socket | 'none' | null {
  const own = open.filter(([, connection]) => connection.address === address)
  const full = own.length >= MAX_OF_ADDRESS ? own : open.length >= MAX_CONNECTIONS ? open : null
  if (full === null) return null
  return full.find(([, connection]) => waitsForClient(connection))?.[0] ?? 'none'
}

const waitsForClient = ({ exchange }: Connection): boolean =>
  exchange === null || !exchange.request.complete || exchange.response.writableEnded

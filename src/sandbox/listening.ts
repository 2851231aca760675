import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens. */
export interface Listening {
  url: string
  port: number
  /** Ends all connections, whatever is under way. */
  close(): Promise<void>
}

/**
 * Opens a port. Rejects with the system's error where it is taken.
 * @param at host, and port (0: any free one)
 */
export async function listen(listener: RequestListener, at: { host: string; port: number }): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  answerNonsense(server)
  await opened(server, at)
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    port,
    close: () => closed(server),
  }
}

/** Bytes that are no HTTP get 400 and the end of their connection. */
function answerNonsense(server: Server): void {
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
}

function opened(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

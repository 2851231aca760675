import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SandboxError } from './sandbox-error.js'

export interface RunningServer {
  url: string
  port: number
  /** Stops listening and closes all connections, even those with a request in progress. */
  close(): Promise<void>
}

/**
 * Starts an HTTP server. Rejects with `SandboxError` if it cannot listen on the address.
 * @param address host, and port (0 for any free one)
 */
export async function listen(
  listener: RequestListener,
  address: { host: string; port: number },
): Promise<RunningServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  rejectInvalidHttp(server)
  await startListening(server, address)
  const { address: host, port } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: () => closeServer(server),
  }
}

/** Replies 400 to bytes that are not HTTP, and closes their connection. */
function rejectInvalidHttp(server: Server): void {
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
}

function startListening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, `${host}:${port}`))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function listenError(error: NodeJS.ErrnoException, address: string): SandboxError {
  const reason = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
  return new SandboxError(`The sandbox cannot listen on ${address}: ${reason}. Choose another port.`, { cause: error })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

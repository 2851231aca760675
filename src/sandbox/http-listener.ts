import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SandboxError } from './sandbox-error.js'

/** A server that listens. */
export interface Listening {
  url: string
  port: number
  /** Ends all connections, whatever is under way. */
  close(): Promise<void>
}

/**
 * Opens a port. Rejects with `SandboxError` where it cannot be had.
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
    const refuse = (error: NodeJS.ErrnoException) => reject(explain(error, `${host}:${port}`))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

function explain(error: NodeJS.ErrnoException, address: string): SandboxError {
  const why = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
  return new SandboxError(`The sandbox cannot listen on ${address}: ${why}. Choose another port.`, { cause: error })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

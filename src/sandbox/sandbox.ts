import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../domain/clock.js'
import { SandboxClock } from './clock.js'
import { advance, type Happening } from './events.js'
import { FaultController } from './faults.js'
import { RequestLog, type RequestLogEntry } from './request-log.js'
import { createWorld } from './seed.js'
import { serve } from './server.js'
import type { World } from './world.js'

export interface SandboxOptions {
  /** The world to serve; without it, one is made from the seed at the present of the clock. */
  world?: World
  /** Default 1. */
  seed?: number
  /** Default 0: any free port. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The clock; default the real one. The `Date` header and all timestamps made follow it. */
  now?: Clock
  /** Requests kept in the log; default 100,000, 0 for none. */
  keepRequests?: number
}

/** A marketplace that runs. */
export interface Sandbox {
  /** `http://127.0.0.1:<port>`: the base address of the API. */
  readonly url: string
  readonly port: number
  /** A key of each organization. */
  readonly keys: Record<string, string>
  readonly world: World
  /** Requests as received and answered, oldest first. */
  readonly requests: readonly RequestLogEntry[]
  readonly log: RequestLog
  readonly faults: FaultController
  /** The sandbox's present; hand it to whoever must agree with it. */
  readonly now: Clock
  /** Stops the clock at a moment, replaces it, or (null) lets it go on from where it stands. Nothing happens by that. */
  setClock(to: Date | Clock | null): void
  /** Moves the clock ahead and lets happen what is due by then. */
  advance(to: Date): Happening[]
  /** Ends all connections, whatever is under way. */
  close(): Promise<void>
}

/**
 * Starts the marketplace on a loopback port.
 * Rejects with the system's error where the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = new SandboxClock(options.now ?? (() => new Date()))
  const world = options.world ?? createWorld({ seed: options.seed ?? 1, now: clock.now() })
  world.setClock(clock.now)
  const stage = { world, clock, faults: new FaultController(), log: new RequestLog(options.keepRequests) }
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => serve(stage, request, response))
  answerNonsense(server)
  await listen(server, options.port ?? 0, options.host ?? '127.0.0.1')
  const { address, port } = server.address() as AddressInfo
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    port,
    keys: world.keys,
    world,
    get requests() {
      return stage.log.entries
    },
    log: stage.log,
    faults: stage.faults,
    now: clock.now,
    setClock: (to) => clock.set(to),
    advance: (to) => {
      clock.advance(to)
      return advance(world, to)
    },
    close: () => close(server),
  }
}

/** Bytes that are no HTTP get 400 and the end of their connection. */
function answerNonsense(server: Server): void {
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

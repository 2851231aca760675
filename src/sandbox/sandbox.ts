import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from '../core/async.js'
import type { Clock } from '../core/time/clock.js'
import { UserFacingError } from '../core/user-facing-error.js'
import type { ReceivedRequest } from './api.js'
import { control, isControlRequest } from './control.js'
import { exchangeRates, RATES_PATH } from './exchange-rates.js'
import { Faults } from './faults.js'
import { transmit } from './reply-faults.js'
import { type ServerContext, serve } from './server.js'
import { advanceWorld, type WorldEvent } from './world/events.js'
import { createWorld } from './world/seed.js'
import type { World } from './world/world.js'

/** The sandbox cannot start. The message tells the user what to do. */
export class SandboxError extends UserFacingError {}

interface SandboxOptions {
  /** The world to serve; default: one made from the seed at the clock's time. */
  world?: World
  /** Default 1. */
  seed?: number
  /** On loopback. Default 0: any free port. */
  port?: number
  /** The clock; default real time. The `Date` header and all generated timestamps follow it. */
  now?: Clock
  /** Whether `requests` lists the requests received; default true. */
  keepRequests?: boolean
}

/** A running sandbox marketplace. */
export interface Sandbox {
  /** The base URL of the API, `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** Address of invented exchange rates, in the format of the European Central Bank. */
  readonly ratesUrl: string
  /** The API key of each organization. */
  readonly keys: Record<string, string>
  readonly world: World
  /** The requests received, oldest first. */
  readonly requests: ReceivedRequest[]
  readonly faults: Faults
  /** The sandbox's clock, to share with code that must use the same time. */
  readonly now: Clock
  /** Sets the clock, which runs on from there as before. No world events happen. */
  setClock(to: Date): void
  /** Moves the clock forward and lets the events due by then happen. */
  advance(to: Date): WorldEvent[]
  /** Closes all connections, even with requests in progress. A second call waits for the first. */
  close(): Promise<void>
}

/** Starts the marketplace on a loopback port. Rejects with `SandboxError` if the port is not available. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { now: base = () => new Date(), seed = 1, port = 0, keepRequests = true } = options
  let offsetMs = 0
  const now = () => new Date(base().getTime() + offsetMs)
  const world = options.world ?? createWorld({ seed, now: now() })
  world.now = now
  const requests: ReceivedRequest[] = []
  const context = { world, now, faults: new Faults(), requests: keepRequests ? requests : null }
  const server = await listen(context, port)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const setClock = (to: Date) => {
    offsetMs = to.getTime() - base().getTime()
  }
  return {
    ...{ url, port: (server.address() as AddressInfo).port, ratesUrl: `${url}${RATES_PATH}` },
    ...{ world, keys: world.keys, requests, faults: context.faults, now, setClock },
    advance: (to) => {
      if (to > now()) setClock(to)
      return advanceWorld(world, to)
    },
    close: once(() => closeServer(server)),
  }
}

async function handle(context: ServerContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (isControlRequest(request.url)) transmit(response, await control(context.faults, request), new Date())
  else if (request.url === RATES_PATH) transmit(response, exchangeRates(context.now()), context.now())
  else await serve(context, request, response)
}

function listen(context: ServerContext, port: number): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(context, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, port))
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail)
      resolve(server)
    })
  })
}

function listenError(error: NodeJS.ErrnoException, port: number): SandboxError {
  const reason = error.code === 'EADDRINUSE' ? 'the port is in use' : error.message
  return new SandboxError(`The sandbox cannot listen on port ${port}: ${reason}. Choose another port.`, {
    cause: error,
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

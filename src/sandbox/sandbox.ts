import type { IncomingMessage, RequestListener } from 'node:http'
import { once } from '../core/async.js'
import type { Clock } from '../core/time/clock.js'
import { type SandboxContext, serve } from './api-server.js'
import { CONTROL_PREFIX, serveControl } from './control-routes.js'
import { FaultController } from './faults/fault-controller.js'
import { listen, type RunningServer } from './http-listener.js'
import { RATES_PATH, serveRates } from './reference-rates.js'
import { RequestLog, type RequestLogEntry } from './request-log.js'
import { SandboxClock } from './world/sandbox-clock.js'
import type { World } from './world/world.js'
import { advanceWorld, type WorldEvent } from './world/world-events.js'
import { createWorld } from './world/world-seed.js'

export interface SandboxOptions {
  /** The world to serve; default: one made from the seed at the clock's time. */
  world?: World
  /** Default 1. */
  seed?: number
  /** Default 0: any free port. */
  port?: number
  /** Default 127.0.0.1. */
  host?: string
  /** The clock; default real time. The `Date` header and all generated timestamps follow it. */
  now?: Clock
  /** How many requests the log keeps; default 100,000; 0 keeps none. */
  keepRequests?: number
  /** API keys by organization, instead of those derived from the seed. */
  keys?: Readonly<Record<string, string>>
  /** Lets world events happen as the clock advances. */
  live?: LiveOptions
  /** Serves `/_sandbox/…` (docs/SANDBOX.md); default true. */
  control?: boolean
  /** Called for each world event. */
  onEvent?: (event: WorldEvent) => void
}

interface LiveOptions {
  /** How often, in real milliseconds; default 1000. */
  everyMs?: number
  /** How many milliseconds the clock additionally moves forward each time; default 0. */
  stepMs?: number
}

/** A running sandbox marketplace. */
export interface Sandbox {
  /** The base URL of the API, `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** Address of invented exchange rates, in the format of the European Central Bank. */
  readonly ratesUrl: string
  /** One API key of each organization. */
  readonly keys: Record<string, string>
  readonly world: World
  /** The requests received, oldest first. */
  readonly requests: readonly RequestLogEntry[]
  readonly log: RequestLog
  readonly faults: FaultController
  /** The sandbox's clock, to share with code that must use the same time. */
  readonly now: Clock
  /** Stops the clock at a date, replaces it, or (null) lets it run on from the current time. Triggers no world events. */
  setClock(to: Date | Clock | null): void
  /** Moves the clock forward and lets the events due by then happen. */
  advance(to: Date): WorldEvent[]
  /** Closes all connections, even with requests in progress. A second call waits for the first. */
  close(): Promise<void>
}

/**
 * Starts the marketplace on a loopback port.
 * Rejects with `SandboxError` if the port is not available.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = new SandboxClock(options.now ?? (() => new Date()))
  const world = resolveWorld(options, clock)
  const context = createContext(world, clock, options)
  const { host = '127.0.0.1', port = 0, control = true } = options
  const server = await listen(requestListener(context, control), { host, port })
  const timer = options.live && startAdvancing(context, options.live)
  return makeSandbox(context, server, async () => {
    clearInterval(timer)
    await server.close()
  })
}

function createContext(world: World, clock: SandboxClock, { keepRequests, onEvent }: SandboxOptions): SandboxContext {
  const moveTo = (to: Date) => {
    clock.advance(to)
    const happened = advanceWorld(world, to)
    for (const event of happened) onEvent?.(event)
    return happened
  }
  const log = new RequestLog(keepRequests)
  return { world, clock, advance: moveTo, faults: new FaultController(), log }
}

function makeSandbox(context: SandboxContext, { url, port }: RunningServer, close: () => Promise<void>): Sandbox {
  const { world, clock, faults, log } = context
  return {
    ...{
      url,
      port,
      ratesUrl: `${url}${RATES_PATH}`,
      world,
      faults,
      log,
      advance: context.advance,
      now: clock.now,
      close: once(close),
    },
    get keys() {
      return world.keys
    },
    get requests() {
      return log.entries
    },
    setClock: (to) => clock.set(to),
  }
}

function resolveWorld(options: SandboxOptions, clock: SandboxClock): World {
  const world = options.world ?? createWorld({ seed: options.seed ?? 1, now: clock.now() })
  for (const [org, key] of Object.entries(options.keys ?? {})) {
    world.revokeKeys(org)
    world.addKey(org, key)
  }
  world.setClock(clock.now)
  return world
}

/**
 * Reduces a target in absolute form, as a proxy sends it, to its path; its host replaces the header `Host` (RFC 9112
 * §3.2.2).
 */
function useOriginForm(request: IncomingMessage): void {
  const [, host, rest] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? []
  if (host === undefined || rest === undefined) return
  request.headers.host = host
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}

function requestListener(context: SandboxContext, control: boolean): RequestListener {
  return (request, response) => {
    useOriginForm(request)
    if (request.url === RATES_PATH) serveRates(request.method, response, context.clock.now())
    else if (!control || !request.url?.startsWith(CONTROL_PREFIX)) serve(context, request, response)
    else serveControl(context, request, response).catch((error: unknown) => response.destroy(error as Error))
  }
}

function startAdvancing(
  { clock, advance }: SandboxContext,
  { everyMs = 1000, stepMs = 0 }: LiveOptions,
): NodeJS.Timeout {
  return setInterval(() => advance(new Date(clock.now().getTime() + stepMs)), everyMs)
}

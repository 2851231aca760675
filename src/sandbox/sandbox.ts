import type { RequestListener } from 'node:http'
import type { Clock } from '../domain/clock.js'
import { once } from '../once.js'
import { type Stage, serve } from './api-server.js'
import { CONTROL, steer } from './control-routes.js'
import { FaultController } from './fault-controller.js'
import { type Listening, listen } from './http-listener.js'
import { RequestLog, type RequestLogEntry } from './request-log.js'
import { SandboxClock } from './sandbox-clock.js'
import { loadWorld, StateKeeper, saveWorld } from './state-file.js'
import type { World } from './world.js'
import { advanceWorld, type WorldEvent } from './world-events.js'
import { createWorld } from './world-seed.js'

export interface SandboxOptions {
  /** The world to serve; without it, the one in the state file, or one made from the seed at the present of the clock. */
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
  /** Keys to hand out instead of those drawn from the seed, by organization. */
  keys?: Readonly<Record<string, string>>
  /** Keeps the world: loaded at the start if it is there, saved a moment after each change and at the end. */
  stateFile?: string
  /** Lets things happen by themselves as the clock goes on. */
  live?: LiveOptions
  /** Serves `/_sandbox/…` (docs/SANDBOX.md); default true. */
  control?: boolean
  /** Told of what happens in the world. */
  onEvent?: (happening: WorldEvent) => void
  /** Told of a state that could not be saved in between; default: a warning of the process. */
  onError?: (error: Error) => void
}

export interface LiveOptions {
  /** How often, in real milliseconds; default 1000. */
  everyMs?: number
  /** The clock jumps ahead by so many milliseconds each time; default 0: it keeps its own pace. */
  stepMs?: number
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
  advance(to: Date): WorldEvent[]
  /** Ends all connections, whatever is under way, and saves the state. A second call waits for the first. */
  close(): Promise<void>
}

/**
 * Starts the marketplace on a loopback port.
 * Rejects with `SandboxError` where the state cannot be read or written, or the port cannot be had.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = new SandboxClock(options.now ?? (() => new Date()))
  const world = await findWorld(options, clock)
  const stage = makeStage(world, clock, options)
  const keeper = await keepState(world, options)
  const { host = '127.0.0.1', port = 0, control = true } = options
  const listening = await listen(listener(stage, control), { host, port })
  const timer = options.live && startTime(stage, options.live)
  return makeSandbox(stage, listening, async () => {
    clearInterval(timer)
    await listening.close()
    await keeper?.close()
  })
}

function makeStage(world: World, clock: SandboxClock, { keepRequests, onEvent: onHappening }: SandboxOptions): Stage {
  const move = (to: Date) => {
    clock.advance(to)
    const happened = advanceWorld(world, to)
    for (const happening of happened) onHappening?.(happening)
    return happened
  }
  return { world, clock, advance: move, faults: new FaultController(), log: new RequestLog(keepRequests) }
}

function makeSandbox(stage: Stage, { url, port }: Listening, close: () => Promise<void>): Sandbox {
  const { world, clock, faults, log } = stage
  return {
    ...{ url, port, world, faults, log, advance: stage.advance, now: clock.now, close: once(close) },
    get keys() {
      return world.keys
    },
    get requests() {
      return log.entries
    },
    setClock: (to) => clock.set(to),
  }
}

async function findWorld(options: SandboxOptions, clock: SandboxClock): Promise<World> {
  const saved = options.stateFile === undefined || options.world ? null : await loadWorld(options.stateFile)
  const world = options.world ?? saved ?? createWorld({ seed: options.seed ?? 1, now: clock.now() })
  for (const [org, key] of Object.entries(options.keys ?? {})) {
    world.revokeKeys(org)
    world.addKey(org, key)
  }
  // A saved world may have been ahead of the clock: its time does not go back.
  if (saved) clock.advance(saved.reached)
  world.setClock(clock.now)
  return world
}

/** Saves at once, so that a file that cannot be written is told at the start. */
async function keepState(world: World, { stateFile, onError }: SandboxOptions): Promise<StateKeeper | null> {
  if (stateFile === undefined) return null
  await saveWorld(world, stateFile)
  return new StateKeeper({ world, file: stateFile, onError: onError ?? ((error) => process.emitWarning(error)) })
}

function listener(stage: Stage, control: boolean): RequestListener {
  return (request, response) => {
    if (!control || !request.url?.startsWith(CONTROL)) serve(stage, request, response)
    else steer(stage, request, response).catch((error: unknown) => response.destroy(error as Error))
  }
}

function startTime({ clock, advance }: Stage, { everyMs = 1000, stepMs = 0 }: LiveOptions): NodeJS.Timeout {
  return setInterval(() => advance(new Date(clock.now().getTime() + stepMs)), everyMs)
}

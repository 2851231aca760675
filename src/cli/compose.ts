import type { Config, LogLevel } from '../config.js'
import type { Logger } from '../log.js'
import type { Store } from '../store/contract.js'
import type { Cli } from './cli.js'

/** What a command works with. Parts are opened when first asked for, and closed in reverse order. */
export interface House {
  readonly config: Config
  readonly log: Logger
  store(): Promise<Store>
}

export interface HouseOptions {
  /** `if-set` for commands that only read the database: whoever reads needs no API key. */
  secrets: 'required' | 'if-set'
  /** The service logs to stdout; the stdout of other commands is their result. */
  logTo: 'stdout' | 'stderr'
}

/**
 * The composition root: reads the configuration once, hands a command what it asks for, and closes what was opened,
 * whatever happened.
 */
export async function inHouse<T>(cli: Cli, options: HouseOptions, use: (house: House) => Promise<T>): Promise<T> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    return await use(await open(cli, options, closers))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** For commands that only read the database. */
export const reading = <T>(cli: Cli, use: (store: Store, house: House) => Promise<T>) =>
  inHouse(cli, { secrets: 'if-set', logTo: 'stderr' }, async (house) => use(await house.store(), house))

type Closers = (() => Promise<unknown>)[]

async function open(cli: Cli, options: HouseOptions, closers: Closers): Promise<House> {
  const { loadConfig } = await import('../config/load.js')
  const { scrubber, secretsOf } = await import('../log.js')
  const { io, globals } = cli
  const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets: options.secrets })
  cli.scrub = scrubber(secretsOf(config))
  const log = await openLog(cli, config, options.logTo)
  return { config, log, store: once(() => openStoreOf(config, closers)) }
}

async function openLog({ io, globals }: Cli, config: Config, logTo: 'stdout' | 'stderr'): Promise<Logger> {
  const { createLog, secretsOf } = await import('../log.js')
  const toStdout = logTo === 'stdout'
  const usual: LogLevel = toStdout ? 'info' : 'warn'
  return createLog({
    level: globals.logLevel ?? config.logLevel ?? usual,
    out: { write: toStdout ? io.out : io.err },
    pretty: toStdout ? io.width !== null : io.errIsTerminal,
    colour: toStdout ? io.colour.out : io.colour.err,
    secrets: secretsOf(config),
  })
}

async function openStoreOf(_config: Config, _closers: Closers): Promise<Store> {
  throw new Error('the store is not here yet')
}

/** Opens at most once, also when asked by several at the same time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

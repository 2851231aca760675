import type { JobRunner } from '../../jobs/contract.js'
import type { Config, LogLevel } from '../config.js'
import type { Logger } from '../log.js'
import type { Marketplace } from '../marketplace/contract.js'
import { once } from '../once.js'
import type { MakeReport } from '../reporting/make-report.js'
import type { Store } from '../store/contract.js'
import { VERSION } from '../version.js'
import type { Cli } from './cli-context.js'
import { STOP_WITHIN } from './stop-signals.js'

/** What a command works with. Parts are opened when first asked for, and closed in reverse order. */
export interface House {
  readonly config: Config
  readonly log: Logger
  store(): Promise<Store>
  marketplace(): Promise<Marketplace>
  /** The way to run jobs that the configuration asks for. Rejects with QueueUnavailableError. */
  runner(): Promise<JobRunner>
  makeReport: MakeReport
  /** Has something closed with the house, before all that was opened earlier. */
  closeWith(close: () => Promise<unknown>): void
}

export interface HouseOptions {
  /** `if-set` for commands that only read the database: whoever reads needs no API key. */
  secrets: 'required' | 'if-set'
  /** The service logs to stdout; the stdout of other commands is their result; the demo's log is a file. */
  logTo: 'stdout' | 'stderr' | { write(text: string): void }
  /** How much is logged where nobody says; `info` for the service. */
  usualLevel: LogLevel
  /** Whether a database that is not there yet is made. */
  createDatabase: boolean
  /** `KEY=VALUE` each, in place of keys under `reports:`. */
  set?: readonly string[]
}

/**
 * The composition root: reads the configuration once, hands a command what it asks for, and closes what was opened,
 * whatever happened.
 */
export async function inHouse<T>(cli: Cli, options: HouseOptions, use: (house: House) => Promise<T>): Promise<T> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    return await use(await build(cli, options, closers))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** For commands that only read the database. */
export const reading = <T>(
  cli: Cli,
  use: (store: Store, house: House) => Promise<T>,
  { set = [] }: Pick<HouseOptions, 'set'> = {},
) =>
  inHouse(cli, { secrets: 'if-set', logTo: 'stderr', usualLevel: 'warn', createDatabase: false, set }, async (house) =>
    use(await house.store(), house),
  )

/** For commands that ask the marketplace and end. */
export const working = <T>(cli: Cli, use: (house: House) => Promise<T>, usualLevel: LogLevel = 'warn') =>
  inHouse(cli, { secrets: 'required', logTo: 'stderr', usualLevel, createDatabase: true }, use)

async function build(cli: Cli, options: HouseOptions, closers: (() => Promise<unknown>)[]): Promise<House> {
  const { loadConfig } = await import('../config/load.js')
  const { scrubber, secretsOf } = await import('../log.js')
  const { io, globals } = cli
  const { secrets, set = [] } = options
  const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets, set })
  cli.scrub = scrubber(secretsOf(config))
  const log = await openLog(cli, config, options)
  const keep = <T extends { close(): Promise<unknown> }>(part: T) => {
    closers.push(() => part.close())
    return part
  }
  const store = once(async () => keep(await openStoreOf(config, options.createDatabase)))
  return {
    config,
    log,
    store,
    marketplace: once(async () => keep(await openMarketplace(cli, config))),
    runner: once(async () => {
      const { createRunner } = await import('../../jobs/service.js')
      const runner = await createRunner(config.queue, log)
      closers.push(() => runner.close(STOP_WITHIN))
      return runner
    }),
    makeReport: async (...wanted) => (await reportMaker(io, config, await store()))(...wanted),
    closeWith: (close) => void closers.push(close),
  }
}

async function openLog({ io, globals }: Cli, config: Config, { logTo, usualLevel }: HouseOptions): Promise<Logger> {
  const { createLog, secretsOf } = await import('../log.js')
  const places = {
    stdout: { out: { write: io.out }, pretty: io.width !== null, colour: io.colour.out },
    stderr: { out: { write: io.err }, pretty: io.errIsTerminal, colour: io.colour.err },
  }
  const place = typeof logTo === 'string' ? places[logTo] : { out: logTo, pretty: false, colour: false }
  return createLog({
    ...place,
    level: globals.logLevel ?? config.logLevel ?? usualLevel,
    secrets: secretsOf(config),
  })
}

async function openStoreOf(config: Config, create: boolean): Promise<Store> {
  const { openStore } = await import('../store/store.js')
  return openStore({ path: config.database, create })
}

async function reportMaker({ reportThread }: Cli['io'], config: Config, store: Store): Promise<MakeReport> {
  if (reportThread === null) return (await import('../reporting/make-report.js')).makeReportFrom(store)
  const { makeReportApart } = await import('../reporting/run-in-worker.js')
  return makeReportApart({ thread: reportThread, database: config.database })
}

async function openMarketplace({ io }: Cli, { baseUrl, requests }: Config): Promise<Marketplace> {
  const { createMarketplace } = await import('../marketplace/client.js')
  return createMarketplace({ baseUrl, limits: requests, version: VERSION, now: io.now })
}

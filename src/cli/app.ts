import type { JobRunner } from '../../jobs/contract.js'
import type { Config, LogLevel } from '../config.js'
import { createScrubber } from '../domain/secret-scrubber.js'
import type { Logger } from '../log.js'
import type { Marketplace } from '../marketplace/contract.js'
import { once } from '../once.js'
import type { MakeReport } from '../reporting/make-report.js'
import type { Store } from '../store/contract.js'
import { VERSION } from '../version.js'
import type { Cli } from './cli-context.js'
import { STOP_TIMEOUT_MS } from './stop-signals.js'

/** What a command works with. Parts are opened when first asked for, and closed in reverse order. */
export interface App {
  readonly config: Config
  readonly log: Logger
  store(): Promise<Store>
  marketplace(): Promise<Marketplace>
  /** The way to run jobs that the configuration asks for. Rejects with QueueUnavailableError. */
  runner(): Promise<JobRunner>
  makeReport: MakeReport
  /** Has something closed with the app, before all that was opened earlier. */
  onClose(close: () => Promise<unknown>): void
}

export interface AppOptions {
  /** `if-set` for commands that only read the database: whoever reads needs no API key. */
  secrets: 'required' | 'if-set'
  /** The service logs to stdout; the stdout of other commands is their result; the demo's log is a file. */
  logTo: 'stdout' | 'stderr' | { write(text: string): void }
  /** How much is logged where nobody says; `info` for the service. */
  defaultLevel: LogLevel
  /** Whether a database that is not there yet is made. */
  createDatabase: boolean
  /** `KEY=VALUE` each, in place of keys under `reports:`. */
  set?: readonly string[]
}

/**
 * The composition root: reads the configuration once, hands a command what it asks for, and closes what was opened,
 * whatever happened.
 */
export async function withApp<T>(cli: Cli, options: AppOptions, use: (app: App) => Promise<T>): Promise<T> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    return await use(await buildApp(cli, options, closers))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** For commands that only read the database. */
export const withStore = <T>(
  cli: Cli,
  use: (store: Store, app: App) => Promise<T>,
  { set = [] }: Pick<AppOptions, 'set'> = {},
) =>
  withApp(cli, { secrets: 'if-set', logTo: 'stderr', defaultLevel: 'warn', createDatabase: false, set }, async (app) =>
    use(await app.store(), app),
  )

/** For commands that ask the marketplace and end. */
export const withServices = <T>(cli: Cli, use: (app: App) => Promise<T>, defaultLevel: LogLevel = 'warn') =>
  withApp(cli, { secrets: 'required', logTo: 'stderr', defaultLevel, createDatabase: true }, use)

async function buildApp(cli: Cli, options: AppOptions, closers: (() => Promise<unknown>)[]): Promise<App> {
  const { loadConfig } = await import('../config/load.js')
  const { collectSecrets } = await import('../log.js')
  const { io, globals } = cli
  const { secrets, set = [] } = options
  const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets, set })
  cli.scrub = createScrubber(collectSecrets(config))
  const log = await openLog(cli, config, options)
  const keep = <T extends { close(): Promise<unknown> }>(part: T) => {
    closers.push(() => part.close())
    return part
  }
  const store = once(async () => keep(await openConfiguredStore(config, options.createDatabase)))
  return {
    config,
    log,
    store,
    marketplace: once(async () => keep(await openMarketplace(cli, config))),
    runner: once(async () => {
      const { createRunner } = await import('../../jobs/service.js')
      const runner = await createRunner(config.queue, log)
      closers.push(() => runner.close(STOP_TIMEOUT_MS))
      return runner
    }),
    makeReport: async (...wanted) => (await createReportMaker(io, config, await store()))(...wanted),
    onClose: (close) => void closers.push(close),
  }
}

async function openLog({ io, globals }: Cli, config: Config, { logTo, defaultLevel }: AppOptions): Promise<Logger> {
  const { createLog, collectSecrets } = await import('../log.js')
  const places = {
    stdout: { out: { write: io.out }, pretty: io.width !== null, colour: io.colour.out },
    stderr: { out: { write: io.err }, pretty: io.stderrIsTerminal, colour: io.colour.err },
  }
  const place = typeof logTo === 'string' ? places[logTo] : { out: logTo, pretty: false, colour: false }
  return createLog({
    ...place,
    level: globals.logLevel ?? config.logLevel ?? defaultLevel,
    secrets: collectSecrets(config),
  })
}

async function openConfiguredStore(config: Config, create: boolean): Promise<Store> {
  const { openStore } = await import('../store/store.js')
  return openStore({ path: config.database, create })
}

async function createReportMaker({ reportWorkerScript }: Cli['io'], config: Config, store: Store): Promise<MakeReport> {
  if (reportWorkerScript === null) return (await import('../reporting/make-report.js')).makeReportInProcess(store)
  const { makeReportInWorker } = await import('../reporting/run-in-worker.js')
  return makeReportInWorker({ thread: reportWorkerScript, database: config.database })
}

async function openMarketplace({ io }: Cli, { baseUrl, requests }: Config): Promise<Marketplace> {
  const { createMarketplace } = await import('../marketplace/client.js')
  return createMarketplace({ baseUrl, limits: requests, version: VERSION, now: io.now })
}

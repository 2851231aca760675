import type { Config } from '../config/contract.js'
import type { LogLevel } from '../config/log-levels.js'
import { once } from '../core/async.js'
import { createScrubber } from '../core/text/secret-scrubber.js'
import type { Logger } from '../log.js'
import type { Marketplace, RequestObserver } from '../marketplace/contract.js'
import type { WorkerPool } from '../pool/worker-pool.js'
import type { MakeReport } from '../report-files/make-report.js'
import type { FigureComputer, Store } from '../store/contract.js'
import type { Views } from '../tables/views.js'
import { VERSION } from '../version.js'
import type { Cli } from './cli-context.js'

/** What a command works with. Each part is opened when first used; all are closed in reverse order. */
export interface App {
  readonly config: Config
  readonly log: Logger
  /** Removes the secrets of the configuration from a text. */
  readonly scrub: (text: string) => string
  store(): Promise<Store>
  /** What is shown of the database: what pages and the API show too. */
  views(): Promise<Views>
  /** @param observer called after each request; only the one of the first call is used */
  marketplace(observer?: RequestObserver): Promise<Marketplace>
  /** What does heavy work apart from the main thread. */
  pool(): Promise<WorkerPool>
  makeReport: MakeReport
  /** Registers something to be closed with the app, before everything opened earlier. */
  onClose(close: () => Promise<unknown>): void
}

interface AppOptions {
  /** `if-set` for commands that only read the database, which need no API key. */
  secrets: 'required' | 'if-set'
  /** stdout for the service; a file for the demo; default stderr, for commands whose stdout is their result. */
  logTo?: 'stdout' | { write(text: string): void }
  /** The log level unless the command line or the configuration sets one; default info for `logTo`, else warn. */
  defaultLevel?: LogLevel
  /** Creates the database if it does not exist. */
  createDatabase?: boolean
  /** The command only reads the database, which has to exist. */
  readOnly?: boolean
  /** The worker pool answers users: it has several workers. Default: one. */
  servesPages?: boolean
  /** `KEY=VALUE` each, overriding keys under `reports:`. */
  set?: readonly string[]
}

/**
 * The composition root: reads the configuration, lets a command use the parts it needs, and closes what was opened,
 * also when the command fails.
 */
export async function withApp<T>(cli: Cli, options: AppOptions, use: (app: App) => Promise<T>): Promise<T> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    return await use(await buildApp(cli, options, closers))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/**
 * Opens an existing database for a command that shows what it has.
 * @param options.secrets required for a command that reads the marketplace, too
 * @param options.readOnly false for a command that also records something
 */
export const withStore = <T>(
  cli: Cli,
  use: (store: Store, app: App) => Promise<T>,
  options: Partial<Pick<AppOptions, 'set' | 'secrets' | 'readOnly'>> = {},
) => withApp(cli, { secrets: 'if-set', readOnly: true, ...options }, async (app) => use(await app.store(), app))

/** For a command that calls the marketplace once and exits. Creates the database if it does not exist. */
export const withServices = <T>(cli: Cli, use: (app: App) => Promise<T>) =>
  withApp(cli, { secrets: 'required', createDatabase: true }, use)

async function buildApp(cli: Cli, options: AppOptions, closers: (() => Promise<unknown>)[]): Promise<App> {
  const { loadConfig } = await import('../config/load.js')
  const { collectSecrets } = await import('../log.js')
  const { io, globals } = cli
  const { secrets, set = [] } = options
  const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets, set })
  const scrub = createScrubber(collectSecrets(config))
  cli.scrub = scrub
  const log = await openLog(cli, config, options)
  const closeLater = <T extends { close(): Promise<unknown> }>(part: T) => {
    closers.push(() => part.close())
    return part
  }
  const opening = { cli, config, log, options }
  let openedPool: WorkerPool | null = null
  const store = once(async () => {
    const opened = closeLater(await openConfiguredStore(opening))
    // Whenever it is opened: just before what it reads, after all that use it.
    closers.push(async () => openedPool?.close())
    return opened
  })
  const views = once(async () => {
    const { viewConfigOf } = await import('../tables/source.js')
    const { createViews } = await import('../tables/views.js')
    return createViews(await store(), viewConfigOf(config))
  })
  const pool = once(async () => {
    openedPool = await openPool(opening, await store())
    return openedPool
  })
  const reportMaker = once(async () => {
    const { recordReports } = await import('../report-files/report-folder.js')
    return recordReports((await pool()).makeReport, config.reports.directory, await store())
  })
  let marketplace: Promise<Marketplace> | null = null
  return {
    config,
    log,
    scrub,
    store,
    views,
    marketplace: (observer) => {
      marketplace ??= (async () => closeLater(await openMarketplace(opening, await store(), observer)))()
      return marketplace
    },
    pool,
    makeReport: async (...args) => (await reportMaker())(...args),
    onClose: (close) => void closers.push(close),
  }
}

async function openLog({ io, globals }: Cli, config: Config, { logTo, defaultLevel }: AppOptions): Promise<Logger> {
  const { createLog, collectSecrets } = await import('../log.js')
  const stdout = { out: { write: io.out }, pretty: io.width !== null, colour: io.colour.out }
  const stderr = { out: { write: io.err }, pretty: io.stderrIsTerminal, colour: io.colour.err }
  const file = { pretty: false, colour: false }
  return createLog({
    ...(logTo === undefined ? stderr : logTo === 'stdout' ? stdout : { ...file, out: logTo }),
    level: globals.logLevel ?? config.logLevel ?? defaultLevel ?? (logTo === undefined ? 'warn' : 'info'),
    secrets: collectSecrets(config),
  })
}

interface OpenContext {
  cli: Cli
  config: Config
  log: Logger
  options: AppOptions
}

async function openConfiguredStore({ cli, config, log, options }: OpenContext): Promise<Store> {
  const { openDatabase } = await import('../store/open-database.js')
  const { readOnly = false, set = [] } = options
  return openDatabase({
    ...(!readOnly && set.length === 0 && { figures: await openFigures(config, log) }),
    database: config.database,
    create: options.createDatabase ?? false,
    ...(cli.command === undefined ? {} : { command: `quotekeeper ${cli.command}` }),
    readOnly,
  })
}

/** What computes figures with the configured settings. */
async function openFigures({ channels, reports: { settings } }: Config, log: Logger): Promise<FigureComputer> {
  const { createFigureComputer } = await import('../figures/compute-figures.js')
  const { createRulesLookup } = await import('../tables/channels/channel-rules.js')
  const rulesOf = createRulesLookup(channels)
  return createFigureComputer({
    settings,
    timeZoneOf: (channel) => rulesOf(channel).timeZone,
    onFailed: (rfq, message) => log.warn(rfq, `the figures of an RFQ could not be computed: ${message}`),
  })
}

async function openPool({ cli: { io }, config, options }: OpenContext, store: Store): Promise<WorkerPool> {
  const { viewConfigOf } = await import('../tables/source.js')
  const queryConfig = viewConfigOf(config)
  if (io.workerScript === null) {
    const { createQueries } = await import('../pool/queries.js')
    const { makeReportInProcess } = await import('../report-files/make-report.js')
    const queries = createQueries(store, queryConfig)
    return { queries, makeReport: makeReportInProcess(store, queryConfig), close: async () => undefined }
  }
  const { createWorkerPool, poolSizeOfService } = await import('../pool/worker-pool.js')
  return createWorkerPool({
    script: io.workerScript,
    size: options.servesPages ? poolSizeOfService() : 1,
    database: config.database,
    config: queryConfig,
  })
}

async function openMarketplace(
  { cli: { io }, config: { baseUrl, requests } }: OpenContext,
  store: Store,
  observer: RequestObserver | undefined,
): Promise<Marketplace> {
  const { createMarketplace } = await import('../marketplace/client.js')
  const ledger = store.requestLedger(new URL(baseUrl).origin)
  return createMarketplace({ baseUrl, limits: requests, ledger, version: VERSION, observer, now: io.now })
}

import type { RequestLedger } from '../core/requests/request-ledger.js'
import type { Clock } from '../core/time/clock.js'
import { createAwards } from './awards/awards.js'
import { createCloseIntents } from './closings/close-intents.js'
import { createClosingStop } from './closings/closing-stop.js'
import { createDecisionLog } from './closings/decision-log.js'
import { createDueRfqs } from './documents/queries/due-rfqs.js'
import { createExport, createHistory } from './documents/queries/history.js'
import { createMonitoring } from './documents/queries/monitoring.js'
import { createPollStates } from './documents/queries/poll-states.js'
import { createRecorder } from './documents/recorder.js'
import { revalidate } from './documents/revalidate.js'
import { createEventFeed } from './events/event-feed.js'
import { createTargets } from './events/targets.js'
import type { FigureComputer } from './figures/figure-contract.js'
import { createFigures } from './figures/figures.js'
import { createMaintenanceLog } from './maintenance/maintenance.js'
import { createPruning } from './maintenance/prune.js'
import { createExchangeRates } from './rates/exchange-rates.js'
import { createReportRecords } from './reports/report-records.js'
import { createHolder } from './runs/process-holder.js'
import { createRuns } from './runs/runs.js'
import { findIdentity } from './sql/meta.js'
import type { SqlDatabase } from './sql/sql-database.js'

export interface StoreOptions {
  /** Creates the tables if there are none, which is otherwise an error. Default true. */
  create?: boolean
  /** Opens an existing database for reading only. Default false. */
  readOnly?: boolean
  /** When a dead run was found, and the clock of request limits on SQLite. Default: that of the machine. */
  clock?: Clock
  /** The command that this process runs, such as `quotekeeper start`, for messages of processes that wait for it. */
  command?: string
  /** Computes figures in each transaction that records what they depend on. Default: this process writes none. */
  figures?: FigureComputer | undefined
}

/** A database, and what its engine does in a way of its own. */
interface Engine {
  /** The name of the database for messages: the absolute path of its file, or its URL without user and password. */
  readonly name: string
  /**
   * The ledger by which all processes on this database share the request limits of a marketplace.
   * @param origin scheme, host and port of the marketplace
   */
  requestLedger(origin: string): RequestLedger
  /** Checks the integrity of the database; `message` describes the damage if `ok` is false. */
  check(): Promise<{ ok: boolean; message: string }>
  /** Whether the database can be written, as far as it can be told: the free space of its disk, or an answer of its server. */
  checkWritable(): Promise<{ ok: boolean; message: string }>
  /** Sizes of the database and of its write-ahead log, in bytes. */
  sizes(): Promise<{ database: number; wal: number }>
  /** Makes a consistent copy (mode 0600) while other processes write. */
  backup(file: string, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
  /** What lists are read by (src/tables/lists), and rows are copied by. */
  database: SqlDatabase
}

/** The store over a database of either engine. */
export function createStore(engine: Engine, options: StoreOptions) {
  const { readOnly = false, figures: computer = null, clock = () => new Date() } = options
  const { database } = engine
  const self = createHolder(options.command)
  const { writeFigures, outdateFigures, ...figures } = createFigures(database, { computer, self })
  const writer = { writeFigures, outdateFigures }
  const { stopBeating, ...runs } = createRuns({ database, clock, self, beats: !readOnly })
  return {
    ...engine,
    ...runs,
    ...createRecorder(database, writer),
    ...createHistory(database),
    ...createExport(database),
    ...createPollStates(database),
    ...createDueRfqs(database),
    ...createCloseIntents(database),
    ...createDecisionLog(database),
    ...createClosingStop(database),
    ...createAwards(database, writer),
    ...createMaintenanceLog(database),
    ...createPruning(database),
    ...figures,
    ...createReportRecords(database),
    ...createExchangeRates(database),
    ...createEventFeed(database),
    ...createTargets(database, self),
    ...createMonitoring(database),
    /** The UUID of the database. Its copies and backups have the same one. */
    identity: () => findIdentity(database),
    /** Parses every stored version again after the document schemas have changed, and updates `valid` and the problems. */
    revalidate: (now: Date) => revalidate(database, now),
    async close() {
      stopBeating()
      await engine.close()
    },
  }
}

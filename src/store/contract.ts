import type { DocumentKind } from '../core/documents/documents.js'
import type { RequestLedger } from '../core/requests/request-ledger.js'
import type { Awards } from './awards/award-contract.js'
import type { Closings } from './closings/closing-contract.js'
import type { History, RfqCount } from './documents/history-contract.js'
import type { PollStates } from './documents/poll-states-contract.js'
import type { Recorder } from './documents/recorder-contract.js'
import type { EventFeed, EventLog, Targets } from './events/event-contract.js'
import type { Figures } from './figures/figure-contract.js'
import type { MaintenanceLog, Pruning, RevalidationReport } from './maintenance/maintenance-contract.js'
import type { ExchangeRates } from './rates/rate-contract.js'
import type { ReportRecords } from './reports/report-contract.js'
import type { Runs } from './runs/run-contract.js'
import type { SqlDatabase } from './sql/sql-database.js'

// Other modules import the types of the store from here.
export type * from './awards/award-contract.js'
export type * from './closings/closing-contract.js'
export type * from './documents/history-contract.js'
export type * from './documents/poll-states-contract.js'
export type * from './documents/recorder-contract.js'
export type * from './events/event-contract.js'
export type * from './figures/figure-contract.js'
export type * from './maintenance/maintenance-contract.js'
export type * from './rates/rate-contract.js'
export type * from './reports/report-contract.js'
export type * from './runs/run-contract.js'
export type { Queries } from './sql/sql-database.js'

/**
 * The store (docs/DATABASE.md). All methods are asynchronous, and reject with `StoreError` (errors.ts).
 */
export interface Store
  extends Monitoring,
    Runs,
    Recorder,
    PollStates,
    History,
    Closings,
    Awards,
    MaintenanceLog,
    Pruning,
    Figures,
    ReportRecords,
    ExchangeRates,
    EventFeed,
    EventLog,
    Targets {
  /** The name of the database for messages: the absolute path of its file, or its URL without user and password. */
  readonly name: string
  /** What lists are read by (src/tables/lists), and rows are copied by. */
  readonly database: SqlDatabase
  /** The UUID of the database. Its copies and backups have the same one. */
  identity(): Promise<string>
  /**
   * The ledger by which all processes on this database share the request limits of a marketplace.
   * @param origin scheme, host and port of the marketplace
   */
  requestLedger(origin: string): RequestLedger
  /** Checks the integrity of the database; `message` describes the damage if `ok` is false. */
  check(): Promise<{ ok: boolean; message: string; bytes: number; schemaVersion: number }>
  /** Whether the database can be written, as far as it can be told: the free space of its disk, or an answer of its server. */
  checkWritable(): Promise<{ ok: boolean; message: string }>
  /** Parses every stored version again after the document schemas have changed, and updates `valid` and the problems. */
  revalidate(now: Date): Promise<RevalidationReport>
  /** Makes a consistent copy (mode 0600) while other processes write. */
  backup(file: string, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface RecordedVersion {
  kind: DocumentKind
  /**
   * The longest time that the change can have been unknown: since the last observation of the previous version (`versions.not_before`). Null
   * for the first version of a document.
   */
  delaySeconds: number | null
}

export interface Monitoring {
  /** The channels with stored documents, sorted. */
  storedChannels(): Promise<string[]>
  /** The RFQs of a channel that are not missing, by state and due date. */
  rfqCounts(channel: string): Promise<RfqCount[]>
  /** The versions that a run recorded. */
  recordedVersions(runId: number): Promise<RecordedVersion[]>
  /** Sizes of the database and of its write-ahead log, in bytes. */
  sizes(): Promise<{ database: number; wal: number }>
}

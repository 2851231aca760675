import type { Clock } from '../core/clock.js'
import { createClosings } from './closings.js'
import { createDeliveries } from './deliveries.js'
import { createOpenRfqsDue } from './documents/due-rfqs.js'
import { createEventFeed } from './event-feed.js'
import { createEventWriter, type EventWriter } from './event-writer.js'
import { createMaintenanceLog } from './maintenance.js'
import { findIdentity } from './meta.js'
import { createMonitoring } from './monitoring.js'
import { createOutbox } from './outbox.js'
import { createOverview } from './overview.js'
import { createPollStates } from './poll-states.js'
import { createPruning } from './prune.js'
import { createReportRecords } from './report-records.js'
import { createRuns } from './run-leases.js'
import { createRunQueries } from './run-queries.js'
import { createSchedulingProcesses } from './scheduling-processes.js'
import type { SqlDatabase } from './sql-database.js'
import { createTickClaims } from './tick-claims.js'

/** What readers of both engines have, written once over `SqlDatabase` (docs/ARCHITECTURE.md). */
export const createSharedQueries = (database: SqlDatabase) => ({
  ...createRunQueries(database),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, createEventWriter(database)),
  ...createDeliveries(database),
  ...createEventFeed(database),
  ...createMonitoring(database),
  openRfqsDue: createOpenRfqsDue(database),
})

interface SharedStoreOptions {
  database: SqlDatabase
  events: EventWriter
  clock: Clock
  /** What this process runs, for others that wait for it. */
  command: string | null
}

/** What stores of both engines have, written once over `SqlDatabase`, and what stops the renewal of leases. */
export const createSharedStore = ({ database, events, clock, command }: SharedStoreOptions) => ({
  ...createRuns({ database, clock, command, events }),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, events),
  ...createMaintenanceLog(database),
  ...createTickClaims(database),
  ...createSchedulingProcesses(database, { clock, command }),
  ...createPruning(database),
  ...createReportRecords(database),
  ...createEventFeed(database),
  ...createOutbox(database, events),
  identity: () => findIdentity(database),
})

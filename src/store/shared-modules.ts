import type { Clock } from '../core/clock.js'
import { createClosings } from './closings.js'
import { createDeliveries } from './deliveries.js'
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
import { createOpenRfqsDue, type ListRfqs } from './rfq-index.js'
import { createRuns } from './run-leases.js'
import { createRunQueries } from './run-queries.js'
import { createSchedulingProcesses } from './scheduling-processes.js'
import type { SqlDatabase } from './sql-database.js'
import { createTickClaims } from './tick-claims.js'

/** What readers of both engines have, written once over `SqlDatabase` (docs/ARCHITECTURE.md). */
export const createSharedQueries = (database: SqlDatabase, listRfqs: ListRfqs) => ({
  ...createRunQueries(database),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, createEventWriter(database), listRfqs),
  ...createDeliveries(database),
  ...createEventFeed(database),
  ...createMonitoring(database, listRfqs),
  openRfqsDue: createOpenRfqsDue(listRfqs),
})

interface SharedStoreOptions {
  database: SqlDatabase
  listRfqs: ListRfqs
  events: EventWriter
  clock: Clock
  /** What this process runs, for others that wait for it. */
  command: string | null
}

/** What stores of both engines have, written once over `SqlDatabase`, and what stops the renewal of leases. */
export const createSharedStore = ({ database, listRfqs, events, clock, command }: SharedStoreOptions) => ({
  ...createRuns({ database, clock, command, events }),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, events, listRfqs),
  ...createMaintenanceLog(database),
  ...createTickClaims(database),
  ...createSchedulingProcesses(database, { clock, command }),
  ...createPruning(database),
  ...createReportRecords(database),
  ...createEventFeed(database),
  ...createOutbox(database, events, listRfqs),
  identity: () => findIdentity(database),
})

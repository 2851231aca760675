import type { Clock } from '../core/time/clock.js'
import { createAwardQueries, createAwards } from './awards/awards.js'
import { createClosings } from './closings/closings.js'
import { createOpenRfqsDue } from './documents/queries/due-rfqs.js'
import { createMonitoring } from './documents/queries/monitoring.js'
import { createOverview } from './documents/queries/overview.js'
import { createPollStates } from './documents/queries/poll-states.js'
import { createDeliveries } from './events/deliveries.js'
import { createEventFeed } from './events/event-feed.js'
import { createEventWriter, type EventWriter } from './events/event-writer.js'
import { createOutbox } from './events/outbox.js'
import { createMaintenanceLog } from './maintenance/maintenance.js'
import { createPruning } from './maintenance/prune.js'
import { createExchangeRates, createRateQueries } from './rates/exchange-rates.js'
import { createRecommendationQueries, createRecommendations } from './recommendations/recommendations.js'
import { createReportRecords } from './reports/report-records.js'
import { createRuns } from './runs/run-leases.js'
import { createRunQueries } from './runs/run-queries.js'
import { createScheduleClock } from './runs/schedule-clock.js'
import { findIdentity } from './sql/meta.js'
import type { Queries, SqlDatabase } from './sql/sql-database.js'

/** The queries of readers that are the same for both engines, because they use `SqlDatabase` (docs/ARCHITECTURE.md). */
export const createSharedQueries = (database: SqlDatabase) => ({
  queries: database as Queries,
  ...createRunQueries(database),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, createEventWriter(database)),
  ...createAwardQueries(database),
  ...createDeliveries(database),
  ...createEventFeed(database),
  ...createMonitoring(database),
  ...createRecommendationQueries(database),
  ...createRateQueries(database),
  openRfqsDue: createOpenRfqsDue(database),
})

interface SharedStoreOptions {
  database: SqlDatabase
  events: EventWriter
  clock: Clock
  /** The command that this process runs, for messages of processes that wait for it. */
  command: string | null
}

/** The part of the store that is the same for both engines, because it uses `SqlDatabase`; and `stopRenewing`, which ends the renewal of leases. */
export const createSharedStore = ({ database, events, clock, command }: SharedStoreOptions) => ({
  database,
  queries: database as Queries,
  ...createRuns({ database, clock, command, events }),
  ...createPollStates(database),
  ...createOverview(database),
  ...createClosings(database, events),
  ...createAwards(database),
  ...createMaintenanceLog(database),
  ...createScheduleClock(database),
  ...createPruning(database),
  ...createRecommendations(database, events),
  ...createReportRecords(database),
  ...createExchangeRates(database),
  ...createEventFeed(database),
  ...createOutbox(database, events),
  identity: () => findIdentity(database),
})

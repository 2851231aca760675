import type { createStore } from './create-store.js'

// Other modules import the types of the store from here.
export type * from './closings/close-intents.js'
export type * from './closings/decision-log.js'
export type { RecordedChange } from './documents/document-changes.js'
export type * from './documents/queries/history.js'
export type * from './documents/queries/monitoring.js'
export type * from './documents/queries/poll-states.js'
export type { RfqSnapshot } from './documents/recorder.js'
export type { EventDraft } from './events/event-writer.js'
export type * from './events/targets.js'
export type * from './figures/figure-contract.js'
export type { FigureSource } from './figures/figure-queries.js'
export type * from './maintenance/maintenance.js'
export type * from './runs/run-contract.js'
export type { Queries } from './sql/sql-database.js'

/** The store (docs/DATABASE.md). All methods are asynchronous, and reject with `StoreError` (errors.ts). */
export type Store = ReturnType<typeof createStore>

import type { RequestLedger, StartGrant } from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import type { Store } from '../contract.js'
import { createHistory } from '../documents/queries/history.js'
import { createRecorder } from '../documents/recorder.js'
import { revalidate } from '../documents/revalidate.js'
import { DatabaseUnavailableError, StoreError } from '../errors.js'
import { createEventWriter } from '../events/event-writer.js'
import { createObservedEvents } from '../events/observed-events.js'
import { SCHEMA_NUMBER } from '../schema/schema.js'
import { createSharedStore } from '../shared-modules.js'
import { claimStatement } from '../sql/claim-starts.js'
import { observed, type Queries, type SqlDatabase } from '../sql/sql-database.js'
import type { StoreOptions } from '../sqlite/store.js'
import { PostgresDatabase } from './postgres-database.js'
import { prepareSchema } from './postgres-schema.js'
import { parsePostgresUrl } from './postgres-url.js'

export interface PostgresStoreOptions extends Omit<StoreOptions, 'path' | 'readOnlyIfNeeded' | 'onReadOnly'> {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME */
  url: string
  /** The maximum number of connections. Default 10. */
  connections?: number
}

/**
 * Opens the store in a PostgreSQL database, and creates its tables.
 * @throws UnusableDatabaseError with a remedy if the database cannot be used; StoreError if it cannot be reached
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { connections = 10, command = null } = options
  const database = new PostgresDatabase(parsePostgresUrl(options.url), { connections })
  try {
    if (!options.checked) await prepareSchema(database, { create: options.create ?? true })
    const serverClock = options.clock ? null : await followServerClock(database)
    const clock = options.clock ?? serverClock?.now ?? (() => new Date())
    const events = createEventWriter(database)
    const shared = { database: observed(database, options.onWrite), events, clock, command }
    const { stopRenewing, ...modules } = createSharedStore(shared)
    return {
      name: database.location.name,
      ...modules,
      ...createRecorder(database, createObservedEvents(events)),
      ...createHistory(database, (...query) => database.stream(...query)),
      requestLedger: (origin) => createRequestLedger(database, origin),
      check: () => check(database),
      checkWritable: () => checkWritable(database),
      revalidate: (now) => revalidate(database, now),
      async backup() {
        throw new StoreError(`${database.location.name} is backed up with the tools of PostgreSQL, such as pg_dump.`)
      },
      async close() {
        stopRenewing()
        serverClock?.stop()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Checks no keys and references, because PostgreSQL keeps them intact. */
async function check(database: PostgresDatabase) {
  const row = await database.get<{ bytes: number }>(`select pg_database_size(current_database()) as bytes`)
  return { ok: true, message: 'ok', bytes: row?.bytes ?? 0, schemaVersion: SCHEMA_NUMBER }
}

async function checkWritable(database: PostgresDatabase) {
  try {
    await database.write((tx) => tx.run(`update meta set value = value where key = 'database_id'`))
    return { ok: true, message: 'writable' }
  } catch (error) {
    return { ok: false, message: (error as Error).message }
  }
}

const REFRESH_MS = 60_000

/** Follows the clock of the server with the accuracy of one query, so that all machines compare leases by the same clock. */
async function followServerClock(queries: Queries): Promise<{ now: Clock; stop(): void }> {
  /** The server time at which the monotonic clock of this process was zero, in milliseconds. */
  let origin = Date.now() - performance.now()
  const measure = async () => {
    const sent = performance.now()
    const row = await queries.get<{ now: number }>('select extract(epoch from clock_timestamp()) * 1000 as now')
    if (row) origin = row.now - (sent + performance.now()) / 2
  }
  await measure()
  // While the server is unavailable, the last measurement is accurate enough.
  const timer = setInterval(() => void measure().catch(() => undefined), REFRESH_MS).unref()
  return { now: () => new Date(origin + performance.now()), stop: () => clearInterval(timer) }
}

// Uses the clock of the server, so that the clocks of the processes may differ.
const CLAIM = claimStatement({
  now: '(extract(epoch from clock_timestamp()) * 1000)::double precision',
  greatest: 'greatest',
})

/** The request ledger of a marketplace. A claim is one statement without a transaction, so that a suspended process does not block others. */
function createRequestLedger(database: SqlDatabase, origin: string): RequestLedger {
  return {
    async claim(claim) {
      const parameters = { origin, ...claim }
      const granted = await database.get<StartGrant>(CLAIM, parameters).catch((error: Error) => {
        if (!(error instanceof DatabaseUnavailableError)) throw error
        // A write waits for a server that restarts.
        return database.write((tx) => tx.get<StartGrant>(CLAIM, parameters))
      })
      return granted as StartGrant
    },
  }
}

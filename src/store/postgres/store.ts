import type { RequestLedger, StartGrant } from '../../core/requests/request-ledger.js'
import type { Clock } from '../../core/time/clock.js'
import type { Store } from '../contract.js'
import { createStore, type StoreOptions } from '../create-store.js'
import { DatabaseUnavailableError, StoreError } from '../errors.js'
import { SCHEMA_NUMBER } from '../schema/schema.js'
import type { Queries, SqlDatabase } from '../sql/sql-database.js'
import { claimStatement } from './claim-starts.js'
import { PostgresDatabase } from './postgres-database.js'
import { prepareSchema, requireSchema } from './postgres-schema.js'
import { parsePostgresUrl } from './postgres-url.js'

export interface PostgresStoreOptions extends StoreOptions {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME */
  url: string
  /** The maximum number of connections. Default 10. */
  connections?: number
}

/**
 * Opens the store in a PostgreSQL database, and creates its tables.
 * @throws UnusableDatabaseError with a remedy if the database cannot be used; StoreError if it cannot be reached
 */
export async function openPostgresStore({ url, connections = 10, ...options }: PostgresStoreOptions): Promise<Store> {
  const { create = true, readOnly = false } = options
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections, readOnly })
  const { name } = database.location
  try {
    await (readOnly ? requireSchema(database) : prepareSchema(database, { create }))
    const serverClock = options.clock || readOnly ? null : await followServerClock(database)
    const engine = {
      ...{ name, database, clock: options.clock ?? serverClock?.now ?? (() => new Date()) },
      requestLedger: (origin: string) => createRequestLedger(database, origin),
      check: () => check(database),
      checkWritable: () => checkWritable(database),
      sizes: async () => ({ database: (await check(database)).bytes, wal: 0 }),
      async backup() {
        throw new StoreError(`${name} is backed up with the tools of PostgreSQL, such as pg_dump.`)
      },
      async close() {
        serverClock?.stop()
        await database.close()
      },
    }
    return createStore(engine, options)
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
const CLAIM = claimStatement('(extract(epoch from clock_timestamp()) * 1000)::double precision')

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

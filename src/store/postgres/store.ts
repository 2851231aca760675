import type { RequestLedger, StartGrant } from '../../core/requests/request-ledger.js'
import type { Store } from '../contract.js'
import { createStore, type StoreOptions } from '../create-store.js'
import { DatabaseUnavailableError, StoreError } from '../errors.js'
import { claimStatement } from '../sql/claim-starts.js'
import type { SqlDatabase } from '../sql/sql-database.js'
import { PostgresDatabase } from './postgres-database.js'
import { prepareSchema } from './postgres-schema.js'
import { parsePostgresUrl } from './postgres-url.js'

interface PostgresStoreOptions extends StoreOptions {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME */
  url: string
  /** The maximum number of connections. Default 10. */
  connections?: number
}

/**
 * Opens the store in a PostgreSQL database, and creates its tables.
 * @throws StoreError with a remedy if the database cannot be used; DatabaseUnavailableError if it cannot be reached
 */
export async function openPostgresStore({ url, ...options }: PostgresStoreOptions): Promise<Store> {
  const { create = true, readOnly = false } = options
  const database = new PostgresDatabase(parsePostgresUrl(url), options)
  const { name } = database.location
  try {
    await prepareSchema(database, { create: create && !readOnly })
    const engine = {
      ...{ name, database },
      requestLedger: (origin: string) => createRequestLedger(database, origin),
      // PostgreSQL keeps keys and references intact.
      check: async () => ({ ok: true, message: 'ok' }),
      checkWritable: () => checkWritable(database),
      async sizes() {
        const row = await database.get<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
        return { database: row?.bytes ?? 0, wal: 0 }
      },
      async backup() {
        throw new StoreError(`${name} is backed up with the tools of PostgreSQL, such as pg_dump.`)
      },
      close: () => database.close(),
    }
    return createStore(engine, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function checkWritable(database: PostgresDatabase) {
  try {
    await database.write((tx) => tx.run(`update meta set value = value where key = 'database_id'`))
    return { ok: true, message: 'writable' }
  } catch (error) {
    return { ok: false, message: (error as Error).message }
  }
}

// Uses the clock of the server, so that the clocks of the processes may differ.
const CLAIM = claimStatement('(extract(epoch from clock_timestamp()) * 1000)::double precision', 'greatest')

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

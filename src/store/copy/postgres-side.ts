import { setTimeout as wait } from 'node:timers/promises'
import { StoreError } from '../errors.js'
import { toJsonb } from '../postgres/jsonb.js'
import { dropStatement, migrate, rejectUnfinishedCopy, requireCurrentSchema } from '../postgres/migrate.js'
import { PostgresDatabase } from '../postgres/postgres-database.js'
import { parsePostgresUrl } from '../postgres/postgres-url.js'
import type { Queries } from '../sql/sql-database.js'
import { COPIED_TABLES } from './copied-tables.js'
import type { CopySide, CopySource, CopyTarget, Row } from './copy-side.js'

type PostgresSide = CopySide & { database: PostgresDatabase }

/** How long to wait for other connections to close, in milliseconds. */
const CLOSING_MS = 1000

/** @throws UnusableDatabaseError; StoreError if the database cannot be reached, or while a process uses it */
export async function openPostgresSource(url: string): Promise<CopySource> {
  const side = await open(url, { readOnly: true }, async (database) => {
    await requireCurrentSchema(database)
    await rejectUnfinishedCopy(database)
    await assertNotInUse(database)
  })
  try {
    const lock = await lockWrites(side.database)
    return {
      ...side,
      async rejectChanges() {
        await lock.verify()
        // Another process that waits for the lock would write when the copy is finished.
        await assertNotInUse(side.database)
      },
      async close() {
        await lock.release()
        await side.close()
      },
    }
  } catch (error) {
    await side.close()
    throw error
  }
}

/** Locks all tables against writing until `release`. */
async function lockWrites(database: PostgresDatabase) {
  const release = new AbortController()
  const released = new Promise((resolve) => release.signal.addEventListener('abort', resolve))
  let attempts = 0
  const tables = ['meta', ...COPIED_TABLES.map(({ name }) => name)].join(', ')
  let held: Promise<unknown> = Promise.resolve()
  const queries = await new Promise<Queries>((resolve, reject) => {
    held = database.snapshot(async (queries) => {
      // A retry, because the connection was lost.
      if (++attempts > 1) throw new StoreError(`The connection to ${database.location.name} was lost.`)
      await queries.all('set local idle_in_transaction_session_timeout = 0')
      await queries.all(`lock table ${tables} in share mode`)
      resolve(queries)
      await released
    })
    held.catch(reject)
  })
  return {
    /** @throws StoreError if the lock was lost */
    verify: async () => {
      await queries.all('select 1').catch((error: Error) => {
        throw new StoreError(
          `The lock on ${database.location.name} was lost (${error.message}), so that something may have been written while it was copied. ` +
            'Copy again: it is continued, and verified.',
        )
      })
    },
    release: async () => {
      release.abort()
      await held.catch(() => undefined)
    },
  }
}

/** Opens a database to copy to, and creates its tables if it is empty. */
export async function openPostgresTarget(url: string, now: Date): Promise<CopyTarget> {
  const side = await open(url, {}, async (database) => void (await migrate(database, now)))
  const removal = dropStatement(parsePostgresUrl(url))
  return { ...side, isInPlace: true, removal, finish: () => side.close() }
}

/** @throws StoreError while another process of Quotekeeper, each of which keeps a connection open, uses the database */
async function assertNotInUse(database: PostgresDatabase): Promise<void> {
  const { name, application } = database.location
  for (const deadline = performance.now() + CLOSING_MS; ; await wait(100)) {
    const found = await database.all<{ host: string; sessions: number }>(
      `select coalesce(host(client_addr), 'its own machine or an unknown one') as host, count(*) as sessions from pg_stat_activity
      where datname = current_database() and application_name = @application group by 1 order by 1`,
      { application },
    )
    if (found.length === 0) return
    if (performance.now() < deadline) continue
    const sessions = found.reduce((sum, each) => sum + each.sessions, 0)
    throw new StoreError(
      `${name} is in use: Quotekeeper has ${sessions} connection${sessions === 1 ? '' : 's'} to it, from ` +
        `${found.map(({ host }) => host).join(', ')}. Stop all processes that use it first.`,
    )
  }
}

async function open(
  url: string,
  options: { readOnly?: boolean },
  prepare: (database: PostgresDatabase) => Promise<void>,
): Promise<PostgresSide> {
  const database = new PostgresDatabase(parsePostgresUrl(url), {
    // One of them holds the lock on the database that is copied.
    connections: 3,
    application: 'quotekeeper-copy',
    ...options,
  })
  try {
    await prepare(database)
    return sideOf(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

const sideOf = (database: PostgresDatabase): PostgresSide => ({
  name: database.location.name,
  database,
  async columnsOf(table) {
    const rows = await database.all<{ name: string }>(
      `select column_name as name from information_schema.columns
      where table_schema = current_schema() and table_name = @table order by ordinal_position`,
      { table },
    )
    return rows.map(({ name }) => name)
  },
  async insert(tx, table, columns, rows) {
    for (const row of rows) rejectNul(table, row)
    const isVersions = table === 'versions'
    const list = [...columns, ...(isVersions ? ['document'] : [])].join(', ')
    const complete = isVersions ? rows.map((row) => ({ ...row, document: documentOf(row) })) : rows
    await tx.run(`insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, @rows)`, {
      rows: JSON.stringify(complete),
    })
  },
  async newestNumber(table, column) {
    const sql = `select coalesce(pg_sequence_last_value(cast(pg_get_serial_sequence('${table}', '${column}') as regclass)), 0) as value`
    return (await database.get<{ value: number }>(sql))?.value ?? 0
  },
  async setNewestNumber(tx, table, column, value) {
    if (value > 0)
      await tx.get(`select setval(pg_get_serial_sequence('${table}', '${column}'), cast(@value as bigint))`, { value })
  },
  close: () => database.close(),
})

/** The column of `versions` that only PostgreSQL has. */
const documentOf = ({ parsed_body, body }: Row): unknown => toJsonb(JSON.parse(String(parsed_body ?? body)))

function rejectNul(table: string, row: Row): void {
  const found = Object.entries(row).find(([, value]) => typeof value === 'string' && value.includes('\0'))
  if (found)
    throw new StoreError(
      `${found[0]} of a row of ${table} has the character NUL, which PostgreSQL cannot store. Nothing after it was copied.`,
    )
}

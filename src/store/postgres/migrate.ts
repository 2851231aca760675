import { MissingDatabaseError, UnusableDatabaseError } from '../errors.js'
import { findMeta, UNFINISHED_COPY, unfinishedCopy } from '../sql/meta.js'
import {
  describeEarlyDatabase,
  FIRST_SCHEMA,
  type Migration,
  newestSchema,
  POSTGRES_MIGRATIONS,
} from '../sql/migrations.js'
import type { Queries, Transaction } from '../sql/sql-database.js'
import type { PostgresDatabase } from './postgres-database.js'

/** The oldest PostgreSQL that is supported, as `server_version_num`. */
const MIN_SERVER_VERSION = 140_000

/** The schema versions before and after opening; 0 is none. */
export interface PostgresMigrationReport {
  from: number
  to: number
}

interface Found {
  server: number
  encoding: string
  has_schema: boolean
  has_migrations: boolean
  tables: number
}

/**
 * Applies missing migrations in one transaction, under a lock. Other processes see the old schema or the new one.
 * @throws UnusableDatabaseError if the server is too old, or the schema belongs to another program or a newer Quotekeeper; and for an empty
 *   database unless `create` is true
 */
export function migrate(
  database: PostgresDatabase,
  now: Date,
  { create = true, steps = POSTGRES_MIGRATIONS }: { create?: boolean; steps?: readonly Migration[] } = {},
): Promise<PostgresMigrationReport> {
  return database.write(async (tx) => {
    const from = await checkSchema(tx, database, steps)
    if (from === 0 && !create) throw emptyDatabase(database)
    if (from === newestSchema(steps)) return { from, to: from }
    await applyMissing(tx, database, { steps, now })
    return { from, to: newestSchema(steps) }
  })
}

async function applyMissing(
  tx: Transaction,
  database: PostgresDatabase,
  { steps, now }: { steps: readonly Migration[]; now: Date },
): Promise<void> {
  // Migrations may take any time; but a wait for the lock of a table blocks other processes, so that is limited.
  await tx.run('set local statement_timeout = 0')
  await tx.run('set local lock_timeout = 0')
  await tx.lock('migration')
  await tx.run(`set local lock_timeout = '30s'`)
  // Another process may have applied them while this one waited for the lock.
  const current = await checkSchema(tx, database, steps)
  for (const step of steps.filter(({ version }) => version > current)) await apply(tx, database, step, now)
}

/** @throws UnusableDatabaseError unless the schema is that of this Quotekeeper */
export async function requireCurrentSchema(database: PostgresDatabase): Promise<void> {
  const version = await checkSchema(database, database, POSTGRES_MIGRATIONS)
  if (version === newestSchema(POSTGRES_MIGRATIONS)) return
  if (version === 0) throw emptyDatabase(database)
  throw new UnusableDatabaseError(
    `${database.location.name} was written by an older Quotekeeper (schema ${version}, this one reads ` +
      `${newestSchema(POSTGRES_MIGRATIONS)}). Upgrade it first with: quotekeeper check`,
  )
}

const emptyDatabase = ({ location: { name } }: PostgresDatabase) =>
  new MissingDatabaseError(`${name} is an empty database. Fill it first with: quotekeeper sync (or quotekeeper start).`)

/** @returns the version of the schema; 0 if it is empty */
async function checkSchema(
  queries: Queries,
  { location: { name, schema } }: PostgresDatabase,
  steps: readonly Migration[],
): Promise<number> {
  const found = (await queries.get<Found>(
    `select cast(current_setting('server_version_num') as integer) as server,
      current_setting('server_encoding') as encoding,
      exists (select 1 from pg_namespace where nspname = @schema) as has_schema,
      to_regclass(@migrations) is not null as has_migrations,
      (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = @schema and c.relkind in ('r', 'v', 'p', 'm')) as tables`,
    { schema, migrations: `"${schema}".migrations` },
  )) as Found
  if (found.server < MIN_SERVER_VERSION) {
    throw new UnusableDatabaseError(
      `${name} runs on PostgreSQL ${Math.floor(found.server / 10_000)}; 14 or newer is needed. Upgrade the server.`,
    )
  }
  if (found.encoding !== 'UTF8') {
    throw new UnusableDatabaseError(
      `The encoding of ${name} is ${found.encoding}; UTF8 is needed. Create a database with: createdb -E UTF8 -T template0`,
    )
  }
  if (!found.has_migrations) {
    if (found.tables === 0) return 0
    throw new UnusableDatabaseError(
      `The schema "${schema}" of ${name} has tables of another program. Choose another one: add ?schema=NAME to "database".`,
    )
  }
  const row = await queries.get<{ version: number }>(
    `select coalesce(max(number), 0) as version from "${schema}".migrations`,
  )
  const version = row?.version ?? 0
  if (version > 0 && version < FIRST_SCHEMA) throw new UnusableDatabaseError(describeEarlyDatabase(name))
  if (version > newestSchema(steps)) {
    throw new UnusableDatabaseError(
      `${name} was written by a newer Quotekeeper (schema ${version}, this one supports ${newestSchema(steps)}). ` +
        'Nothing was changed. Update Quotekeeper.',
    )
  }
  if (version > 0 && (await findMeta(queries, UNFINISHED_COPY)) !== null) throw unfinishedCopy(name)
  return version
}

async function apply(
  tx: Transaction,
  { location: { schema } }: PostgresDatabase,
  { version, name, sql }: Migration,
  now: Date,
): Promise<void> {
  const known = await tx.get('select 1 as found from pg_namespace where nspname = @schema', { schema })
  // A role that may not create schemas can use an existing one.
  if (!known) await tx.run(`create schema "${schema}"`)
  await tx.run(
    'create table if not exists migrations (number integer primary key, name text not null, applied_at text not null)',
  )
  await tx.run(sql)
  await tx.run('insert into migrations values (@version, @name, @at)', { version, name, at: now.toISOString() })
}

import { randomUUID } from 'node:crypto'
import { MissingDatabaseError, StoreError } from '../errors.js'
import { describeOtherSchema, readSchema, SCHEMA_NUMBER } from '../schema/schema.js'
import { CREATE_LIMITS } from '../sql/claim-starts.js'
import { findMeta, IDENTITY_KEY, setMeta } from '../sql/meta.js'
import type { Queries } from '../sql/sql-database.js'
import type { PostgresDatabase } from './postgres-database.js'
import { SETTINGS_REMEDY } from './postgres-errors.js'

/** The key of `meta` under which the number of the schema is stored. */
const SCHEMA_KEY = 'schema'

/**
 * Creates the tables if the schema is empty, in one transaction, under a lock.
 * @throws StoreError if the schema belongs to another program or another version of Quotekeeper; and for an empty
 *   database unless `create` is true
 */
export async function prepareSchema(database: PostgresDatabase, { create = true } = {}): Promise<void> {
  if (await hasSchema(database, database)) return
  const { schema, name } = database.location
  if (!create)
    throw new MissingDatabaseError(
      `${name} is an empty database. Fill it first with: quotekeeper sync (or quotekeeper start).`,
    )
  await database.write(async (tx) => {
    await tx.lock('schema')
    // Another process may have created them meanwhile.
    if (await hasSchema(tx, database)) return
    const known = await tx.get('select 1 as found from pg_namespace where nspname = @schema', { schema })
    // A role that may not create schemas can use an existing one.
    if (!known) await tx.run(`create schema "${schema}"`)
    await tx.run(readSchema('postgres'))
    await tx.run(CREATE_LIMITS)
    await setMeta(tx, IDENTITY_KEY, randomUUID())
    await setMeta(tx, SCHEMA_KEY, SCHEMA_NUMBER)
  })
}

/**
 * Whether the database has the schema of this Quotekeeper; false if it is empty.
 * @throws StoreError
 */
async function hasSchema(queries: Queries, { location: { name, schema } }: PostgresDatabase): Promise<boolean> {
  type Found = { encoding: string; path: string; is_ours: boolean; tables: number }
  const found = (await queries.get<Found>(
    `select current_setting('server_encoding') as encoding,
      current_setting('search_path') as path,
      to_regclass(@ours) is not null as is_ours,
      (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = @schema and c.relkind in ('r', 'v', 'p', 'm')) as tables`,
    { schema, ours: `"${schema}".close_decisions` },
  )) as Found
  if (found.encoding !== 'UTF8') {
    throw new StoreError(
      `The encoding of ${name} is ${found.encoding}; UTF8 is needed. Create a database with: createdb -E UTF8 -T template0`,
    )
  }
  if (found.path !== schema) throw new StoreError(`${name} ignores the settings of a connection. ${SETTINGS_REMEDY}`)
  if (found.tables === 0) return false
  if (!found.is_ours) {
    throw new StoreError(
      `The schema "${schema}" of ${name} has tables of another program. Choose another one: add ?schema=NAME to "database".`,
    )
  }
  if ((await findMeta(queries, SCHEMA_KEY)) !== String(SCHEMA_NUMBER)) throw new StoreError(describeOtherSchema(name))
  return true
}

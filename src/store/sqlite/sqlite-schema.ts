import { UnusableDatabaseError } from '../errors.js'
import { describeOtherSchema, readSchema, SCHEMA_NUMBER } from '../schema/schema.js'
import { UNFINISHED_COPY, unfinishedCopy } from '../sql/meta.js'
import type { Sqlite } from './sqlite.js'

/** Marks a file as a Quotekeeper database: "QKpr". */
export const APPLICATION_ID = 0x514b7072

/** The number of the schema of a file; 0 if it is empty. */
export const schemaNumber = (db: Sqlite): number => db.pragma('user_version', { simple: true }) as number

/**
 * Rejects a file that this Quotekeeper cannot use. An empty file passes.
 * @throws UnusableDatabaseError for a file of another program, or with another schema
 */
export function rejectOtherSchema(db: Sqlite): void {
  const { id, number, tables } = db
    .prepare(
      `select i.application_id as id, v.user_version as number, (select count(*) from sqlite_schema) as tables
      from pragma_application_id i, pragma_user_version v`,
    )
    .get() as { id: number; number: number; tables: number }
  if (id !== APPLICATION_ID && (number > 0 || tables > 0)) {
    throw new UnusableDatabaseError(
      `${db.name} is a database of another program. Set "database" in the configuration to another file.`,
    )
  }
  if (id !== APPLICATION_ID) return
  if (number !== SCHEMA_NUMBER) throw new UnusableDatabaseError(describeOtherSchema(db.name))
  if (db.prepare('select 1 from meta where key = ?').get(UNFINISHED_COPY)) throw unfinishedCopy(db.name)
}

/** Creates the schema in an empty file, in one transaction, unless another process has created it. */
export function createSchema(db: Sqlite): void {
  if (schemaNumber(db) > 0) return
  db.transaction(() => {
    if (schemaNumber(db) > 0) return
    db.exec(readSchema('sqlite'))
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${SCHEMA_NUMBER}`)
  }).immediate()
}

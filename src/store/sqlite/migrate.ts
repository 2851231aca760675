import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { UnusableDatabaseError } from '../errors.js'
import { UNFINISHED_COPY, unfinishedCopy } from '../sql/meta.js'
import {
  describeEarlyDatabase,
  FIRST_SCHEMA,
  type Migration,
  newestSchema,
  SQLITE_MIGRATIONS,
} from '../sql/migrations.js'
import type { Sqlite } from './connection.js'
import { retryWhileBusy } from './connection.js'

/** Marks a file as a Quotekeeper database: "QKpr". */
export const APPLICATION_ID = 0x514b7072

/** The schema versions before and after opening. */
export interface MigrationReport {
  from: number
  to: number
  /** Path of the copy made before migrating an existing database, or null. */
  backup: string | null
}

/**
 * Applies missing migrations in one transaction, so that other processes, also after a crash, see the old schema or the new one. Several
 * processes may start at the same time. Copies an existing database first.
 * @param now used for the entries and the name of the copy
 * @throws UnusableDatabaseError for a file of another program, of a newer Quotekeeper or of one before the first release
 */
export async function migrate(
  db: Sqlite,
  now: Date,
  steps: readonly Migration[] = SQLITE_MIGRATIONS,
): Promise<MigrationReport> {
  const newest = newestSchema(steps)
  const from = schemaVersion(db)
  rejectForeign(db, from)
  rejectOtherVersion(db, from, newest)
  const backup = from > 0 && from < newest ? copyBeforeMigration(db, from, now) : null
  try {
    if (from < newest) await retryWhileBusy(() => applyMissing(db, steps, now))
  } catch (error) {
    // The database is unchanged, so the copy is not needed.
    if (backup !== null) rmSync(backup, { force: true })
    throw error
  }
  return { from, to: newest, backup }
}

/**
 * Checks a database that must not be changed.
 * @throws UnusableDatabaseError unless it has the schema of this Quotekeeper
 */
export function requireCurrentSchema(db: Sqlite): void {
  const version = schemaVersion(db)
  const newest = newestSchema(SQLITE_MIGRATIONS)
  rejectForeign(db, version)
  rejectOtherVersion(db, version, newest)
  if (version === newest) return
  if (version === 0)
    throw new UnusableDatabaseError(`${db.name} is an empty database. Fill it first with: quotekeeper sync`)
  throw new UnusableDatabaseError(
    `${db.name} was written by an older Quotekeeper (schema ${version}, this one reads ${newest}). ` +
      'Upgrade it first with: quotekeeper check (which copies the database before).',
  )
}

export const schemaVersion = (db: Sqlite): number => db.pragma('user_version', { simple: true }) as number

function applyMissing(db: Sqlite, steps: readonly Migration[], now: Date): void {
  db.transaction(() => {
    // Another process may have applied them meanwhile.
    for (const step of steps.filter(({ version }) => version > schemaVersion(db))) apply(db, step, now)
  }).immediate()
}

function apply(db: Sqlite, { version, name, sql }: Migration, now: Date): void {
  db.exec(`create table if not exists migrations (number integer primary key, name text not null,
    applied_at text not null) strict`)
  db.exec(sql)
  db.prepare('insert into migrations values (?, ?, ?)').run(version, name, now.toISOString())
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${version}`)
}

/** @throws UnusableDatabaseError for a file of another program */
export const rejectOtherProgram = (db: Sqlite): void => rejectForeign(db, schemaVersion(db))

function rejectForeign(db: Sqlite, version: number): void {
  const id = db.pragma('application_id', { simple: true }) as number
  const tables = db.prepare('select count(*) from sqlite_schema').pluck().get() as number
  const ours = id === APPLICATION_ID || (version === 0 && tables === 0)
  // Another process may have created the tables and set the id between the two reads.
  if (!ours && db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new UnusableDatabaseError(
      `${db.name} is a database of another program. Set "database" in the configuration to another file.`,
    )
  }
}

function rejectOtherVersion(db: Sqlite, version: number, newest: number): void {
  if (version > 0 && version < FIRST_SCHEMA) throw new UnusableDatabaseError(describeEarlyDatabase(db.name))
  if (version > newest) {
    throw new UnusableDatabaseError(
      `${db.name} was written by a newer Quotekeeper (schema ${version}, this one supports ${newest}). ` +
        'Nothing was changed. Update Quotekeeper.',
    )
  }
  if (version > 0 && db.prepare('select 1 from meta where key = ?').get(UNFINISHED_COPY)) throw unfinishedCopy(db.name)
}

/** @returns null if another process has migrated the database in the meantime, which made its own copy */
function copyBeforeMigration(db: Sqlite, version: number, now: Date): string | null {
  const file = `${db.name}.schema-${version}-${now.toISOString().replaceAll(/[-:.]/g, '')}.bak`
  const unfinished = `${db.name}.upgrading-${randomUUID()}`
  try {
    db.prepare('vacuum into ?').run(unfinished)
    if (schemaVersion(db) !== version) return null
    renameSync(unfinished, file)
    return file
  } finally {
    for (const suffix of ['', '-journal']) rmSync(`${unfinished}${suffix}`, { force: true })
  }
}

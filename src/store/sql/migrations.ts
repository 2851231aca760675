import { POSTGRES_SCHEMA } from './postgres-schema.js'
import { SQLITE_SCHEMA } from './sqlite-schema.js'

/** Changes the schema of a database. One that was released is never edited: every change is a new one, with the same number on both engines. */
export interface Migration {
  version: number
  name: string
  sql: string
}

/** Databases with an older schema were written before the first release. */
export const FIRST_SCHEMA = 21

export const SQLITE_MIGRATIONS: readonly Migration[] = [
  { version: FIRST_SCHEMA, name: 'the beginning', sql: SQLITE_SCHEMA },
]
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  { version: FIRST_SCHEMA, name: 'the beginning', sql: POSTGRES_SCHEMA },
]

/** The version of the schema after these migrations. */
export const newestSchema = (steps: readonly Migration[]): number => steps.at(-1)?.version ?? 0

/** What to say of a database that was written before the first release. */
export const describeEarlyDatabase = (name: string): string =>
  `${name} was written by a Quotekeeper before its first release, which this one cannot read. Set "database" to another one, which the ` +
  'next polls fill, and keep this one for what it says of the past. The new one knows no close that was refused or is uncertain: look at what would be closed first (quotekeeper close-expired --dry-run).'

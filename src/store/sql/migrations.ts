import { POSTGRES_SCHEMA } from './postgres-schema.js'
import { SQLITE_SCHEMA } from './sqlite-schema.js'

/** A change of the schema. A released migration is never edited; each change is a new migration, with the same number on both engines. */
export interface Migration {
  version: number
  name: string
  sql: string
}

/** Databases with a lower schema number were written before the first release. */
export const FIRST_SCHEMA = 25

export const SQLITE_MIGRATIONS: readonly Migration[] = [
  { version: FIRST_SCHEMA, name: 'initial schema', sql: SQLITE_SCHEMA },
]
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  { version: FIRST_SCHEMA, name: 'initial schema', sql: POSTGRES_SCHEMA },
]

/** The version of the schema after these migrations. */
export const newestSchema = (steps: readonly Migration[]): number => steps.at(-1)?.version ?? 0

/** The error for a database that was written before the first release. */
export const describeEarlyDatabase = (name: string): string =>
  `${name} was written by a Quotekeeper before its first release, which this version cannot read. Set "database" to a new one, which the ` +
  'next polls fill, and keep the old one for its history. The new one does not know which closes were refused or are uncertain: check first what would be closed (quotekeeper close-expired --dry-run).'

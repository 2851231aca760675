import { readFileSync } from 'node:fs'

/** The number of the schema, which each database stores. Raise it when a change of the .sql files reaches users. */
export const SCHEMA_NUMBER = 34

/** The SQL that creates the tables, views and triggers in an empty database. */
export const readSchema = (engine: 'sqlite' | 'postgres'): string =>
  ['tables', engine].map((name) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')).join('\n')

/**
 * Why a database with another schema is refused, and what to do: before 1.0, there are no migrations.
 * @param name of the database
 */
export const describeOtherSchema = (name: string): string =>
  `${name} was written by another version of Quotekeeper, which this one (schema ${SCHEMA_NUMBER}) cannot read. Nothing was changed. ` +
  'Use that version, or set "database" to a new one, which the next polls fill, and keep the old one for its history. The new one ' +
  'does not know which closes were refused or are uncertain: check first what would be closed (quotekeeper close-expired --dry-run).'

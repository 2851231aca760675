import { readFileSync } from 'node:fs'

/** The number of the schema, which each database stores. Raise it when a change of the .sql files reaches users. */
export const SCHEMA_NUMBER = 36

const read = (name: string): string => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')

/** What SQLite has in place of the order of an index, a column and functions of PostgreSQL. */
const IN_SQLITE: readonly [RegExp, string][] = [
  [/for each row execute function refuse_change\((.*)\);/g, 'begin select raise(abort, $1); end;'],
  [/ nulls last/g, ''],
  [/v\.document /g, 'coalesce(d.latest_body, v.body) '],
  [/number_of\(([^()]*)-> ('\w+')\)/g, '($1->> $2)'],
  [/objects_of\((.*)\) (\w) on true/g, `json_each($1) $2 on typeof($2.key) = 'integer' and $2.type = 'object'`],
  [/length_of\((.*)\)/g, 'coalesce(json_array_length($1), 0)'],
]

/** The SQL that creates the tables, views and triggers in an empty database. */
export function readSchema(engine: 'sqlite' | 'postgres'): string {
  const sql = ['tables', engine, 'views'].map(read).join('\n')
  return engine === 'sqlite' ? IN_SQLITE.reduce((text, [other, own]) => text.replace(other, own), sql) : sql
}

/**
 * Why a database with another schema is refused, and what to do: before 1.0, there are no migrations.
 * @param name of the database
 */
export const describeOtherSchema = (name: string): string =>
  `${name} was written by another version of Quotekeeper, which this one (schema ${SCHEMA_NUMBER}) cannot read. Nothing was changed. ` +
  'Use that version, or set "database" to a new one, which the next polls fill, and keep the old one for its history. The new one ' +
  'does not know which closes were refused or are uncertain: check first what would be closed (quotekeeper close-expired --dry-run).'

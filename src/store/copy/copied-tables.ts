import Database from 'better-sqlite3'
import { readSchema } from '../schema/schema.js'

/** A table that is copied row by row. */
export interface CopiedTable {
  name: string
  columns: readonly { name: string; type: string }[]
  /** The columns by which rows are read in pages. */
  key: readonly string[]
  /** Whether the database numbers the rows, by the key. */
  isNumbered: boolean
}

/** Not copied: `meta` is copied last, and the limits of requests are those of a clock. */
const OTHER_TABLES = ['meta', 'request_limits']

/** The tables of the schema, each after those that it references. */
export function copiedTables(): CopiedTable[] {
  const db = new Database(':memory:')
  try {
    db.exec(readSchema('sqlite'))
    const tables = db
      .prepare("select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by rowid")
      .all() as { name: string; sql: string }[]
    return tables
      .filter(({ name }) => !OTHER_TABLES.includes(name))
      .map(({ name, sql }) => {
        const columns = db.pragma(`table_info(${name})`) as {
          name: string
          type: string
          pk: number
          notnull: number
        }[]
        const primary = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
        const key = primary.length > 0 ? primary : columns.filter(({ notnull }) => notnull === 1)
        return {
          ...{ name, columns, key: key.map((column) => column.name) },
          isNumbered: sql.includes('autoincrement'),
        }
      })
  } finally {
    db.close()
  }
}

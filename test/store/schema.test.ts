import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../../src/store/schema/schema.js'

/** What only PostgreSQL has. */
const ONLY_POSTGRES = { table: 'request_limits', column: 'versions.document' }

/** The columns of all tables as a schema declares them, in their order: `versions.body`. */
const columnsIn = (sql: string) =>
  [...sql.matchAll(/^create table (\w+) \((.*\)|\n[\s\S]*?\n\))[^)\n]*;$/gm)].flatMap(([, table, body = '']) =>
    body
      .split(/\n|, (?=\w+ (?:text|integer|bigint) )/)
      .flatMap((line) => /^ *(\w+) (?:text|integer|bigint|real|double precision|jsonb)/.exec(line)?.[1] ?? [])
      .map((column) => `${table}.${column}`),
  )

describe('the schemas of SQLite and PostgreSQL', () => {
  it('have the same tables and columns, in the same order', () => {
    const isOfBoth = (column: string) =>
      !column.startsWith(`${ONLY_POSTGRES.table}.`) && column !== ONLY_POSTGRES.column
    const [sqlite, postgres] = [columnsIn(readSchema('sqlite')), columnsIn(readSchema('postgres'))]
    expect(postgres.filter(isOfBoth)).toEqual(sqlite)
    expect(postgres.length).toBeGreaterThan(sqlite.length)
  })

  it('have the tables that SQLite creates, whose keys come first in a table without rowid', () => {
    const db = new Database(':memory:')
    db.exec(readSchema('sqlite'))
    const columns = db
      .prepare(
        `select t.name || '.' || c.name as name, t.wr as has_no_rowid, c.pk, c.cid
        from pragma_table_list t join pragma_table_xinfo(t.name) c
        where t.type = 'table' and t.name not like 'sqlite_%' order by t.name, c.cid`,
      )
      .all() as { name: string; has_no_rowid: number; pk: number; cid: number }[]
    expect(columns.map(({ name }) => name)).toEqual(
      columnsIn(readSchema('sqlite')).sort((a, b) => tableOf(a).localeCompare(tableOf(b))),
    )
    // Otherwise `pragma integrity_check` of older versions of SQLite reports errors that are none.
    const misplaced = columns.filter(({ has_no_rowid, pk, cid }) => has_no_rowid === 1 && pk > 0 && pk !== cid + 1)
    expect(misplaced).toEqual([])
    expect(columns.some(({ has_no_rowid }) => has_no_rowid === 1)).toBe(true)
  })
})

const tableOf = (column: string) => column.slice(0, column.indexOf('.'))

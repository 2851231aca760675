import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { readSchema } from '../../src/store/schema/schema.js'

const ONLY_POSTGRES = /^request_limits\.|^versions\.document$/

/** The columns of all tables as the schema of PostgreSQL declares them: `versions.body`. */
const columnsOfPostgres = () =>
  [...readSchema('postgres').matchAll(/^create table (\w+) \((.*\)|\n[\s\S]*?\n\))[^)\n]*;$/gm)].flatMap(
    ([, table, body = '']) =>
      body
        .split(/\n|, (?=\w+ (?:text|integer|bigint) )/)
        .flatMap((line) => /^ *(\w+) (?:text|integer|bigint|real|double precision|jsonb)/.exec(line)?.[1] ?? [])
        .map((column) => `${table}.${column}`),
  )

it('the schemas of SQLite and PostgreSQL have the same tables and columns, and keys come first in a table without rowid', () => {
  const db = new Database(':memory:')
  db.exec(readSchema('sqlite'))
  const columns = db
    .prepare(
      `select t.name || '.' || c.name as name, t.wr as has_no_rowid, c.pk, c.cid
      from pragma_table_list t join pragma_table_xinfo(t.name) c
      where t.type = 'table' and t.name not like 'sqlite_%'`,
    )
    .all() as { name: string; has_no_rowid: number; pk: number; cid: number }[]
  const postgres = columnsOfPostgres().filter((column) => !ONLY_POSTGRES.test(column))
  expect(columns.map(({ name }) => name).sort()).toEqual(postgres.sort())
  // Otherwise `pragma integrity_check` of older versions of SQLite reports errors that are none.
  const misplaced = columns.filter(({ has_no_rowid, pk, cid }) => has_no_rowid === 1 && pk > 0 && pk !== cid + 1)
  expect(misplaced).toEqual([])
})

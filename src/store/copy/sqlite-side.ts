import { existsSync, renameSync } from 'node:fs'
import { StoreError } from '../errors.js'
import { flush } from '../maintenance/backup.js'
import { assertNotInUse } from '../maintenance/restore.js'
import { Connection } from '../sqlite/connection.js'
import { migrate, rejectOtherProgram, requireCurrentSchema } from '../sqlite/migrate.js'
import { requireFile } from '../sqlite/read-only.js'
import { sqliteDatabase } from '../sqlite/sqlite-database.js'
import type { CopySide, CopySource, CopyTarget } from './copy-side.js'

/** @throws StoreError while a process uses the file; UnusableDatabaseError */
export async function openSqliteSource(path: string): Promise<CopySource> {
  requireFile(path)
  assertNotInUse(path)
  const connection = await Connection.openReadOnly(path, async (db) => requireCurrentSchema(db))
  // SQLite changes this number whenever another connection commits.
  const version = () => connection.read(() => connection.reader.pragma('data_version', { simple: true }))
  const opened = await version()
  return {
    ...sideOf(path, connection),
    async rejectChanges(removal) {
      if ((await version()) !== opened)
        throw new StoreError(
          `${path} was written to while it was copied, so the copy cannot be used. Stop all processes that use it, remove the copy ` +
            `(${removal}), and copy again.`,
        )
    },
  }
}

/** The name of the file until the copy is finished, so that nothing uses it before. */
export const unfinishedPath = (path: string): string => `${path}.copying`

/** @throws StoreError if the file exists */
export async function openSqliteTarget(path: string, now: Date): Promise<CopyTarget> {
  if (existsSync(path)) throw new StoreError(`${path} already exists. Copy to a file that does not exist.`)
  const unfinished = unfinishedPath(path)
  const connection = await Connection.open(unfinished, {
    inspect: rejectOtherProgram,
    prepare: async (db) => void (await migrate(db, now)),
  })
  return {
    ...sideOf(path, connection),
    isInPlace: false,
    removal: `delete the file ${unfinished}`,
    async finish() {
      // The last connection moves the write-ahead log into the file.
      await connection.close()
      flush(unfinished)
      renameSync(unfinished, path)
    },
  }
}

function sideOf(name: string, connection: Connection): CopySide {
  const database = sqliteDatabase(connection)
  return {
    name,
    database,
    async columnsOf(table) {
      const rows = await database.all<{ name: string }>('select name from pragma_table_info(@table)', { table })
      return rows.map((row) => row.name)
    },
    async insert(tx, table, columns, rows) {
      const values = columns.map((column) => `@${column}`)
      const sql = `insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`
      for (const row of rows) await tx.run(sql, row)
    },
    async newestNumber(table) {
      const row = await database.get<{ seq: number }>('select seq from sqlite_sequence where name = @table', { table })
      return row?.seq ?? 0
    },
    async setNewestNumber(tx, table, _, value) {
      await tx.run('delete from sqlite_sequence where name = @table', { table })
      if (value > 0) await tx.run('insert into sqlite_sequence (name, seq) values (@table, @value)', { table, value })
    },
    close: () => connection.close(),
  }
}

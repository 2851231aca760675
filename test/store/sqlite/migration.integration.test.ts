import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { newestSchema, SQLITE_MIGRATIONS } from '../../../src/store/sql/migrations.js'
import { migrate } from '../../../src/store/sqlite/migrate.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { testFolder } from '../../helpers/test-folder.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const NEWEST = newestSchema(SQLITE_MIGRATIONS)
const LATER = { version: NEWEST + 1, name: 'one more', sql: 'create table one_more (a text) strict' }

/** A database of the present schema with one finished run. */
async function newDatabase(): Promise<string> {
  const path = join(testFolder(), 'quotekeeper.db')
  const db = new Database(path)
  await migrate(db, NOW)
  db.exec(`insert into runs (channel, kind, started_at, finished_at, outcome, holder, lease_until)
    values ('acme/forest', 'rfqs', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z', 'complete', '{}', '')`)
  db.close()
  return path
}
const filesBeside = (path: string) => readdirSync(join(path, '..')).sort()

describe('a new database that several processes create at once', () => {
  it('is never seen or copied with an incomplete schema', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = join(testFolder(), 'quotekeeper.db')
      const connections = Array.from({ length: 3 }, () => new Database(path))
      const reports = await Promise.all(connections.map((db) => migrate(db, NOW)))
      for (const report of reports) {
        expect(report).toMatchObject({ to: NEWEST, backup: null })
        expect([0, NEWEST]).toContain(report.from)
      }
      for (const db of connections) db.close()
      expect(filesBeside(path).filter((name) => name.endsWith('.bak'))).toEqual([])
    }
  })
})

describe('a migration', () => {
  it('is applied once, keeps the data, and copies the database first', async () => {
    const path = await newDatabase()
    for (let round = 0; round < ROUNDS; round++) {
      const db = new Database(path)
      const report = await migrate(db, NOW, [...SQLITE_MIGRATIONS, LATER])
      const backup = `${path}.schema-${NEWEST}-20261121T120000000Z.bak`
      const first = { from: NEWEST, to: LATER.version, backup }
      expect(report).toEqual(round === 0 ? first : { from: LATER.version, to: LATER.version, backup: null })
      expect(db.prepare('select channel from runs').all()).toEqual([{ channel: 'acme/forest' }])
      db.close()
    }
    const copies = filesBeside(path).filter((name) => name.endsWith('.bak'))
    expect(copies).toHaveLength(1)
    const copy = new Database(join(path, '..', copies[0] as string), { readonly: true })
    expect(copy.pragma('user_version', { simple: true })).toBe(NEWEST)
    copy.close()
    await expect(openStore({ path })).rejects.toThrow(/newer Quotekeeper .*Nothing was changed/)
  })

  it('that fails changes nothing and leaves no copy, over several attempts', async () => {
    const path = await newDatabase()
    const broken = { ...LATER, sql: 'create table one_more (a); create table one_more (a)' }
    for (let round = 0; round < ROUNDS; round++) {
      const db = new Database(path)
      await expect(migrate(db, NOW, [...SQLITE_MIGRATIONS, broken])).rejects.toThrow('already exists')
      expect(db.pragma('user_version', { simple: true })).toBe(NEWEST)
      db.close()
      expect(filesBeside(path)).toEqual(['quotekeeper.db'])
    }
  })
})

it.each([1, 12, 18])(
  'a database with schema %i, from before the first release, is refused and unchanged',
  async (schema) => {
    const path = await newDatabase()
    const db = new Database(path)
    db.pragma(`user_version = ${schema}`)
    db.close()
    await expect(openStore({ path })).rejects.toThrow(/before its first release.*Set "database" to a new one/)
    expect(filesBeside(path).filter((name) => name.endsWith('.bak'))).toEqual([])
  },
)

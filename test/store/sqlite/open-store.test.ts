import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
import { openDatabaseReader } from '../../../src/store/open-database.js'
import { SCHEMA_NUMBER } from '../../../src/store/schema/schema.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../helpers/test-folder.js'

describe('openStore', () => {
  it('makes the file accessible to its owner only', async () => {
    const folder = testFolder()
    const db = await openStore({ path: join(folder, 'deep', 'test.db') })
    await db.close()
    expect(statSync(db.name).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700)
  })

  it('rejects an unusable file with a remedy', async () => {
    const folder = testFolder()
    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database, but longer than a database header'.repeat(40))
    await expect(openStore({ path: text })).rejects.toThrow(
      /damaged, or not a SQLite file.*Check the path of "database".*Restore a backup.*sqlite3 \S+ \.recover \| sqlite3 recovered\.db/s,
    )
    const foreign = join(folder, 'foreign.db')
    new Database(foreign).exec('create table theirs (a)').close()
    const untouched = readFileSync(foreign)
    for (let round = 0; round < 6; round++) {
      await expect(openStore({ path: foreign, readOnly: round % 2 === 1 })).rejects.toThrow(/another program/)
      expect(readFileSync(foreign).equals(untouched)).toBe(true)
      expect(readdirSync(folder).sort()).toEqual(['foreign.db', 'text.db'])
    }
    await expect(openStore({ path: join(folder, 'none.db'), create: false })).rejects.toThrow(StoreError)
    expect(existsSync(join(folder, 'none.db'))).toBe(false)
  })

  it('rejects a database of another version, with what to do, and leaves it unchanged', async () => {
    const path = join(testFolder(), 'new.db')
    await (await openStore({ path })).close()
    const raw = new Database(path)
    for (const number of [SCHEMA_NUMBER - 1, SCHEMA_NUMBER + 1]) {
      raw.pragma(`user_version = ${number}`)
      const before = readFileSync(path)
      const message = /another version of Quotekeeper.*Nothing was changed.*set "database" to a new one.*--dry-run/s
      await expect(openStore({ path })).rejects.toThrow(message)
      await expect(openDatabaseReader(path)).rejects.toThrow(message)
      expect(readFileSync(path).equals(before)).toBe(true)
    }
    raw.close()
  })

  it('lets several processes create the same database at once', async () => {
    const path = join(testFolder(), 'test.db')
    const opened = await Promise.all(Array.from({ length: 5 }, () => openStore({ path })))
    for (const db of opened) expect(await db.check()).toMatchObject({ ok: true })
    expect(new Set(await Promise.all(opened.map((db) => db.identity()))).size).toBe(1)
    for (const db of opened) await db.close()
  })
})

import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { restoreDatabase } from '../../../src/store/maintenance/restore.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { mountSmallDisk } from '../../helpers/servers/small-disk.js'
import { closedAtEnd } from '../../helpers/store/store-engine.js'
import { testFolder } from '../../helpers/test-folder.js'

const NOW = new Date('2026-11-21T17:00:00.500Z')

/** A database with two RFQs, a backup with the first of them, and neither in use. */
async function databaseWithBackup() {
  const fixture = await openChannelFixture()
  const database = fixture.store.name
  const backup = join(testFolder(), 'backup.db')
  const first = fixture.sandbox.world.addRfq(CHANNEL).id
  await fixture.pollRfqs()
  await fixture.store.backup(backup)
  const second = fixture.sandbox.world.addRfq(CHANNEL).id
  fixture.advanceSeconds(60)
  await fixture.pollRfqs()
  const idsIn = async (path: string) => {
    const store = closedAtEnd(await openStore({ path }))
    const ids = (await store.rfqs({})).map(({ rfq }) => rfq.id).sort()
    await store.close()
    return ids
  }
  return { fixture, database, backup, first, second, idsIn, close: () => fixture.store.close() }
}

describe('restoring a backup', () => {
  it('replaces the database and keeps each replaced one, with its newest data, and its identity', async () => {
    const { fixture, database, backup, first, second, idsIn, close } = await databaseWithBackup()
    const identity = await fixture.store.identity()
    await close()
    expect(await idsIn(database)).toEqual([first, second].sort())
    const kept = new Set<string>()
    for (let round = 0; round < 3; round++) {
      const replaced = await restoreDatabase({ backup, database, by: 'ana', now: new Date(NOW.getTime() + round) })
      expect(await idsIn(database)).toEqual([first])
      expect(statSync(database).mode & 0o777).toBe(0o600)
      kept.add(replaced ?? '')
    }
    expect(kept.size).toBe(3)
    expect([...kept][0]).toBe(`${database}.replaced-20261121T170000500Z`)
    expect(await idsIn([...kept][0] as string)).toEqual([first, second].sort())
    expect(readdirSync(join(database, '..')).filter((name) => name.includes('restoring'))).toEqual([])
    const missing = join(testFolder(), 'new', 'folder', 'quotekeeper.db')
    expect(await restoreDatabase({ backup, database: missing, by: 'ana', now: NOW })).toBeNull()
    for (const path of [database, missing]) {
      const store = await openStore({ path })
      expect([await store.identity(), (await store.rfqs({})).map(({ rfq }) => rfq.id)]).toEqual([identity, [first]])
      expect(await store.check()).toMatchObject({ ok: true })
      await store.close()
    }
  })

  it('never applies a stale write-ahead log to the restored database, and keeps it with the replaced one', async () => {
    const { database, backup, first, second, idsIn, close, fixture } = await databaseWithBackup()
    const copy = join(testFolder(), 'crashed.db')
    copyFileSync(database, copy)
    copyFileSync(`${database}-wal`, `${copy}-wal`) // As after a crash: transactions only in the log.
    await close()
    expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0)
    const kept = await restoreDatabase({ backup, database: copy, by: 'ana', now: NOW })
    expect(existsSync(`${copy}-wal`)).toBe(false)
    expect(await idsIn(copy)).toEqual([first])
    expect(await idsIn(kept ?? '')).toEqual([first, second].sort())
    expect(fixture.posts()).toEqual([])
  })

  it('replaces the damaged file to which a link leads, and keeps it in its folder', async () => {
    const { database, backup, first, idsIn, close } = await databaseWithBackup()
    await close()
    const damaged = Buffer.alloc(64 * 1024, 0x5a)
    writeFileSync(database, damaged)
    writeFileSync(`${database}-wal`, 'not a log')
    writeFileSync(`${database}-shm`, 'not an index')
    const link = join(testFolder(), 'linked.db')
    symlinkSync(database, link)
    const kept = await restoreDatabase({ backup, database: link, by: 'ana', now: NOW })
    expect(kept).toBe(`${database}.replaced-20261121T170000500Z`)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(await idsIn(database)).toEqual([first])
    expect(readFileSync(kept ?? '').equals(damaged)).toBe(true)
  })

  it('is refused while the database is open', async () => {
    const folder = testFolder()
    const [database, backup] = [join(folder, 'quotekeeper.db'), join(folder, 'backup.db')]
    const store = await openStore({ path: database })
    await store.backup(backup)
    await store.close()
    const user = new Database(database)
    user.prepare('select count(*) from runs').get()
    const restore = () => restoreDatabase({ backup, database, by: 'ana', now: new Date() })
    for (let round = 0; round < ROUNDS; round++) await expect(restore()).rejects.toThrow('in use')
    user.close()
    expect(await restore()).toContain('.replaced-')
  })

  it('rejects a file that is damaged, of another program or of a newer schema, and changes nothing', async () => {
    const { database, backup, close } = await databaseWithBackup()
    await close()
    const before = readFileSync(database)
    const folder = testFolder()
    const make = (name: string, change: (path: string) => void) => {
      const path = join(folder, name)
      copyFileSync(backup, path)
      change(path)
      return path
    }
    const withPragma = (pragma: string) => (path: string) => {
      const db = new Database(path)
      db.pragma(pragma)
      db.close()
    }
    const unusable = /is damaged, or no database of this version/
    const cases: [string, RegExp][] = [
      [join(folder, 'missing.db'), /there is no such file/],
      [folder, /directory/],
      [make('text.db', (path) => writeFileSync(path, 'no database')), unusable],
      [make('empty.db', (path) => writeFileSync(path, '')), unusable],
      [make('other.db', withPragma('application_id = 1')), unusable],
      [make('newer.db', withPragma('user_version = 9999')), unusable],
      [
        make('torn.db', (path) => {
          const bytes = readFileSync(path)
          bytes.fill(0x5a, Math.floor(bytes.length / 8192) * 4096)
          writeFileSync(path, bytes)
        }),
        unusable,
      ],
    ]
    for (const [file, message] of cases)
      await expect(restoreDatabase({ backup: file, database, by: 'ana', now: NOW })).rejects.toThrow(message)
    expect(readFileSync(database).equals(before)).toBe(true)
    expect(readdirSync(join(database, '..')).sort()).toEqual([basename(database)])
  })

  it('on a full disk leaves the database in place and no partial file', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('this user cannot mount a file system')
    const { database, backup, close } = await databaseWithBackup()
    await close()
    const path = join(disk.folder, 'quotekeeper.db')
    copyFileSync(database, path)
    const ballast = Buffer.alloc(3 * 2 ** 20 - statSync(path).size - 16_384)
    writeFileSync(join(disk.folder, 'ballast'), ballast)
    await expect(restoreDatabase({ backup, database: path, by: 'ana', now: NOW })).rejects.toThrow(
      /The database was not replaced by .*(no space left|disk is full)/,
    )
    expect(readdirSync(disk.folder).sort()).toEqual(['ballast', 'quotekeeper.db'])
    expect(readFileSync(path).equals(readFileSync(database))).toBe(true)
  })
})

describe('a backup', () => {
  it('on a full disk reports it and leaves no file', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('this user cannot mount a file system')
    const { fixture } = await databaseWithBackup()
    writeFileSync(join(disk.folder, 'ballast'), Buffer.alloc(3 * 2 ** 20 - 32_768))
    const file = join(disk.folder, 'backup.db')
    await expect(fixture.store.backup(file)).rejects.toThrow(
      /The backup .*backup\.db cannot be written .*Check that its disk has space/,
    )
    expect(readdirSync(disk.folder)).toEqual(['ballast'])
  })

  it('leaves no file when it is stopped, before it begins or in between', async () => {
    const { fixture } = await databaseWithBackup()
    const folder = testFolder()
    const db = new Database(fixture.store.name)
    db.exec('create table ballast (a blob); insert into ballast values (zeroblob(16777216))')
    db.close()
    for (let round = 0; round < ROUNDS; round++) {
      const controller = new AbortController()
      if (round % 2 === 0) controller.abort(new Error('stopped'))
      const copied = fixture.store.backup(join(folder, 'b.db'), controller.signal)
      setImmediate(() => controller.abort(new Error('stopped')))
      await expect(copied).rejects.toThrow('stopped')
      expect(readdirSync(folder)).toEqual([])
    }
    await fixture.store.backup(join(folder, 'b.db'))
    expect(readdirSync(folder)).toEqual(['b.db'])
  })

  it('is a private file, never over an existing one, and in a folder that exists', async () => {
    const { fixture, backup } = await databaseWithBackup()
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    await expect(fixture.store.backup(backup)).rejects.toThrow(/already exists/)
    const unmounted = join(testFolder(), 'unmounted', 'b.db')
    await expect(fixture.store.backup(unmounted)).rejects.toThrow(/does not exist. Create/)
  })
})

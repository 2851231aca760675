import { copyFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { compactDatabase } from '../../../src/store/maintenance/compact.js'
import { PAGE_SIZE } from '../../../src/store/sqlite/sqlite.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { mountSkipReason, mountSmallDisk, type SmallDisk } from '../../helpers/servers/small-disk.js'
import { testFolder } from '../../helpers/test-folder.js'

/** A database with pages of 4 KiB, as earlier versions made it, and some unused bytes. */
async function databaseOfSmallPages(unused: number): Promise<string> {
  const folder = testFolder()
  const made = join(folder, 'made.db')
  await (await openStore({ path: made })).close()
  const path = join(folder, 'quotekeeper.db')
  const db = new Database(made)
  db.pragma('page_size = 4096')
  db.prepare('vacuum into ?').run(path)
  db.close()
  const copy = new Database(path)
  copy.pragma('journal_mode = wal')
  copy.exec(`create table filler as select zeroblob(${unused}) as bytes; drop table filler`)
  copy.close()
  return path
}

const pragmas = (path: string) => {
  const db = new Database(path, { readonly: true })
  const found = ['page_size', 'journal_mode', 'quick_check'].map((name) => db.pragma(name, { simple: true }))
  db.close()
  return found
}

it('page size › is large in a new file, and unchanged in an existing one', async () => {
  const path = join(testFolder(), 'new.db')
  await (await openStore({ path })).close()
  expect(pragmas(path)).toEqual([PAGE_SIZE, 'wal', 'ok'])
  const old = await databaseOfSmallPages(1000)
  for (let round = 0; round < ROUNDS; round++) await (await openStore({ path: old })).close()
  expect(pragmas(old)).toEqual([4096, 'wal', 'ok'])
})

it('compacting › sets the large page size, unless that would enlarge the file', async () => {
  const large = await databaseOfSmallPages(20 * 2 ** 20)
  const small = await databaseOfSmallPages(1000)
  const identity = async (path: string) => {
    const store = await openStore({ path })
    const found = await store.identity()
    await store.close()
    return found
  }
  const before = await identity(large)
  expect(compactDatabase(large).after).toBeLessThan(2 ** 21)
  expect(pragmas(large)).toEqual([PAGE_SIZE, 'wal', 'ok'])
  expect(await identity(large)).toBe(before)
  const size = statSync(small).size
  expect(compactDatabase(small).after).toBeLessThanOrEqual(size)
  expect(pragmas(small)).toEqual([4096, 'wal', 'ok'])
})

it.skipIf(mountSkipReason() !== null)(
  'compacting › fails without changes on a full disk, and reports the needed and the free space',
  async () => {
    const { folder } = mountSmallDisk('12m') as SmallDisk
    const [path, ballast] = [join(folder, 'quotekeeper.db'), join(folder, 'ballast')]
    copyFileSync(await databaseOfSmallPages(2 ** 20), path)
    const db = new Database(path)
    db.exec(`create table kept as select randomblob(${3 * 2 ** 20}) as bytes`)
    db.pragma('wal_checkpoint(truncate)')
    const unused = (db.pragma('freelist_count', { simple: true }) as number) * 4096
    db.close()
    const data = statSync(path).size - unused
    const message =
      /needs about 3\.\d MB to 6\.\d MB, and \d\.\d MB are free in .*The file was not compacted\. Free some space/
    for (const free of [2_000_000, 1_000_000, 500_000, 100_000, 2_000_000, 1_000_000]) {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - free))
      expect(() => compactDatabase(path)).toThrow(message)
      rmSync(ballast)
      expect(pragmas(path)[2]).toBe('ok')
    }
    // Rows are packed anew, which may take one more page.
    expect(compactDatabase(path).after).toBeLessThanOrEqual(data + 4096)
  },
)

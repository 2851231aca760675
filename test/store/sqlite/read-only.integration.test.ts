import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SQLITE_MIGRATIONS } from '../../../src/store/sql/migrations.js'
import { openStore, type StoreOptions } from '../../../src/store/sqlite/store.js'
import { openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { mountSmallDisk, type SmallDisk } from '../../helpers/servers/small-disk.js'

async function open(options: StoreOptions) {
  const store = await openStore(options)
  onTestFinished(() => store.close().catch(() => undefined)) // A test may have closed it.
  return store
}

/** A database with one RFQ on its own small disk, and the same with its last transactions only in the write-ahead log. */
async function databaseOn(disk: SmallDisk) {
  const fixture = await openChannelFixture({ rfqs: 1, responsesPerRfq: 1 })
  await fixture.pollRfqs()
  const [path, crashed] = [join(disk.folder, 'quotekeeper.db'), join(disk.folder, 'crashed.db')]
  for (const suffix of ['', '-wal']) copyFileSync(fixture.store.name + suffix, crashed + suffix)
  const [expected] = await fixture.store.rfqs({})
  await fixture.store.close()
  copyFileSync(fixture.store.name, path)
  return { path, crashed, id: expected?.rfq.id }
}

const copiesLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith('quotekeeper-read-')).length

describe('a database that cannot be written', () => {
  it('is read from a read-only disk, with and without a write-ahead log, and from a copy that is removed', async ({
    skip,
  }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('this user cannot mount a file system')
    const { path, crashed, id } = await databaseOn(disk)
    disk.setReadOnly(true)
    await expect(openStore({ path })).rejects.toThrow(/cannot be opened for writing.*read-only/)
    const before = copiesLeft()
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of [path, crashed]) {
        const reasons: string[] = []
        const store = await open({ path: each, readOnlyIfNeeded: true, onReadOnly: (reason) => reasons.push(reason) })
        expect((await store.rfqs({})).map(({ rfq }) => rfq.id)).toEqual([id])
        expect(await store.check()).toMatchObject({ ok: true })
        expect(reasons).toEqual([expect.stringContaining('cannot be opened for writing')])
        await expect(store.beginRun({ channel: 'a/b', kind: 'rfqs', now: new Date() })).rejects.toThrow(
          /opened for reading only/,
        )
        expect(await store.checkWritable()).toEqual({
          ok: false,
          message: expect.stringContaining('opened for reading only'),
        })
        await store.close()
      }
    }
    expect(copiesLeft()).toBe(before)
    disk.setReadOnly(false)
    const writable = await open({ path, readOnlyIfNeeded: true })
    expect(await writable.checkWritable()).toMatchObject({ message: expect.stringContaining('disk almost full') })
  })

  it('is read on a full disk', async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === null) return skip('this user cannot mount a file system')
    const { path, id } = await databaseOn(disk)
    fillUp(join(disk.folder, 'ballast'))
    const store = await open({ path, readOnlyIfNeeded: true })
    expect((await store.rfqs({})).map(({ rfq }) => rfq.id)).toEqual([id])
    expect(await store.checkWritable()).toMatchObject({
      ok: false,
      message: expect.any(String),
    })
  })
})

function fillUp(file: string): void {
  for (let size = 4 * 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {}
  }
  expect(existsSync(file)).toBe(true)
}

describe('a database locked by another process', () => {
  it('is read, fails the write test within seconds, and passes it once the lock is released', async () => {
    const fixture = await openChannelFixture({ rfqs: 1, responsesPerRfq: 1 })
    await fixture.pollRfqs()
    const other = new Database(fixture.store.name)
    onTestFinished(() => void other.close())
    for (let round = 0; round < ROUNDS; round++) {
      other.exec('begin immediate')
      const store = await open({ path: fixture.store.name, readOnlyIfNeeded: true })
      expect(await store.rfqs({})).toHaveLength(1)
      const startedAt = performance.now()
      expect(await store.checkWritable()).toEqual({
        ok: false,
        message: expect.stringMatching(/^The database is locked by another process.*: fuser '?\/\S+\.db'?$/),
      })
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      await store.close()
      other.exec('rollback')
      expect(await fixture.store.checkWritable()).toEqual({ ok: true, message: 'writable, enough free space' })
    }
    expect(other.prepare('select count(*) from migrations').pluck().get()).toBe(SQLITE_MIGRATIONS.length)
  })

  it('passes the write test while this process itself is writing', async () => {
    const { store } = await openChannelFixture()
    const started = Array.from({ length: 5 }, (_, number) =>
      store.beginRun({ channel: `a/${number}`, kind: 'rfqs', now: new Date() }),
    )
    expect(await store.checkWritable()).toMatchObject({ ok: true })
    expect(await Promise.all(started)).toHaveLength(5)
  })
})

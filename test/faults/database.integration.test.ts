import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, copyFileSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { RfqSnapshot, Store } from '../../src/store/contract.js'
import { SCHEMA_NUMBER } from '../../src/store/schema/schema.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { observedResponse, observeRfq } from '../helpers/data/observed.js'
import { anRfq } from '../helpers/data/sample-documents.js'
import { shareOf } from '../helpers/long-tests.js'
import { holdingRun } from '../helpers/store/holding-run.js'
import { testFolder } from '../helpers/test-folder.js'
import { fault, faultUnless, longFaultUnless } from './fault-test.js'

const longFault = longFaultUnless(null)
const writer = join(import.meta.dirname, '../fixtures/write-forever.mjs')
const at = new Date('2026-11-21T12:00:00.000Z')

async function open(path: string): Promise<Store> {
  const store = await openStore({ path })
  onTestFinished(() => store.close())
  return store
}
const snapshot = (id: string, responses: number, text = 'x'): RfqSnapshot => ({
  rfq: observeRfq(JSON.stringify(anRfq(id, { title: text }))),
  shape: 'full',
  responses: Array.from({ length: responses }, (_, n) => observedResponse({ id: `${id}-${n}`, text })),
  responsesComplete: true,
  readAt: at,
})

longFault(
  'kill -9 during a transaction',
  'only complete RFQs remain, and the killed run is recorded as interrupted',
  async () => {
    const path = join(testFolder(), 'killed.db')
    const responsesEach = 40
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [writer, path, String(round * 10_000), String(responsesEach)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await wait(Math.random() * 60)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const store = await openStore({ path })
      expect(await store.check()).toMatchObject({ ok: true })
      const rfqs = await store.rfqs({})
      expect(rfqs.length).toBeGreaterThan(round)
      for (const { rfq, responses } of rfqs) expect([rfq.id, responses.length]).toEqual([rfq.id, responsesEach])
      const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: new Date() })
      const [, killed] = await store.runs({ kind: 'rfqs' })
      expect(killed).toMatchObject({ outcome: 'interrupted' })
      const counts = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
      await run.finish({ ...counts, outcome: 'complete', error: null }, new Date())
      await store.close()
    }
  },
)

const mountSkipReason = (() => {
  const folder = mountSmallFolder()
  if (folder === null) return 'this user cannot mount a file system'
  execFileSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return null
})()
function mountSmallFolder(): string | null {
  const folder = join('/tmp', `quotekeeper-full-${process.pid}-${Math.random().toString(36).slice(2)}`)
  try {
    execFileSync('mkdir', ['-m', '700', folder])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return null
  }
}

faultUnless(mountSkipReason)(
  'a full disk',
  'the write is rolled back with an error, and succeeds when there is room',
  async () => {
    const folder = mountSmallFolder() as string
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    })
    const store = await openStore({ path: join(folder, 'full.db') })
    const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: at })
    const ballast = join(folder, 'ballast')
    writeSync(openSync(ballast, 'w'), Buffer.alloc(2 ** 20))
    await store.recordRfq(run, snapshot('small', 3), at)
    await expect(store.recordRfq(run, snapshot('large', 40, 'x'.repeat(100_000)), at)).rejects.toThrow(
      /disk of the database is full/,
    )
    expect((await store.rfqs({})).map(({ rfq, responses }) => [rfq.id, responses.length])).toEqual([['small', 3]])
    rmSync(ballast)
    await store.recordRfq(run, snapshot('next', 3), at)
    expect(await store.rfqs({})).toHaveLength(2)
    expect(await store.check()).toMatchObject({ ok: true })
    await store.close()
  },
)

faultUnless(mountSkipReason)('a full disk', 'a database that cannot be opened for lack of space says so', async () => {
  const folder = mountSmallFolder() as string
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  const path = join(folder, 'full.db')
  await (await openStore({ path })).close()
  const ballast = openSync(join(folder, 'ballast'), 'w')
  expect(() => {
    for (;;) writeSync(ballast, Buffer.alloc(4096))
  }).toThrow('ENOSPC')
  closeSync(ballast)
  await expect(openStore({ path })).rejects.toThrow(/disk of the database is full.*Free some space/s)
  rmSync(join(folder, 'ballast'))
  await (await openStore({ path })).close()
})

fault(
  'a locked database',
  'a poll waits for the other writer, fails if the lock persists, and the next one succeeds',
  async () => {
    const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1 })
    await fixture.pollRfqs()
    const other = new Database(fixture.store.name)
    other.exec('begin immediate')
    const released = wait(500).then(() => other.exec('rollback'))
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    await released
    other.exec('begin immediate')
    await expect(fixture.pollRfqs()).rejects.toThrow(/locked by another process/)
    other.exec('rollback')
    other.close()
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  },
)

fault('a corrupt database', 'opening is refused and the file stays unchanged', async () => {
  const path = join(testFolder(), 'corrupt.db')
  const store = await openStore({ path })
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: at })
  // More than the empty tables take, so that the second half of the file is documents.
  for (let n = 0; n < 30; n++) await store.recordRfq(run, snapshot(`rfq-${n}`, 5, 'y'.repeat(10_000)), at)
  await store.close()
  const file = openSync(path, 'r+')
  const pages = Math.floor(statSync(path).size / 4096)
  for (let page = Math.floor(pages / 2); page < pages; page++)
    writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096)
  const before = readFileSync(path)
  await expect(openStore({ path })).rejects.toThrow(/damaged.*Restore a backup/s)
  expect(readFileSync(path).equals(before)).toBe(true)
  // A command that only reads does not look for damage, and fails at what it needs.
  const reader = await openStore({ path, readOnly: true })
  await expect(reader.rfqs({})).rejects.toThrow(/damaged.*Restore a backup/s)
  await expect(reader.check()).rejects.toThrow(/damaged.*Restore a backup/s)
  await reader.close()
})

fault('the database of another version', 'it is refused, and says what to do', async () => {
  const path = join(testFolder(), 'other.db')
  await (await openStore({ path })).close()
  const raw = new Database(path)
  raw.pragma(`user_version = ${SCHEMA_NUMBER + 1}`)
  raw.close()
  await expect(openStore({ path })).rejects.toThrow(/another version of Quotekeeper.*Nothing was changed/s)
})

fault('several processes creating the database at once', 'all succeed and the schema is complete', async () => {
  for (let round = 0; round < shareOf(3); round++) {
    const path = join(testFolder(), 'many.db')
    const children = Array.from({ length: 3 }, (_, n) =>
      spawn(process.execPath, ['--input-type=module', '-e', opener(path, `c${n}/x`)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
    expect(codes).toEqual([0, 0, 0])
    const raw = new Database(path, { readonly: true })
    expect(raw.pragma('user_version', { simple: true })).toBe(SCHEMA_NUMBER)
    expect(raw.prepare('select count(*) as n from runs').get()).toEqual({ n: 3 })
  }
})
const opener = (path: string, channel: string) => `
  import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../dist/src/store/sqlite/store.js'))}
  const store = await openStore({ path: ${JSON.stringify(path)} })
  await store.beginRun({ channel: ${JSON.stringify(channel)}, kind: 'rfqs', now: new Date() })
  await store.close()`

fault('kill -9 during a transaction', 'data in a leftover write-ahead log is recovered', async () => {
  const folder = testFolder()
  const path = join(folder, 'wal.db')
  const store = await openStore({ path })
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: at })
  await store.recordRfq(run, snapshot('in the log', 2), at)
  const copy = join(folder, 'copy')
  execFileSync('mkdir', [copy])
  for (const name of readdirSync(folder).filter((each) => each.startsWith('wal.db')))
    copyFileSync(join(folder, name), join(copy, name))
  await store.close()
  const again = await open(join(copy, 'wal.db'))
  expect((await again.rfqs({})).map(({ rfq }) => rfq.id)).toEqual(['in the log'])
})

longFault('50,000 offers in one RFQ', 'recording them does not block the event loop', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL)
  const store = fixture.store
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: fixture.now() })
  const large = snapshot(id, 50_000, 'z'.repeat(500))
  let turns = 0
  let isRecording = true
  const countTurns = () => {
    turns++
    if (isRecording) setImmediate(countTurns)
  }
  countTurns()
  const recorded = await store.recordRfq(run, large, fixture.now())
  isRecording = false
  expect(recorded.responses).toHaveLength(50_000)
  expect(turns).toBeGreaterThan(50)
})

import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { RfqSnapshot } from '../../src/store/contract.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { observedResponse, observeRfq } from '../helpers/data/observed.js'
import { anRfq } from '../helpers/data/sample-documents.js'
import { longIt } from '../helpers/long-tests.js'
import { mountSkipReason, mountSmallDisk, type SmallDisk } from '../helpers/servers/small-disk.js'
import { holdingRun } from '../helpers/store/holding-run.js'
import { testFolder } from '../helpers/test-folder.js'

const at = new Date('2026-11-21T12:00:00.000Z')
const snapshot = (id: string, responses: number, text = 'x'): RfqSnapshot => ({
  rfq: { ...observeRfq(JSON.stringify(anRfq(id, { title: text }))), shape: 'full' },
  responses: Array.from({ length: responses }, (_, n) => observedResponse({ id: `${id}-${n}`, text })),
  responsesComplete: true,
  readAt: at,
})

it.skipIf(mountSkipReason() !== null)(
  'a full disk: a database that cannot be opened for lack of space says so',
  async () => {
    const { folder } = mountSmallDisk() as SmallDisk
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
  },
)

it('a locked database: a poll waits for the other writer, fails if the lock persists, and the next one succeeds', async () => {
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
})

it('a corrupt database: opening is refused and the file stays unchanged', async () => {
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

longIt('50,000 offers in one RFQ: recording them does not block the event loop', async () => {
  const { sandbox, store, now } = await openChannelFixture()
  const { id } = sandbox.world.addRfq(CHANNEL)
  const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: now() })
  let turns = 0
  let isRecording = true
  const countTurns = () => {
    turns++
    if (isRecording) setImmediate(countTurns)
  }
  countTurns()
  const recorded = await store.recordRfq(run, snapshot(id, 50_000, 'z'.repeat(500)), now())
  isRecording = false
  expect(recorded).toHaveLength(50_001)
  expect(turns).toBeGreaterThan(50)
})

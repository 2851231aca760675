import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { mergeClosingState } from '../../src/store/maintenance/closing-state-merge.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { newAward } from '../helpers/store/new-award.js'
import { testFolder } from '../helpers/test-folder.js'

const DUE = '2026-11-20'

/** A fixture with three RFQs past due, polled; the closes of the first are refused, those of the second fail with 500. */
async function openFailingFixture() {
  const fixture = await openChannelFixture()
  const ids = Array.from({ length: 3 }, () => fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE }).id)
  const [refused, unknown] = ids as [string, string]
  for (const [rfqId, status] of [
    [refused, 400],
    [unknown, 500],
  ] as const) {
    fixture.sandbox.faults.add({
      rfqId,
      operation: 'closeRfq',
      times: Number.POSITIVE_INFINITY,
      effect: { kind: 'status', status },
    })
  }
  await fixture.pollRfqs()
  return { fixture, ids, refused, unknown }
}

async function backupOf({ store }: ChannelFixture): Promise<string> {
  const path = join(testFolder(), 'backup.db')
  await store.backup(path)
  return path
}

/** Puts the backup in place of the database, as a restore does. */
async function restore(fixture: ChannelFixture, backup: string) {
  const restored = join(testFolder(), 'restored.db')
  copyFileSync(backup, restored)
  const result = await mergeClosingState(restored, fixture.store.name)
  await fixture.reopenStore(restored)
  return result
}

describe('carrying closings over to a restored backup', () => {
  it('copies later decisions, intents and their runs, and keeps the hash chain', async () => {
    const { fixture } = await openFailingFixture()
    const backup = await backupOf(fixture)
    for (let round = 0; round < 3; round++) await fixture.closeExpired()
    const before = await fixture.store.decisions({})
    expect(before.map(({ outcome, times }) => [outcome, times])).toEqual(
      expect.arrayContaining([
        ['closed', 1],
        ['refused', 1],
        ['unknown', 1],
        [null, 2],
        [null, 2],
      ]),
    )
    expect(await restore(fixture, backup)).toEqual({ decisions: 5, intents: 3 })
    expect(await fixture.store.decisions({})).toEqual(before)
    expect(await fixture.store.verifyDecisions()).toMatchObject({ decisions: 5, brokenAt: null })
    expect(await fixture.store.check()).toMatchObject({ ok: true })
    const next = await fixture.store.beginRun({ channel: KEY, kind: 'close', now: fixture.now() })
    expect(next.id).toBeGreaterThan(before[0]?.runId ?? Number.POSITIVE_INFINITY)
  })

  it('gives an intent that the backup shows open its outcome, and leaves one open that still is', async () => {
    const { fixture, refused, unknown } = await openFailingFixture()
    const run = await fixture.store.beginRun({ channel: KEY, kind: 'close', now: fixture.now() })
    const plan = (rfqId: string) =>
      fixture.store.planClose({ channel: KEY, rfqId, runId: run.id, evidence: {}, now: fixture.now() })
    await fixture.store.markSending(await plan(refused), run)
    const backup = await backupOf(fixture)
    const left = await fixture.store.markSending(await plan(unknown), run)
    await fixture.store.settleClose((await fixture.store.openIntents(KEY))[0] as never, {
      runId: run.id,
      channel: KEY,
      rfqId: refused,
      rfqNumber: null,
      dueDate: DUE,
      timeZone: 'UTC',
      decidedAt: fixture.now().toISOString(),
      decision: 'close',
      reason: 'refused',
      outcome: 'refused',
      httpStatus: 400,
      message: null,
      versionBefore: 1,
      versionAfter: 1,
      evidence: {},
    })
    expect(await restore(fixture, backup)).toEqual({ decisions: 1, intents: 2 })
    expect(await fixture.store.openIntents(KEY)).toMatchObject([{ id: left.id, rfqId: unknown, posts: 1 }])
    expect((await fixture.store.runs({ kind: 'close' }))[0]).toMatchObject({ id: run.id, outcome: 'interrupted' })
  })

  it('copies later awards with their workbooks, and no award if the backup was used since', async () => {
    const { fixture } = await openFailingFixture()
    await fixture.store.recordAward(newAward())
    const backup = await backupOf(fixture)
    await fixture.store.withdrawAward({
      award: 1,
      at: '2026-11-22T08:00:00.000Z',
      by: 'ana',
      because: null,
      programVersion: '1',
    })
    await fixture.store.recordAward(newAward({ workbook: Buffer.from('another') }))
    const before = await fixture.store.awards({})
    expect(await restore(fixture, backup)).toEqual({ decisions: 0, intents: 0 })
    expect(await fixture.store.awards({})).toEqual(before)
    expect(await fixture.store.awardFile(3)).toEqual(Buffer.from('another'))
    expect(await fixture.store.verifyAwards()).toMatchObject({ rows: 3, brokenAt: null })
    const used = join(testFolder(), 'used.db')
    copyFileSync(backup, used)
    const other = await openStore({ path: used, clock: fixture.now })
    await other.recordAward(newAward({ rfqId: 'rfq-2' }))
    await other.close()
    expect(await mergeClosingState(used, fixture.store.name)).toEqual({
      skipped: expect.stringContaining('award log'),
    })
  })

  it('copies nothing if nothing happened since, and nothing a second time', async () => {
    const { fixture } = await openFailingFixture()
    await fixture.closeExpired()
    const backup = await backupOf(fixture)
    expect(await mergeClosingState(backup, fixture.store.name)).toEqual({ decisions: 0, intents: 0 })
    const early = join(testFolder(), 'older.db')
    copyFileSync(backup, early)
    fixture.advanceSeconds(25 * 3600)
    await fixture.closeExpired()
    expect(await mergeClosingState(early, fixture.store.name)).toMatchObject({ decisions: expect.any(Number) })
    expect(await mergeClosingState(early, fixture.store.name)).toEqual({ decisions: 0, intents: 0 })
    // The database that replaces an older one already knows everything.
    expect(await mergeClosingState(early, backup)).toEqual({ decisions: 0, intents: 0 })
  })

  it('says why it copies nothing, and changes nothing', async () => {
    const { fixture } = await openFailingFixture()
    const backup = await backupOf(fixture)
    await fixture.closeExpired()
    const unrelated = await openFailingFixture()
    unrelated.fixture.advanceSeconds(60)
    await unrelated.fixture.closeExpired()
    expect(await mergeClosingState(unrelated.fixture.store.name, fixture.store.name)).toEqual({
      skipped: expect.stringContaining('is not the beginning of'),
    })
    const broken = join(testFolder(), 'broken.db')
    writeFileSync(broken, 'not a database, but long enough to be read as one'.repeat(100))
    expect(await mergeClosingState(backup, broken)).toEqual({ skipped: expect.stringContaining('cannot be read') })
    expect(await mergeClosingState(backup, join(testFolder(), 'none.db'))).toEqual({
      skipped: expect.stringContaining('cannot be opened'),
    })
    const forged = join(testFolder(), 'forged.db')
    await fixture.store.backup(forged)
    const db = new Database(forged)
    db.exec(`drop trigger decisions_immutable; update close_decisions set outcome = 'closed' where outcome = 'refused'`)
    db.close()
    expect(await mergeClosingState(backup, forged)).toEqual({
      skipped: expect.stringContaining('was changed after it was written'),
    })
    expect(new Database(backup).prepare('select count(*) from close_decisions').pluck().get()).toBe(0)
  })
})

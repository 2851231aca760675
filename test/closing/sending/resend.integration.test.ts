import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ClosingPolicy } from '../../../src/closing/contract.js'
import type { Effect } from '../../../src/sandbox/index.js'
import { restoreDatabase } from '../../../src/store/maintenance/restore.js'
import { CHANNEL, KEY } from '../../helpers/channel-fixture.js'
import { DUE, openClosingFixture } from '../../helpers/closing-round-fixture.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { isPostgres, openAgain } from '../../helpers/store/store-engine.js'
import { testFolder } from '../../helpers/test-folder.js'

/** Rounds per day: one every 24 minutes. */
const ROUNDS = 60
const ROUND_SECONDS = (24 * 3600) / ROUNDS

type Fixture = Awaited<ReturnType<typeof openFailingFixture>>

/** An RFQ past due, polled, whose close always has this effect. */
async function openFailingFixture(effect: Effect | Effect[]) {
  const fixture = await openClosingFixture()
  fixture.always({ operation: 'closeRfq' }, effect)
  return Object.assign(fixture, { id: fixture.ids[0] as string })
}

/** Like a marketplace that records each request in the document. */
const touch = ({ sandbox, now, id }: Fixture) => void sandbox.world.changeRfq(id, { updatedAt: now().toISOString() })

/** A round of another process: another store on the same file. */
async function closeElsewhere(fixture: Fixture, policy: Partial<ClosingPolicy> = {}) {
  const store = await openAgain(fixture.store.name, { clock: fixture.now })
  try {
    return await fixture.closeExpired(policy, { store })
  } finally {
    await store.close()
  }
}

/** What a day brings besides rounds, in turn; the first of each day is a plain round. */
const INTERLUDES: ((fixture: Fixture) => Promise<unknown>)[] = [
  (fixture) => fixture.closeExpired(),
  (fixture) => fixture.closeExpired({ mode: 'dry-run' }),
  (fixture) => closeElsewhere(fixture),
  async (fixture) => {
    await fixture.reopenStore()
    await fixture.closeExpired({ graceHours: 1, maxPerRun: 3 })
  },
  async (fixture) => {
    touch(fixture)
    await fixture.pollRfqs()
    await fixture.closeExpired({ byHand: true })
  },
  (fixture) => fixture.closeExpired({}, { stopped: () => 'Closing is switched off.' }),
]

/** Runs the rounds of some days. Returns the POSTs after each day. */
async function runDays(fixture: Fixture, days: number): Promise<number[]> {
  const posts: number[] = []
  const begin = fixture.now().getTime()
  for (let round = 0; round < days * ROUNDS; round++) {
    fixture.setTime(new Date(begin + round * ROUND_SECONDS * 1000).toISOString())
    await INTERLUDES[round % INTERLUDES.length]?.(fixture)
    if ((round + 1) % ROUNDS === 0) posts.push(fixture.posts().length)
  }
  return posts
}

describe('a close that did not succeed', () => {
  it.each<[string, Effect | Effect[], number[], string]>([
    ['400: once a day', { kind: 'status', status: 400 }, [1, 2], 'refused'],
    ['ok: false: once a day', { kind: 'status', status: 200, body: { ok: false } }, [1, 2], 'refused'],
    ['500: two POSTs, then never again', { kind: 'status', status: 500 }, [2, 2], 'unknown'],
    ['200 without effect: never again', { kind: 'status', status: 200, body: { ok: true } }, [1, 1], 'failed'],
  ])(
    '%s, over two days of rounds, dry runs, restarts, another process and touched documents',
    async (_title, effect, posts, outcome) => {
      const fixture = await openFailingFixture(effect)
      expect(await runDays(fixture, 2)).toEqual(posts)
      expect(await fixture.store.unsettledCloses({ channel: KEY, now: fixture.now() })).toMatchObject([
        { rfqId: fixture.id, outcome },
      ])
      expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
      // 120 rounds left few rows: repetitions are counted, not recorded.
      const decisions = await fixture.store.decisions({})
      expect(decisions.length).toBeLessThanOrEqual(8)
      expect(decisions.reduce((sum, { times }) => sum + times, 0)).toBeGreaterThan(100)
    },
    240_000,
  )

  it('is sent again when the document really changed, but not because updatedAt changes at each refusal', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 400 })
    fixture.sandbox.faults.clear()
    fixture.always({ operation: 'closeRfq' }, [
      { kind: 'call', call: () => touch(fixture) },
      { kind: 'status', status: 400 },
    ])
    for (let round = 0; round < 6; round++) {
      await fixture.closeExpired()
      fixture.advanceSeconds(600)
      touch(fixture)
      await fixture.pollRfqs()
      await fixture.closeExpired()
    }
    expect(fixture.posts()).toHaveLength(1)
    fixture.sandbox.world.changeRfq(fixture.id, { title: 'Another title' })
    await fixture.pollRfqs()
    for (let round = 0; round < 6; round++) await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(2)
  })

  it('is sent at most twice within 24 hours, however often the document changes and the process restarts', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 400 })
    const posts: number[] = []
    for (let round = 0; round < 8; round++) {
      await fixture.closeExpired()
      posts.push(fixture.posts().length)
      await fixture.reopenStore()
      fixture.advanceSeconds(4 * 3600)
      fixture.sandbox.world.changeRfq(fixture.id, { title: `Title ${round}` })
      await fixture.pollRfqs()
    }
    expect(posts).toEqual([1, 2, 2, 2, 2, 2, 3, 4])
    await fixture.closeExpired()
    expect(await fixture.store.decisions({ limit: 1 })).toMatchObject([
      {
        decision: 'keep',
        reason: expect.stringContaining('was sent 2 times within 24 hours'),
        evidence: { codes: ['daily-limit'] },
      },
    ])
    const run = await holdingRun(fixture.store, { channel: KEY, kind: 'close', now: fixture.now() })
    const close = { run, rfqId: fixture.id, evidence: {}, now: fixture.now() }
    await expect(fixture.store.planClose(close)).rejects.toThrow('2 times within 24 hours')
    await fixture.reopenStore()
    await fixture.closeExpired({ retry: [fixture.id] })
    expect(fixture.posts()).toHaveLength(5)
  })

  it('is sent again by a person only, who is named', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 400 })
    await fixture.closeExpired()
    const other = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE })
    await fixture.pollRfqs()
    const { decisions } = await fixture.closeExpired({ retry: [fixture.id], approvedBy: 'anna', byHand: true })
    expect(decisions).toMatchObject([
      { rfqId: fixture.id, outcome: 'refused', approvedBy: 'anna', evidence: { retryOf: 1, approvedBy: 'anna' } },
    ])
    expect(fixture.posts().map(({ rfqId }) => rfqId)).toEqual([fixture.id, fixture.id])
    expect(fixture.sandbox.world.rfq(other.id).state).toBe('open')
    for (let round = 0; round < 6; round++) await fixture.closeExpired({ byHand: true })
    expect(fixture.posts().filter(({ rfqId }) => rfqId === fixture.id)).toHaveLength(2)
    fixture.sandbox.faults.clear()
    await fixture.closeExpired({ retry: [fixture.id, other.id] })
    expect(await fixture.store.unsettledCloses({ channel: KEY, now: fixture.now() })).toEqual([])
  })
})

// A backup of PostgreSQL is restored with its own tools.
describe.skipIf(isPostgres)('after a backup was restored', () => {
  const restore = async (fixture: Fixture, backup: string) => {
    const database = fixture.store.name
    await fixture.store.close()
    await restoreDatabase({ backup, database, by: 'anna', now: fixture.now() })
    await fixture.reopenStore()
  }
  /** The kill switch, as processes read it from the database before each round. */
  const round = async (fixture: Fixture, policy: Partial<ClosingPolicy> = {}) => {
    const stop = await fixture.store.closingStop()
    return fixture.closeExpired(policy, { stopped: () => stop?.reason ?? null })
  }

  it.each([400, 500])(
    'nothing is closed until a person resumes, and what was past due (%i) until it is retried',
    async (status) => {
      const fixture = await openFailingFixture({ kind: 'status', status })
      const backup = join(testFolder(), 'backup.db')
      await fixture.store.backup(backup)
      const unknownToBackup = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: DUE }).id
      await fixture.pollRfqs()
      await fixture.closeExpired()
      const posts = fixture.posts().length
      await restore(fixture, backup)
      expect((await round(fixture)).stopReason).toBe('a backup was restored')
      const later = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-22' }).id
      fixture.sandbox.faults.clear()
      fixture.advanceSeconds(3 * 24 * 3600)
      await fixture.pollRfqs()
      await round(fixture)
      const found = (await fixture.store.decisions({})).map(({ rfqId, decision }) => [rfqId, decision])
      expect(Object.fromEntries(found)).toEqual({ [fixture.id]: 'keep', [unknownToBackup]: 'keep', [later]: 'blocked' })
      expect(await fixture.store.resumeClosing({ by: 'anna', now: fixture.now() })).toMatchObject({ by: 'anna' })
      expect((await round(fixture)).run.error).toMatch(
        /^RFQ \d+, \d+: past due when a backup was restored; .*--retry RFQ`$/,
      )
      await fixture.reopenStore()
      await round(fixture, { byHand: true })
      const sent = fixture.posts().map(({ rfqId }) => rfqId)
      expect(sent.slice(posts)).toEqual([later])
      const kept = await fixture.store.decisions({ rfqId: fixture.id })
      expect(kept).toMatchObject([{ evidence: { codes: ['uncertain'] } }])
      await round(fixture, { retry: [fixture.id], byHand: true })
      expect(fixture.sandbox.world.rfq(fixture.id).state).toBe('closed')
      expect(fixture.sandbox.world.rfq(unknownToBackup).state).toBe('open')
    },
  )

  it('a close that was refused waits for a person, and its remedy says so', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 400 })
    await fixture.closeExpired()
    const backup = join(testFolder(), 'backup.db')
    await fixture.store.backup(backup)
    await restore(fixture, backup)
    const [close] = await fixture.store.unsettledCloses({ channel: KEY, now: fixture.now() })
    expect(close).toMatchObject({ outcome: 'refused', remedy: expect.stringContaining('not sent again, except') })
  })

  it('a close that the backup shows as being sent is not sent again', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 500 })
    await fixture.leaveIntent(fixture.id, { posts: 1 })
    const backup = join(testFolder(), 'backup.db')
    await fixture.store.backup(backup)
    await restore(fixture, backup)
    await fixture.store.resumeClosing({ by: 'anna', now: fixture.now() })
    fixture.advanceSeconds(3600)
    expect((await round(fixture)).decisions).toMatchObject([{ outcome: 'unknown' }])
    await round(fixture)
    expect(fixture.posts()).toEqual([])
  })
})

describe('an RFQ that needs attention', () => {
  it('makes each round partial with the same reason, until it is closed, missing or not past due any more', async () => {
    const fixture = await openFailingFixture({ kind: 'status', status: 400 })
    const errors: (string | null)[] = []
    for (let round = 0; round < 6; round++) {
      errors.push((await fixture.closeExpired()).run.error)
      fixture.advanceSeconds(600)
    }
    expect(new Set(errors)).toEqual(new Set(['RFQs that need attention: 1 refused (1001).']))
    fixture.sandbox.world.changeRfq(fixture.id, { state: 'withdrawn', responseDueDate: '2026-11-19' } as object)
    await fixture.pollRfqs()
    const remedy = 'check it on the marketplace; no close is sent, because it is not open any more'
    expect((await fixture.closeExpired()).unsettled).toMatchObject([{ outcome: 'refused', remedy }])
    fixture.sandbox.world.changeRfq(fixture.id, { state: 'open', responseDueDate: '2026-12-24' } as object)
    await fixture.pollRfqs()
    expect((await fixture.closeExpired()).run).toMatchObject({ outcome: 'complete', error: null })
    fixture.sandbox.world.changeRfq(fixture.id, { responseDueDate: DUE })
    await fixture.pollRfqs()
    expect((await fixture.closeExpired({ mode: 'dry-run' })).run.outcome).toBe('partial')
    fixture.sandbox.world.closeRfq(fixture.id)
    await fixture.pollRfqs()
    expect((await fixture.closeExpired()).run).toMatchObject({ outcome: 'complete', error: null })
  })
})

describe('an intent that a crash left in the state sending', () => {
  it.each<[string, Partial<ClosingPolicy>, string | null]>([
    ['the kill switch is on', {}, 'Closing is switched off.'],
    ['the round is a dry run', { mode: 'dry-run' }, null],
  ])('stays open and is named while %s, then is sent once more', async (why, policy, stopped) => {
    const fixture = await openFailingFixture({ kind: 'status', status: 500 })
    const run = await holdingRun(fixture.store, { channel: KEY, kind: 'close', now: fixture.now() })
    const close = { run, rfqId: fixture.id, evidence: {}, now: fixture.now() }
    // Without a time at which it was sent, it counts as sent.
    await fixture.store.markSending(await fixture.store.planClose(close), run)
    await fixture.reopenStore()
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(3600)
      const { run, unsettled } = await fixture.closeExpired(policy, { stopped: () => stopped })
      expect(run.error).toContain('1 not settled (1001)')
      expect(unsettled).toMatchObject([{ rfqId: fixture.id, outcome: 'open' }])
      await fixture.reopenStore()
    }
    expect(fixture.posts()).toEqual([])
    const reason = expect.stringContaining(`not settled yet (${stopped ?? why})`)
    expect(await fixture.store.decisions({})).toMatchObject([{ decision: 'keep', times: 6, reason }])
    expect((await fixture.closeExpired()).decisions).toMatchObject([{ outcome: 'unknown' }])
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })
})

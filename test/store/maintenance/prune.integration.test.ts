import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunKind, RunOutcome } from '../../../src/core/records.js'
import type { RunEnd, RunHandle, Store } from '../../../src/store/contract.js'
import { pruneOptions } from '../../../src/store/maintenance/retention.js'
import { ROUNDS, runsLongTests } from '../../helpers/long-tests.js'
import { CHANNEL, insertIdleRuns, RUN_TOTALS, START, sql } from '../../helpers/store/idle-runs.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { NEWEST } from '../../helpers/store/recording-store.js'
import { executeIn, isPostgres } from '../../helpers/store/store-engine.js'

const DAY_MS = 24 * 3_600_000
const NONE = { rows: 0, bytes: 0 }
const KEEP = { keepRunsDays: 30, keepPlansDays: 90, keepEventsDays: 90 }
const IDLE: RunEnd = {
  requests: 2,
  seen: 5,
  inserted: 0,
  changed: 0,
  unchanged: 5,
  missing: 0,
  invalid: 0,
  outcome: 'complete',
  error: null,
}

async function open(clock = () => new Date()): Promise<Store> {
  const store = await openNewStore({ clock })
  onTestFinished(() => store.close())
  return store
}

async function run(store: Store, at: number, end: Partial<RunEnd> = {}, kind: RunKind = 'rfqs', channel = CHANNEL) {
  const handle = await store.beginRun({ channel, kind, now: new Date(at) })
  await handle.finish({ ...IDLE, ...end }, new Date(at + 1500))
  return handle
}

/** Reads an RFQ, as a poll does when it changed. */
const record = (store: Store, handle: RunHandle, at: number, title: string) =>
  store.recordRfq(
    handle,
    {
      rfq: { id: 'rfq-1', body: { id: 'rfq-1', title }, valid: true, problems: [] },
      shape: 'full',
      responses: [],
      responsesComplete: true,
      readAt: new Date(at),
    },
    new Date(at + 500),
  )

const DAYS = runsLongTests ? 400 : 200

describe('pruning', () => {
  it.skipIf(isPostgres)(
    `bounds the size of the database over ${DAYS} days of idle polls, below 200 bytes per poll`,
    async () => {
      const pollsPerDay = 4
      let now = new Date(START)
      const store = await open(() => now)
      const first = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now })
      await record(store, first, START, 'first')
      await first.finish({ ...IDLE, inserted: 1 }, now)
      const sizes: number[] = []
      const size = async () => {
        // What the write-ahead log holds is not in the file yet.
        const other = new Database(store.name)
        other.pragma('wal_checkpoint(truncate)')
        other.close()
        const { bytes, freeBytes } = await store.check()
        return bytes - freeBytes
      }
      for (let day = 0; day < DAYS; day++) {
        if (day % (DAYS / 4) === 0) sizes.push(await size())
        for (let poll = 1; poll <= pollsPerDay; poll++) {
          now = new Date(START + day * DAY_MS + (poll * DAY_MS) / (pollsPerDay + 1))
          const handle = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now })
          await store.touchRfqs(handle, ['rfq-1'], now)
          await store.updatePresence(handle, 'rfq', ['rfq-1'], NEWEST, now)
          await handle.finish(IDLE, now)
        }
        await store.prune(pruneOptions(KEEP, now))
      }
      sizes.push(await size())
      const [atStart = 0, , , atThreeQuarters = 0, atEnd = 0] = sizes
      expect((atEnd - atStart) / (DAYS * pollsPerDay)).toBeLessThan(200)
      // A day adds one row to those that are kept whole.
      expect(atEnd - atThreeQuarters).toBeLessThan((DAYS / 4) * 500)
      expect(await store.runs({ limit: 10_000 })).toHaveLength(1 + DAYS - 31 + 31 * pollsPerDay)
      expect(sql(store.name, 'select sum(times) as times from runs')).toEqual([{ times: 1 + DAYS * pollsPerDay }])
    },
  )

  it('does not change queries of freshness, first poll, history, absences, decisions or past moments', async () => {
    const store = await open()
    const times: number[] = []
    for (let day = 0; day < 60; day++) {
      for (const hour of [1, 2, 3, 4]) {
        const at = START + day * DAY_MS + hour * 3_600_000
        const handle = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(at) })
        const changed = day % 7 === 0 && hour === 2
        if (changed) await record(store, handle, at, `title ${day}`)
        else await store.touchRfqs(handle, ['rfq-1'], new Date(at))
        if (day === 20 && hour === 3) await store.updatePresence(handle, 'rfq', [], NEWEST, new Date(at))
        const outcome: RunEnd['outcome'] = hour === 4 ? 'failed' : 'complete'
        await handle.finish({ ...IDLE, outcome, error: hour === 4 ? `down ${day}` : null }, new Date(at + 1500))
        times.push(at + 1000)
      }
      await run(store, START + day * DAY_MS, {}, 'listings')
    }
    const round = await run(store, START + 60 * DAY_MS, {}, 'close')
    await store.appendDecision({
      runId: round.id,
      channel: CHANNEL,
      rfqId: 'rfq-1',
      rfqNumber: null,
      dueDate: null,
      timeZone: 'UTC',
      decidedAt: new Date(START).toISOString(),
      decision: 'keep',
      reason: 'kept',
      outcome: null,
      httpStatus: null,
      message: null,
      versionBefore: 1,
      versionAfter: null,
      evidence: {},
    })
    const outcomes: (RunOutcome | undefined)[] = [undefined, 'complete', 'partial', 'failed']
    const answers = async () => ({
      newest: await Promise.all(
        (['rfqs', 'listings', 'close'] as const).flatMap((kind) =>
          outcomes.map((outcome) => store.newestRun({ channel: CHANNEL, kind, ...(outcome && { outcome }) })),
        ),
      ),
      recent: await store.runs({ channel: CHANNEL, kind: 'rfqs', limit: 50 }),
      firstPolls: await Promise.all([
        store.firstPollAt({}),
        store.firstPollAt({ channel: CHANNEL, kind: 'listings' }),
        store.firstPollAt({ kind: 'rfqs' }),
      ]),
      history: await store.rfqHistory(CHANNEL, 'rfq-1'),
      absences: await store.absences(CHANNEL, 'rfq-1'),
      asOf: await Promise.all(times.map((at) => store.rfqs({ asOf: new Date(at) }))),
      decisions: await store.decisions({}),
      chain: await store.verifyDecisions(),
      states: await store.rfqStates(CHANNEL),
    })
    const before = JSON.stringify(await answers())
    const { runs } = await store.prune(pruneOptions(KEEP, new Date(START + 90 * DAY_MS)))
    expect(runs.rows).toBeGreaterThan(50)
    expect(JSON.stringify(await answers())).toBe(before)
    expect(await store.check()).toMatchObject({ ok: true })
  })

  it('folds by day, channel, kind and outcome, but not runs that are referenced, suspicious or unfinished', async () => {
    const store = await open()
    const idle: RunHandle[] = []
    for (let n = 0; n < 6; n++) idle.push(await run(store, START + n * 60_000))
    for (let n = 0; n < 6; n++) await run(store, START + n * 60_000, {}, 'rfqs', 'acme/blue')
    for (let n = 0; n < 6; n++) await run(store, START + n * 60_000, { outcome: 'failed', error: `no ${n}` })
    for (let n = 0; n < 6; n++) await run(store, START + DAY_MS + n * 60_000)
    const suspicious = await run(store, START, { outcome: 'partial', suspicious: true })
    const writer = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
    await record(store, writer, START, 'x')
    await writer.finish(IDLE, new Date(START)) // Says that nothing changed, but a version refers to it.
    const unfinished = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
    const round = await store.beginRun({ channel: CHANNEL, kind: 'close', now: new Date(START) })
    await store.planClose({ channel: CHANNEL, rfqId: 'rfq-1', runId: round.id, evidence: {}, now: new Date(START) })
    await round.finish(IDLE, new Date(START))
    await run(store, START, {}, 'close')
    // Enough newer runs, so that none of these is among those that stay single.
    for (const channel of [CHANNEL, 'acme/blue']) await makeNewest(store, channel)
    await store.prune({
      foldRunsBefore: new Date('2026-01-01T00:00:00Z'),
      dropPlansBefore: null,
      dropEventsBefore: null,
    })
    const rows = (await store.runs({ limit: 1000 })).filter(({ startedAt }) => startedAt < '2026')
    const shown = rows.map(({ channel, outcome, startedAt, times }) => [
      channel,
      outcome,
      startedAt.slice(0, 10),
      times,
    ])
    expect(shown).toEqual(
      expect.arrayContaining([
        [CHANNEL, 'complete', '2025-01-01', 6],
        ['acme/blue', 'complete', '2025-01-01', 6],
        [CHANNEL, 'failed', '2025-01-01', 6],
        [CHANNEL, 'complete', '2025-01-02', 6],
      ]),
    )
    expect(rows.find(({ id }) => id === idle.at(-1)?.id)).toMatchObject({
      startedAt: new Date(START).toISOString(),
      finishedAt: new Date(START + 5 * 60_000 + 1500).toISOString(),
      requests: 12,
      seen: 30,
      unchanged: 30,
    })
    expect(rows.find(({ outcome }) => outcome === 'failed')).toMatchObject({ error: 'no 5' })
    for (const { id } of [suspicious, writer, unfinished, round])
      expect(rows.filter((row) => row.id === id)).toMatchObject([{ times: 1 }])
    await unfinished.finish(IDLE, new Date(START + 1000))
  })

  it.skipIf(isPostgres)('is idempotent, and a dry run predicts the result without changes', async () => {
    const store = await open()
    insertIdleRuns(store.name, 10_000)
    await store.createApprovalPlan({
      channel: CHANNEL,
      rfqIds: ['rfq-1'],
      now: new Date(START),
      expiresAt: new Date(START + DAY_MS),
    })
    const options = pruneOptions(KEEP, new Date('2026-01-01T00:00:00Z'))
    const foretold = await store.prune({ ...options, dryRun: true })
    expect(sql(store.name, 'select count(*) as n from runs')).toEqual([{ n: 10_000 }])
    const report = await store.prune(options)
    expect(report).toEqual(foretold)
    // Seven days, and the newest hundred.
    expect(report.runs).toEqual({ rows: 10_000 - 7 - 100, bytes: expect.any(Number) })
    expect(report.plans.rows).toBe(1)
    for (let round = 0; round < ROUNDS; round++) {
      expect(await store.prune(options)).toEqual({ runs: NONE, plans: NONE, events: NONE })
    }
    expect(sql(store.name, RUN_TOTALS)).toEqual([{ times: 10_000, requests: 20_000, unchanged: 50_000 }])
  })

  it.skipIf(isPostgres)('folds days with more runs than fit in one transaction', async () => {
    const store = await open()
    insertIdleRuns(store.name, 1_440 + 150)
    await store.prune({
      foldRunsBefore: new Date('2026-01-01T00:00:00Z'),
      dropPlansBefore: null,
      dropEventsBefore: null,
    })
    expect(sql(store.name, 'select times from runs where times > 1 order by id')).toEqual([
      { times: 1_440 },
      { times: 50 },
    ])
  })
})

/** Adds a hundred newer finished runs of each kind, behind which older ones may be folded. */
const makeNewest = (store: Store, channel: string) =>
  executeIn(
    store,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100)
    insert into runs (channel, kind, started_at, finished_at, outcome, holder, lease_until)
    select '${channel}', kind, '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:01.000Z', 'complete', '{}', ''
    from numbers, (select 'rfqs' as kind union select 'listings' union select 'close') kinds`,
  )

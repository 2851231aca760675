import { describe, expect, it } from 'vitest'
import type { RunKind, RunOutcome } from '../../../src/core/records.js'
import type { RunEnd, RunHandle, Store } from '../../../src/store/contract.js'
import { observed } from '../../helpers/data/observed.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { CHANNEL, insertIdleRuns, START } from '../../helpers/store/idle-runs.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { executeIn, isPostgres } from '../../helpers/store/store-engine.js'

const DAY_MS = 24 * 3_600_000
const IDLE = runEnd({ requests: 2, seen: 5, unchanged: 5 })

async function open(clock = () => new Date()): Promise<Store> {
  const store = await openNewStore({ clock })
  return store
}

async function run(store: Store, at: number, end: Partial<RunEnd> = {}, kind: RunKind = 'rfqs', channel = CHANNEL) {
  const handle = await holdingRun(store, { channel, kind, now: new Date(at) })
  await handle.finish({ ...IDLE, ...end }, new Date(at + 1500))
  return handle
}

/** Reads an RFQ, as a poll does when it changed. */
const record = (store: Store, handle: RunHandle, at: number, title: string) =>
  store.recordRfq(
    handle,
    {
      rfq: observed({ id: 'rfq-1', title }),
      shape: 'full',
      responses: [],
      responsesComplete: true,
      readAt: new Date(at),
    },
    new Date(at + 500),
  )

describe('pruning', () => {
  it('does not change queries of freshness, first poll, history, decisions or past moments', async () => {
    const store = await open()
    const times: number[] = []
    for (let day = 0; day < 60; day++) {
      for (const hour of [1, 2, 3, 4]) {
        const at = START + day * DAY_MS + hour * 3_600_000
        const handle = await holdingRun(store, { channel: CHANNEL, kind: 'rfqs', now: new Date(at) })
        const changed = day % 7 === 0 && hour === 2
        if (changed) await record(store, handle, at, `title ${day}`)
        const isListed = day !== 20 || hour !== 3
        const list = isListed ? [observed({ id: 'rfq-1' })] : []
        await store.recordList(handle, 'rfq-entry', list, { whole: true, readAt: new Date(at) }, new Date(at))
        const outcome: RunEnd['outcome'] = hour === 4 ? 'failed' : 'complete'
        await handle.finish({ ...IDLE, outcome, error: hour === 4 ? `down ${day}` : null }, new Date(at + 1500))
        times.push(at + 1000)
      }
      await run(store, START + day * DAY_MS, {}, 'listings')
    }
    const round = await run(store, START + 60 * DAY_MS, {}, 'close')
    await store.appendDecision(newDecision(round.id))
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
      asOf: await Promise.all(times.map((at) => store.rfqs({ asOf: new Date(at) }))),
      decisions: await store.decisions({}),
      chain: await store.verifyDecisions(),
      states: await store.rfqStates(CHANNEL),
    })
    const before = JSON.stringify(await answers())
    const { runs } = await store.prune({ before: new Date(START + 60 * DAY_MS) })
    expect(runs).toBeGreaterThan(50)
    expect(JSON.stringify(await answers())).toBe(before)
    expect(await store.check()).toMatchObject({ ok: true })
  })

  it('deletes idle runs, but not the first of an outcome, nor runs that are referenced, suspicious or unfinished', async () => {
    const store = await open()
    const first = await run(store, START)
    for (let n = 1; n < 6; n++) await run(store, START + n * 60_000)
    const failed = await run(store, START, { outcome: 'failed', error: 'no' })
    await run(store, START, { outcome: 'failed', error: 'no' })
    const suspicious = await run(store, START, { outcome: 'partial', suspicious: true })
    const writer = await holdingRun(store, { channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
    await record(store, writer, START, 'x')
    await writer.finish(IDLE, new Date(START)) // Says that nothing changed, but a version refers to it.
    const unfinished = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
    const round = await holdingRun(store, { channel: CHANNEL, kind: 'close', now: new Date(START) })
    await store.planClose({ run: round, rfqId: 'rfq-1', evidence: {}, now: new Date(START) })
    await round.finish(IDLE, new Date(START))
    await run(store, START, {}, 'close')
    const other = await run(store, START, {}, 'rfqs', 'acme/blue')
    await makeNewest(store, CHANNEL)
    const before = new Date('2026-01-01T00:00:00Z')
    expect(await store.prune({ before: new Date(START) })).toEqual({ runs: 0, events: 0 })
    expect(await store.prune({ before })).toMatchObject({ runs: 7 })
    const left = (await store.runs({ limit: 1000 })).filter(({ startedAt }) => startedAt < '2026')
    const kept = [first, failed, suspicious, writer, unfinished, round, other].map(({ id }) => id)
    expect(left.map(({ id }) => id).sort((a, b) => a - b)).toEqual(kept)
    await unfinished.finish(IDLE, new Date(START + 1000))
  })

  it.skipIf(isPostgres)('deletes more runs than fit in one transaction, and nothing a second time', async () => {
    const store = await open()
    insertIdleRuns(store.name, 1_440)
    const before = new Date('2026-01-01T00:00:00Z')
    // All but the first, and the newest hundred.
    expect((await store.prune({ before })).runs).toBe(1_440 - 101)
    expect(await store.prune({ before })).toEqual({ runs: 0, events: 0 })
  })
})

/** Adds a hundred newer finished runs of each kind, so that older ones may be deleted. */
const makeNewest = (store: Store, channel: string) =>
  executeIn(
    store,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100)
    insert into runs (channel, kind, started_at, finished_at, outcome, holder)
    select '${channel}', kind, '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:01.000Z', 'complete', '{}'
    from numbers, (select 'rfqs' as kind union select 'listings' union select 'close') kinds`,
  )

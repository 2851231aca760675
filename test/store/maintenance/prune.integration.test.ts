import { describe, expect, it } from 'vitest'
import type { RunKind } from '../../../src/core/records.js'
import type { RunEnd, RunHandle, Store } from '../../../src/store/contract.js'
import { observed } from '../../helpers/data/observed.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { CHANNEL } from '../../helpers/store/recording-store.js'
import { executeIn } from '../../helpers/store/store-engine.js'

const START = Date.parse('2025-01-01T00:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const IDLE = runEnd({ requests: 2, seen: 5, unchanged: 5 })

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
      responses: [],
      responsesComplete: true,
      readAt: new Date(at),
    },
    new Date(at + 500),
  )

describe('pruning', () => {
  it('does not change queries of freshness, first poll, history, decisions or past moments', async () => {
    const store = await openNewStore()
    const times: number[] = []
    for (let day = 0; day < 60; day++) {
      for (const hour of [1, 2, 3, 4]) {
        const at = START + day * DAY_MS + hour * 3_600_000
        const handle = await holdingRun(store, { channel: CHANNEL, kind: 'rfqs', now: new Date(at) })
        if (day % 7 === 0 && hour === 2) await record(store, handle, at, `title ${day}`)
        const list = day === 20 && hour === 3 ? [] : [observed({ id: 'rfq-1' })]
        await store.recordList(handle, 'rfq-entry', list, { whole: true, readAt: new Date(at) }, new Date(at))
        const failure = hour === 4 ? { outcome: 'failed' as const, error: `down ${day}` } : {}
        await handle.finish({ ...IDLE, ...failure }, new Date(at + 1500))
        times.push(at + 1000)
      }
      await run(store, START + day * DAY_MS, {}, 'listings')
    }
    await store.appendDecision(newDecision((await run(store, START + 60 * DAY_MS, {}, 'close')).id))
    const newest = (['rfqs', 'listings', 'close'] as const).flatMap((kind) =>
      ([{}, { outcome: 'complete' }, { outcome: 'partial' }, { outcome: 'failed' }] as const).map(
        (of) => () => store.newestRun({ channel: CHANNEL, kind, ...of }),
      ),
    )
    const queries = [
      ...newest,
      () => store.runs({ channel: CHANNEL, kind: 'rfqs', limit: 50 }),
      ...[{}, { channel: CHANNEL, kind: 'listings' as const }].map((of) => () => store.firstPollAt(of)),
      () => store.rfqHistory(CHANNEL, 'rfq-1'),
      ...times.map((at) => () => store.rfqs({ asOf: new Date(at) })),
      () => store.decisions({}),
      () => store.verifyDecisions(),
      () => store.rfqStates(CHANNEL),
    ]
    const answers = async () => JSON.stringify(await Promise.all(queries.map((query): Promise<unknown> => query())))
    const before = await answers()
    expect((await store.prune({ before: new Date(START + 60 * DAY_MS) })).runs).toBeGreaterThan(50)
    expect(await answers()).toBe(before)
    expect(await store.check()).toMatchObject({ ok: true })
  })

  it('deletes idle runs, but not the first of an outcome, nor runs that are referenced, suspicious or unfinished', async () => {
    const store = await openNewStore()
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

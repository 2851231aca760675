import { spawnSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunHandle, RunStart, Store } from '../../../src/store/contract.js'
import { RunBusyError, RunLostError } from '../../../src/store/errors.js'
import { anRfq } from '../../helpers/data/sample-documents.js'
import { shareOf } from '../../helpers/long-tests.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { at, CHANNEL, noonStore, rfqSnapshot } from '../../helpers/store/recording-store.js'
import { executeIn, rowsOf } from '../../helpers/store/store-engine.js'

const POLL: RunStart = { channel: CHANNEL, kind: 'rfqs', now: at('08:00:00') }
const END = runEnd()
const ELSEWHERE = { host: 'elsewhere', nonce: 'x' }

/** Changes the process of the unfinished runs. */
async function changeHolder(db: Store, changes: object): Promise<void> {
  const [run] = (await rowsOf(db, 'select holder from runs where finished_at is null')) as [{ holder: string }]
  const holder = JSON.stringify({ ...JSON.parse(run.holder), ...changes })
  await executeIn(db, `update runs set holder = '${holder}' where finished_at is null`)
}

const lockOf = async (db: Store) => (await rowsOf(db, 'select lock_run, wanted from channels'))[0]

/** A clock of `performance.now()` that only the test moves; timers are not faked. */
function monotonicClock() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return (milliseconds: number) => vi.advanceTimersByTime(milliseconds)
}

const record = (db: Store, run: RunHandle) =>
  db.recordRfq(run, rfqSnapshot(anRfq(), [], at('08:00:00')), at('08:00:01'))

describe('a run of the schedule', () => {
  it('does not begin beside an unfinished one of its kind and channel; one of a person does', async () => {
    const db = await noonStore()
    const run = await db.beginRun({ ...POLL, byHand: true })
    await expect(db.beginRun(POLL)).rejects.toThrow(RunBusyError)
    for (const other of [
      { ...POLL, kind: 'listings' as const },
      { ...POLL, channel: 'acme/sea' },
    ])
      await (await db.beginRun(other)).finish(END, at('08:01:00'))
    await db.beginRun({ ...POLL, byHand: true }).then((other) => other.finish(END, at('08:01:00')))
    await run.finish(END, at('08:01:00'))
    await db.beginRun(POLL)
  })

  it('begins after one of this process whose end could not be recorded', async () => {
    const db = await noonStore()
    const run = await db.beginRun(POLL)
    await expect(run.finish({ ...END, outcome: 'refused' as never }, at('08:01:00'))).rejects.toThrow()
    await db.beginRun(POLL)
  })
})

describe('a step', () => {
  it('excludes the steps of other runs on the channel, one after another', async () => {
    const db = await noonStore()
    let holders = 0
    let most = 0
    const steps = shareOf(60)
    const work = async (run: RunHandle) => {
      for (let step = 0; step < steps; step++)
        await run.step(async () => {
          most = Math.max(most, ++holders)
          await wait(Math.random() * 5)
          holders--
        })
      await run.finish(END, at('08:01:00'))
    }
    // In this order, because a run of the schedule does not begin beside another of its kind.
    const runs = []
    for (const more of [{}, { kind: 'close' as const }, { byHand: true }, { kind: 'listings' as const }])
      runs.push(await db.beginRun({ ...POLL, ...more }))
    await Promise.all(runs.map(work))
    expect(most).toBe(1)
    expect(await lockOf(db)).toEqual({ lock_run: null, wanted: 0 })
  })

  it('is what a run records in: before and after it, nothing is recorded', async () => {
    const db = await noonStore()
    const run = await db.beginRun(POLL)
    await expect(record(db, run)).rejects.toThrow(RunLostError)
    await run.step(() => record(db, run))
    await expect(record(db, run)).rejects.toThrow(RunLostError)
    await expect(run.step(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await lockOf(db)).toEqual({ lock_run: null, wanted: 0 })
  })

  it('is told with what it records that somebody waits who goes first, and not of others', async () => {
    const db = await noonStore()
    const poll = await db.beginRun(POLL)
    const close = await db.beginRun({ ...POLL, kind: 'close' })
    const order: string[] = []
    let closing: Promise<unknown> | undefined
    let polling: Promise<unknown> | undefined
    await poll.step(async () => {
      await record(db, poll)
      expect(poll.isWanted).toBe(false)
      closing = close.step(async () => {
        order.push('close')
        polling = poll.step(async () => void order.push('poll'))
        await vi.waitFor(async () => expect(await lockOf(db)).toMatchObject({ wanted: 1 }))
        await record(db, close)
        expect(close.isWanted).toBe(false)
      })
      await vi.waitFor(async () => expect(await lockOf(db)).toMatchObject({ wanted: 2 }))
      await record(db, poll)
      expect(poll.isWanted).toBe(true)
    })
    await closing
    await polling
    expect(order).toEqual(['close', 'poll'])
  })

  it('is taken after 300 ms although a waiter that goes first has died', async () => {
    const db = await noonStore()
    const run = await db.beginRun(POLL)
    await executeIn(db, 'update channels set wanted = 2')
    const begun = performance.now()
    await run.step(async () => expect(await lockOf(db)).toEqual({ lock_run: run.id, wanted: 0 }))
    expect(performance.now() - begun).toBeGreaterThan(290)
  })

  it('ends its waiting when it is stopped, and says what it waits for after two seconds', async () => {
    const db = await noonStore()
    await holdingRun(db, { ...POLL, kind: 'close' })
    const stop = new AbortController()
    const told: unknown[] = []
    const run = await db.beginRun({
      ...POLL,
      byHand: true,
      signal: stop.signal,
      onWait: (holder) => void told.push(holder),
    })
    const advance = monotonicClock()
    const waiting = run.step(async () => undefined)
    await vi.waitFor(async () => expect(await lockOf(db)).toMatchObject({ wanted: 2 }))
    advance(2_000)
    const holder = `run 1 (close) of ${CHANNEL}, begun 2026-11-21 08:00 UTC by quotekeeper (process ${process.pid})`
    await vi.waitFor(() => expect(told).toEqual([holder]))
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
  })
})

describe('the lock of a run that is dead', () => {
  it.each([true, false])(
    'is taken over at once if its process was on this machine; the run records nothing more (by hand: %s)',
    async (byHand) => {
      const db = await noonStore()
      const dead = await holdingRun(db, POLL)
      // A process id that no process has, as after a kill.
      await changeHolder(db, { pid: spawnSync(process.execPath, ['-e', '']).pid, nonce: 'x' })
      const run = await db.beginRun({ ...POLL, byHand })
      await run.step(() => record(db, run))
      await expect(record(db, dead)).rejects.toThrow(RunLostError)
      const plan = { run: dead, rfqId: 'rfq-1', evidence: {}, now: at('08:00:00') }
      await expect(db.planClose(plan)).rejects.toThrow(RunLostError)
      expect((await db.runs({})).filter(({ outcome }) => outcome === 'interrupted')).toMatchObject([{ id: dead.id }])
    },
  )

  it.each([
    ['whose process exists', { pid: process.ppid, nonce: 'x' }],
    ['of another machine', ELSEWHERE],
    // With the host name of this one, as in a compose file; no process here has its id.
    ['of another container', { pidNamespace: 'boot pid:[1]', pid: 2 ** 22 + 1, nonce: 'x' }],
  ])(
    '%s is taken over when its heartbeat was watched for 15 seconds without a change, whatever the clocks say',
    async (_, holder) => {
      const db = await noonStore()
      await db.beginRun(POLL)
      await changeHolder(db, holder)
      const advance = monotonicClock()
      const watchFor = async (milliseconds: number) => {
        for (let left = milliseconds; left > 0; left -= 5_000) {
          expect(await db.watchRuns()).toHaveLength(1)
          advance(Math.min(left, 5_000))
        }
      }
      await watchFor(14_999)
      await executeIn(db, 'update runs set heartbeat = heartbeat + 1')
      await watchFor(14_999)
      expect(await db.watchRuns()).toHaveLength(1)
      // The watcher itself was suspended.
      advance(3_600_000)
      await watchFor(15_000)
      expect(await db.watchRuns()).toEqual([])
      expect(await db.runs({})).toMatchObject([{ outcome: 'interrupted' }])
    },
  )
})

import { spawnSync } from 'node:child_process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Store } from '../../../src/store/contract.js'
import { RunBusyError, RunLostError } from '../../../src/store/errors.js'
import { anRfq } from '../../helpers/data/sample-documents.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { at, begin, CHANNEL, noonStore, rfqSnapshot } from '../../helpers/store/recording-store.js'
import { executeIn, rowsOf } from '../../helpers/store/store-engine.js'

/** Changes the process that holds the only run. */
async function changeHolder(db: Store, changes: object): Promise<void> {
  const [run] = (await rowsOf(db, 'select holder from runs')) as [{ holder: string }]
  await executeIn(db, `update runs set holder = '${JSON.stringify({ ...JSON.parse(run.holder), ...changes })}'`)
}

describe('run lock', () => {
  it('allows one active run of each kind on a channel', async () => {
    const db = await noonStore()
    const run = await begin(db)
    await expect(begin(db)).rejects.toThrow(RunBusyError)
    await begin(db, 'listings')
    const end = { requests: 1, seen: 2, inserted: 0, changed: 0, unchanged: 2, missing: 0, invalid: 0 }
    await run.finish({ ...end, outcome: 'complete', error: null }, at('08:01:00'))
    await begin(db)
  })

  it('records the run of a dead process as interrupted and rejects its writes', async () => {
    const db = await noonStore()
    const orphan = await begin(db)
    // A process id that no process has, as after a kill.
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    await changeHolder(db, { pid, nonce: 'x' })
    const next = await begin(db)
    expect(next.id).not.toBe(orphan.id)
    expect(await rowsOf(db, 'select id, outcome from runs where finished_at is not null')).toEqual([
      { id: orphan.id, outcome: 'interrupted' },
    ])
    const plan = { channel: CHANNEL, rfqId: 'rfq-1', runId: orphan.id, evidence: {}, now: at('08:00:00') }
    await expect(db.planClose(plan)).rejects.toThrow(RunLostError)
    await expect(db.recordRfq(orphan, rfqSnapshot(anRfq(), [], at('08:00:00')), at('08:00:01'))).rejects.toThrow(
      RunLostError,
    )
  })

  it('takes over a run of the same process whose end could not be recorded at once, and no other of its runs', async () => {
    const db = await noonStore()
    const end = { requests: 1, seen: 2, inserted: 0, changed: 0, unchanged: 2, missing: 0, invalid: 0, error: null }
    for (let round = 0; round < ROUNDS; round++) {
      const run = await begin(db)
      await expect(begin(db)).rejects.toThrow(RunBusyError)
      await expect(
        run.finish({ ...end, outcome: 'rejected by the database' as never }, at('08:01:00')),
      ).rejects.toThrow()
      const attempts = await Promise.allSettled([begin(db), begin(db), begin(db)])
      const begun = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
      expect(begun).toHaveLength(1)
      await executeIn(db, `update runs set lease_until = '2026-11-21T07:59:59.000Z' where finished_at is null`)
      await expect(begin(db)).rejects.toThrow(RunBusyError)
      for (const next of begun) await next.finish({ ...end, outcome: 'complete' }, at('08:01:00'))
    }
  })

  it.each([
    ['whose process exists, and whose lease has expired by the clock', { pid: process.ppid }, ['11:59:00', '11:59:10']],
    ['of another machine whose lease is far ahead by the clock', { host: 'elsewhere' }, ['13:00:00', '13:00:10']],
  ])('takes over a run %s only when its lease is not renewed for 15 seconds', async (_, holder, leases) => {
    const db = await noonStore()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    await begin(db)
    await changeHolder(db, { nonce: 'x', ...holder })
    for (const lease of leases) {
      await executeIn(db, `update runs set lease_until = '${at(lease).toISOString()}'`)
      await expect(begin(db)).rejects.toThrow(RunBusyError)
      vi.advanceTimersByTime(14_999)
      await expect(begin(db)).rejects.toThrow(RunBusyError)
    }
    vi.advanceTimersByTime(1)
    await begin(db)
  })

  it.each([
    ['another machine', { host: 'elsewhere' }],
    // With the host name of this one, as in a compose file; no process here has its id.
    ['another container', { pidNamespace: 'boot pid:[1]', pid: 2 ** 22 + 1 }],
  ])('takes over the run of %s only after its lease has expired', async (_, holder) => {
    const db = await noonStore()
    await begin(db)
    await changeHolder(db, { nonce: 'x', ...holder })
    await expect(begin(db)).rejects.toThrow(RunBusyError)
    await executeIn(db, `update runs set lease_until = '2026-11-21T11:59:59.000Z'`)
    await begin(db)
  })
})

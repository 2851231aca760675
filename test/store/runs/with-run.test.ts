import { describe, expect, it } from 'vitest'
import type { RunKind } from '../../../src/core/records.js'
import { AbortedError, ItemError, PausedError, UnavailableError } from '../../../src/marketplace/errors.js'
import { RunLostError } from '../../../src/store/errors.js'
import { pausedUntil, type RunProgress, withRun } from '../../../src/store/runs/with-run.js'
import { KEY, openChannelFixture } from '../../helpers/channel-fixture.js'

const UNTIL = new Date('2026-11-21T13:00:00.000Z')

const fail = (error: Error) => {
  throw error
}

/** Runs on a real database; each test passes in the work. */
async function openRunFixture() {
  const { store, now, session } = await openChannelFixture()
  const context = { session: session(), store, now }
  return {
    store,
    run: (work: (progress: RunProgress) => void | Promise<void>, kind: 'rfqs' | 'close' = 'rfqs') =>
      withRun(context, kind, async (_run, progress) => work(progress)),
  }
}

describe('a run', () => {
  it.each<[string, (progress: RunProgress) => void, object]>([
    [
      'is complete if its work ends without failures, and keeps its counts',
      (progress) => void Object.assign(progress, { seen: 3, inserted: 2 }),
      { outcome: 'complete', seen: 3, inserted: 2, error: null, notBefore: null },
    ],
    [
      'is partial after failures, and names the first five of them',
      ({ failures }) => {
        for (let n = 1; n <= 7; n++) failures.push({ id: `RFQ ${n}`, message: 'broken' })
      },
      { outcome: 'partial', error: expect.stringMatching(/^RFQ 1: broken .*RFQ 5: broken \(and 2 more\)$/) },
    ],
    [
      'is partial if its work reports that it is incomplete',
      (progress) => {
        progress.incomplete = 'The list is too short.'
      },
      { outcome: 'partial', error: 'The list is too short.' },
    ],
    [
      'is failed after an error before any progress',
      () => fail(new UnavailableError('down')),
      { outcome: 'failed', error: 'down' },
    ],
    [
      'is partial after an error that follows progress',
      (progress) => {
        progress.madeProgress = true
        fail(new ItemError('gone'))
      },
      { outcome: 'partial', error: 'gone' },
    ],
    [
      'is partial when it is aborted',
      () => fail(new AbortedError('stopped')),
      { outcome: 'partial', error: 'stopped' },
    ],
  ])('%s', async (_title, work, expected) => {
    const { run } = await openRunFixture()
    expect((await run(work)).run).toMatchObject(expected)
  })

  it('is failed by any other error, which is thrown', async () => {
    const { run, store } = await openRunFixture()
    const bug = new TypeError('x is not a function')
    await expect(run(() => fail(bug))).rejects.toBe(bug)
    expect(await store.newestRun({ channel: KEY, kind: 'rfqs' })).toMatchObject({
      outcome: 'failed',
      error: bug.message,
    })
  })

  it('records nothing once another process has taken it over', async () => {
    const { store, now, session } = await openChannelFixture()
    const lost = new AbortController()
    const losing = {
      beginRun: async (options: Parameters<typeof store.beginRun>[0]) => {
        const handle = await store.beginRun(options)
        return { ...handle, lost: lost.signal }
      },
    }
    const work = async () => lost.abort(new RunLostError('taken over'))
    await expect(withRun({ session: session(), store: losing, now }, 'rfqs', work)).rejects.toThrow('taken over')
    expect(await store.newestRun({ channel: KEY, kind: 'rfqs' })).toBeNull()
  })
})

it('a pause that the marketplace asked for makes a run partial, and lasts until the requested time, unless the run ended in the future', async () => {
  const { run, store } = await openRunFixture()
  const result = await run(() => fail(new PausedError('wait', UNTIL)), 'close')
  expect(result.run).toMatchObject({ outcome: 'partial', notBefore: UNTIL.toISOString() })
  const until = (now: number, kind: RunKind = 'close') => pausedUntil(store, { channel: KEY, kind }, new Date(now))
  expect(await until(UNTIL.getTime() - 1)).toBe(UNTIL.toISOString())
  expect(await until(UNTIL.getTime())).toBeNull()
  expect(await until(UNTIL.getTime() - 1, 'listings')).toBeNull()
  const finishedAt = Date.parse(result.run.finishedAt ?? '')
  expect(await until(finishedAt - 60_000)).toBe(UNTIL.toISOString())
  expect(await until(finishedAt - 61_000)).toBeNull()
})

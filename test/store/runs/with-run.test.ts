import { describe, expect, it } from 'vitest'
import type { RunKind } from '../../../src/core/records.js'
import {
  AbortedError,
  ItemError,
  type MarketplaceError,
  PausedError,
  UnavailableError,
} from '../../../src/marketplace/errors.js'
import { RunLostError } from '../../../src/store/errors.js'
import { pausedUntil, type RunProgress, withRun } from '../../../src/store/runs/with-run.js'
import { KEY, openChannelFixture } from '../../helpers/channel-fixture.js'

const UNTIL = new Date('2026-11-21T13:00:00.000Z')

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
  it('is complete if its work ends without failures, and keeps its counts', async () => {
    const { run } = await openRunFixture()
    const result = await run((progress) => {
      progress.counts.seen = 3
      progress.counts.inserted = 2
    })
    expect(result.run).toMatchObject({ outcome: 'complete', seen: 3, inserted: 2, error: null, notBefore: null })
  })

  it.each<[string, (progress: RunProgress) => void, Partial<Record<'outcome' | 'error', unknown>>]>([
    [
      'is partial after failures, and names the first five of them',
      (progress) => {
        for (let n = 1; n <= 7; n++) progress.failures.push({ id: `RFQ ${n}`, message: 'broken' })
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
      () => {
        throw new UnavailableError('down')
      },
      { outcome: 'failed', error: 'down' },
    ],
    [
      'is partial after an error that follows progress',
      (progress) => {
        progress.madeProgress = true
        throw new ItemError('gone')
      },
      { outcome: 'partial', error: 'gone' },
    ],
    [
      'is partial when it is aborted',
      () => {
        throw new AbortedError('stopped')
      },
      { outcome: 'partial', error: 'stopped' },
    ],
  ])('%s', async (_title, work, expected) => {
    const { run } = await openRunFixture()
    expect((await run(work)).run).toMatchObject(expected)
  })

  it('is failed by any other error, which is thrown', async () => {
    const { run, store } = await openRunFixture()
    const bug = new TypeError('x is not a function')
    const work = () => {
      throw bug
    }
    await expect(run(work)).rejects.toBe(bug)
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

describe('a pause that the marketplace asked for', () => {
  const paused = (error: MarketplaceError) => () => {
    throw error
  }

  it.each(['rfqs', 'close'] as const)('makes a run partial, and lasts until the requested time: %s', async (kind) => {
    const { run, store } = await openRunFixture()
    const result = await run(paused(new PausedError('wait', UNTIL)), kind)
    expect(result.run).toMatchObject({ outcome: 'partial', notBefore: UNTIL.toISOString() })
    const until = (of: RunKind, now: Date) => pausedUntil(store, { channel: KEY, kind: of }, now)
    expect(await until(kind, new Date(UNTIL.getTime() - 1))).toBe(UNTIL.toISOString())
    expect(await until(kind, UNTIL)).toBeNull()
    expect(await until('listings', new Date(0))).toBeNull()
  })

  it('is ignored for a run that ended in the future', async () => {
    const { run, store } = await openRunFixture()
    const { finishedAt } = (await run(paused(new PausedError('wait', UNTIL)))).run
    const secondsBefore = (seconds: number) => new Date(Date.parse(finishedAt ?? '') - seconds * 1_000)
    const polls = { channel: KEY, kind: 'rfqs' } as const
    expect(await pausedUntil(store, polls, secondsBefore(60))).toBe(UNTIL.toISOString())
    expect(await pausedUntil(store, polls, secondsBefore(61))).toBeNull()
  })
})

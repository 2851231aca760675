import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunStart, Store } from '../../../src/store/contract.js'
import { RunBusyError } from '../../../src/store/errors.js'
import { type RunWaitOptions, runWhenFree } from '../../../src/store/runs/with-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { at, CHANNEL } from '../../helpers/store/recording-store.js'
import { executeIn, openAgain, rowsOf } from '../../helpers/store/store-engine.js'

const END = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }

async function openQueue() {
  let time = at('12:00:00').getTime()
  const clock = {
    now: () => new Date(time),
    advanceSeconds(seconds: number) {
      time += seconds * 1_000
    },
  }
  const store = await openNewStore({ clock: clock.now })
  onTestFinished(() => store.close())
  const begin = (more: Partial<RunStart> = {}, from = store) =>
    from.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock.now(), ...more })
  const finish = (run: Awaited<ReturnType<Store['beginRun']>>) =>
    run.finish({ ...END, outcome: 'complete' }, clock.now())
  /** Why a run cannot begin. */
  const refused = async (more: Partial<RunStart> = {}, from = store) => {
    const error = await begin(more, from).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(RunBusyError)
    return (error as RunBusyError).inProgress
  }
  const queue = () => rowsOf(store, `select value from meta where key like 'waiting %'`)
  return { clock, store, begin, finish, refused, queue }
}

describe('queue of waiting runs', () => {
  it('starts runs first in, first out, and no other run before them', async () => {
    const { begin, finish, refused, queue } = await openQueue()
    let running = await begin()
    for (let round = 0; round < 6; round++) {
      expect(await refused({ ticket: 'ana', byHand: true })).toMatchObject({ byHand: round > 0 })
      await refused({ ticket: 'ben', byHand: true })
      await refused({ ticket: 'ana', byHand: true })
      await finish(running)
      // The next scheduled poll, and those who are not first.
      expect(await refused()).toMatchObject({ byHand: true, startedAt: null })
      await refused({ ticket: 'ben', byHand: true })
      const ana = await begin({ ticket: 'ana', byHand: true })
      expect(await refused({ ticket: 'schedule' })).toMatchObject({ byHand: true, startedAt: expect.any(String) })
      await refused({ ticket: 'ana again', byHand: true })
      await finish(ana)
      await refused({ ticket: 'schedule' })
      await finish(await begin({ ticket: 'ben', byHand: true }))
      await refused({ ticket: 'ana again', byHand: true })
      await finish(await begin({ ticket: 'schedule' }))
      running = await begin({ ticket: 'ana again', byHand: true })
      expect(await queue()).toEqual([])
    }
  })

  it('does not delay runs of other channels and kinds', async () => {
    const { begin, refused } = await openQueue()
    await begin()
    await refused({ ticket: 'ana', byHand: true })
    await begin({ kind: 'listings' })
    await begin({ channel: 'acme/blue' })
  })

  it('drops a run that was not renewed for ten seconds, also after a restart', async () => {
    const { clock, store, begin, finish, refused } = await openQueue()
    const others = `replace(value, '"pid":${process.pid}', '"pid":${process.ppid}')`
    for (let round = 0; round < 6; round++) {
      const running = await begin()
      await refused({ ticket: 'ana', byHand: true })
      for (let attempt = 0; attempt < 6; attempt++) {
        clock.advanceSeconds(9)
        await refused({ ticket: 'ana', byHand: true })
      }
      await finish(running)
      // As if it were another living process.
      await executeIn(store, `update meta set value = ${others} where key like 'waiting %'`)
      const again = await openAgain(store.name, { clock: clock.now })
      clock.advanceSeconds(9)
      await refused({}, again)
      clock.advanceSeconds(2)
      await finish(await begin({}, again))
      await again.close()
    }
  })

  it('removes a run that no longer waits', async () => {
    const { store, begin, finish, refused, queue } = await openQueue()
    const running = await begin()
    await refused({ ticket: 'ana' })
    await refused({ ticket: 'ben' })
    await finish(running)
    await store.dequeueRun({ channel: CHANNEL, kind: 'rfqs', ticket: 'ana' })
    await store.dequeueRun({ channel: CHANNEL, kind: 'rfqs', ticket: 'nobody' })
    await begin({ ticket: 'ben' })
    expect(await queue()).toEqual([])
  })
})

describe('runWhenFree', () => {
  const byHand = (more: Partial<RunWaitOptions> = {}): RunWaitOptions => ({
    ...{ byHand: true, signal: new AbortController().signal, retryMs: 1, shouldWait: () => true, ...more },
  })

  it('alternates commands with scheduled runs that follow one another, and starves none', async () => {
    const { store, clock, finish } = await openQueue()
    const order: string[] = []
    let ended = false
    const runOnce = (name: string) => async (inTurn: Store) => {
      const run = await inTurn.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock.now() })
      order.push(name)
      await new Promise(setImmediate)
      await finish(run)
    }
    // Jobs back to back, as where requests are scarce.
    const schedule = async () => {
      const options = { ...byHand({ byHand: false }), shouldWait: ({ inProgress }: RunBusyError) => inProgress.byHand }
      while (!ended) await runWhenFree(store, options, runOnce('schedule'))
    }
    const person = async (name: string) => {
      for (let round = 0; round < 6; round++) await runWhenFree(store, byHand(), runOnce(name))
    }
    const scheduled = schedule()
    await Promise.all([person('ana'), person('ben')])
    ended = true
    await scheduled
    const runsOf = (name: string) => order.filter((each) => each === name).length
    expect([runsOf('ana'), runsOf('ben')]).toEqual([6, 6])
    // Each queued again at once, so none ran twice while another waited.
    const positions = order.flatMap((name, index) => (name === 'schedule' ? [index] : []))
    const gaps = positions.slice(1).map((position, index) => position - (positions[index] as number))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(4)
    expect(order.join(' ')).not.toMatch(/(ana|ben) \1 \1/)
  })

  it('ignores a run that was queued before the clock was set back, and does not renew it', async () => {
    const { clock, begin, finish, refused } = await openQueue()
    for (let round = 0; round < 6; round++) {
      const running = await begin()
      await refused({ ticket: 'ana', byHand: true })
      await finish(running)
      clock.advanceSeconds(-600)
      expect(await refused()).toMatchObject({ byHand: true })
      clock.advanceSeconds(-1)
      await finish(await begin())
    }
  })

  it('removes its run from the queue when it is stopped, when it has waited too long, and after another error', async () => {
    const { store, clock, begin, queue } = await openQueue()
    await begin()
    const work = (inTurn: Store) => inTurn.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock.now() })
    const stop = new AbortController()
    const waited: unknown[] = []
    const onWait = (busy: RunBusyError) => {
      waited.push(busy.inProgress.startedAt)
      setImmediate(() => stop.abort())
    }
    const stopped = runWhenFree(store, byHand({ signal: stop.signal, retryMs: 60_000, onWait }), work)
    await expect(stopped).rejects.toThrow(/is in progress/)
    expect(waited).toEqual([at('12:00:00').toISOString()])
    await expect(runWhenFree(store, byHand({ maxMs: 5 }), work)).rejects.toThrow(/is in progress/)
    let attempts = 0
    const failing = (inTurn: Store) => (++attempts > 3 ? Promise.reject(new Error('a pause')) : work(inTurn))
    await expect(runWhenFree(store, byHand(), failing)).rejects.toThrow('a pause')
    expect(await queue()).toEqual([])
  })
})

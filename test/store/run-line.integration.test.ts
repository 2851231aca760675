import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunStart, Store } from '../../src/store/contract.js'
import { RunBusyError } from '../../src/store/errors.js'
import { runInTurn, type TurnOptions } from '../../src/store/runs/with-run.js'
import { openNewStore } from '../helpers/new-store.js'
import { at, CHANNEL } from '../helpers/recording-store.js'
import { executeIn, openAgain, rowsOf } from '../helpers/store-engine.js'

const END = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }

async function openLine() {
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
  const line = () => rowsOf(store, `select value from meta where key like 'waiting %'`)
  return { clock, store, begin, finish, refused, line }
}

describe('the line of those who wait to begin a run', () => {
  it('lets runs begin in the order in which they came, and none before them, again and again', async () => {
    const { begin, finish, refused, line } = await openLine()
    let running = await begin()
    for (let round = 0; round < 6; round++) {
      expect(await refused({ turn: 'ana', byHand: true })).toMatchObject({ byHand: round > 0 })
      await refused({ turn: 'ben', byHand: true })
      await refused({ turn: 'ana', byHand: true })
      await finish(running)
      // The next scheduled poll, and those who are not first.
      expect(await refused()).toMatchObject({ byHand: true, startedAt: null })
      await refused({ turn: 'ben', byHand: true })
      const ana = await begin({ turn: 'ana', byHand: true })
      expect(await refused({ turn: 'schedule' })).toMatchObject({ byHand: true, startedAt: expect.any(String) })
      await refused({ turn: 'ana again', byHand: true })
      await finish(ana)
      await refused({ turn: 'schedule' })
      await finish(await begin({ turn: 'ben', byHand: true }))
      await refused({ turn: 'ana again', byHand: true })
      await finish(await begin({ turn: 'schedule' }))
      running = await begin({ turn: 'ana again', byHand: true })
      expect(await line()).toEqual([])
    }
  })

  it('is of one channel and kind', async () => {
    const { begin, refused } = await openLine()
    await begin()
    await refused({ turn: 'ana', byHand: true })
    await begin({ kind: 'listings' })
    await begin({ channel: 'acme/blue' })
  })

  it('keeps a place for ten seconds after it was last renewed, also after a restart, and then forgets it', async () => {
    const { clock, store, begin, finish, refused } = await openLine()
    const others = `replace(value, '"pid":${process.pid}', '"pid":${process.ppid}')`
    for (let round = 0; round < 6; round++) {
      const running = await begin()
      await refused({ turn: 'ana', byHand: true })
      for (let attempt = 0; attempt < 6; attempt++) {
        clock.advanceSeconds(9)
        await refused({ turn: 'ana', byHand: true })
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

  it('can be left', async () => {
    const { store, begin, finish, refused, line } = await openLine()
    const running = await begin()
    await refused({ turn: 'ana' })
    await refused({ turn: 'ben' })
    await finish(running)
    await store.leaveLine({ channel: CHANNEL, kind: 'rfqs', turn: 'ana' })
    await store.leaveLine({ channel: CHANNEL, kind: 'rfqs', turn: 'nobody' })
    await begin({ turn: 'ben' })
    expect(await line()).toEqual([])
  })
})

describe('work that waits for its turn', () => {
  const byHand = (more: Partial<TurnOptions> = {}): TurnOptions => ({
    ...{ byHand: true, signal: new AbortController().signal, tryAgainMs: 1, waitsFor: () => true, ...more },
  })

  it('comes between scheduled runs that follow one another, and starves none of them', async () => {
    const { store, clock, finish } = await openLine()
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
      const options = { ...byHand({ byHand: false }), waitsFor: ({ inProgress }: RunBusyError) => inProgress.byHand }
      while (!ended) await runInTurn(store, options, runOnce('schedule'))
    }
    const person = async (name: string) => {
      for (let round = 0; round < 6; round++) await runInTurn(store, byHand(), runOnce(name))
    }
    const scheduled = schedule()
    await Promise.all([person('ana'), person('ben')])
    ended = true
    await scheduled
    const runsOf = (name: string) => order.filter((each) => each === name).length
    expect([runsOf('ana'), runsOf('ben')]).toEqual([6, 6])
    // Everyone came again at once, so nobody had two turns while another waited.
    const positions = order.flatMap((name, index) => (name === 'schedule' ? [index] : []))
    const gaps = positions.slice(1).map((position, index) => position - (positions[index] as number))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(4)
    expect(order.join(' ')).not.toMatch(/(ana|ben) \1 \1/)
  })

  it('has no place of a process that took it before the clock was set back, and does not renew it', async () => {
    const { clock, begin, finish, refused } = await openLine()
    for (let round = 0; round < 6; round++) {
      const running = await begin()
      await refused({ turn: 'ana', byHand: true })
      await finish(running)
      clock.advanceSeconds(-600)
      expect(await refused()).toMatchObject({ byHand: true })
      clock.advanceSeconds(-1)
      await finish(await begin())
    }
  })

  it('gives up its place when it ends without its turn: stopped, after the time it may wait, or by another error', async () => {
    const { store, clock, begin, line } = await openLine()
    await begin()
    const work = (inTurn: Store) => inTurn.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock.now() })
    const stop = new AbortController()
    const waited: unknown[] = []
    const onWait = (busy: RunBusyError) => {
      waited.push(busy.inProgress.startedAt)
      setImmediate(() => stop.abort())
    }
    const stopped = runInTurn(store, byHand({ signal: stop.signal, tryAgainMs: 60_000, onWait }), work)
    await expect(stopped).rejects.toThrow(/is in progress/)
    expect(waited).toEqual([at('12:00:00').toISOString()])
    await expect(runInTurn(store, byHand({ maxMs: 5 }), work)).rejects.toThrow(/is in progress/)
    let attempts = 0
    const failing = (inTurn: Store) => (++attempts > 3 ? Promise.reject(new Error('a pause')) : work(inTurn))
    await expect(runInTurn(store, byHand(), failing)).rejects.toThrow('a pause')
    expect(await line()).toEqual([])
  })
})

import { describe, expect, it, onTestFinished } from 'vitest'
import type { PartClaim, RunHandle, Store } from '../../src/store/contract.js'
import { RunLostError } from '../../src/store/errors.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { openNewStore } from '../helpers/new-store.js'
import { begin, CHANNEL, rfqSnapshot } from '../helpers/recording-store.js'
import { anRfq, aResponse } from '../helpers/sample-documents.js'
import { executeIn, openAgain, rowsOf } from '../helpers/store-engine.js'

const RUN_END = { requests: 1, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, error: null }

/** Two processes on one database with one clock, and a run of the first. */
async function twoStores(contents: readonly string[]) {
  let time = Date.parse('2026-11-21T12:00:00.000Z')
  const clock = () => new Date(time)
  const one = await openNewStore({ clock })
  onTestFinished(() => one.close())
  const two = await openAgain(one.name, { clock })
  onTestFinished(() => two.close())
  const start = async () => {
    const run = await begin(one)
    await one.addPollParts(run, contents)
    return run
  }
  /** Moves the clock; the process that began the run renews its lease. */
  const pass = async (seconds: number) => {
    time += seconds * 1_000
    await executeIn(one, `update runs set lease_until = '${new Date(time + 30_000).toISOString()}'`)
  }
  const end = (run: RunHandle) => run.finish({ ...RUN_END, outcome: 'complete' }, clock())
  return { one, two, clock, start, pass, end }
}

const finish = (store: Store, claim: PartClaim, more: { requests?: number; endsPoll?: boolean } = {}) =>
  store.finishPollPart(claim, { result: `{"part":${claim.number}}`, requests: 0, endsPoll: false, ...more })

async function claimAll(store: Store, runId: number): Promise<PartClaim[]> {
  const claims: PartClaim[] = []
  for (;;) {
    const claim = await store.claimPollPart({ runId })
    if (claim === null) return claims
    claims.push(claim)
  }
}

describe('parts of a poll', () => {
  it('are claimed once each by two processes that take them at the same time, round after round', async () => {
    const contents = Array.from({ length: 12 }, (_, part) => JSON.stringify({ part, id: 'a\0\ud800' }))
    const { one, two, start, end } = await twoStores(contents)
    for (let round = 0; round < ROUNDS; round++) {
      const run = await start()
      const claims = (await Promise.all([one, two, two, one].map((store) => claimAll(store, run.id)))).flat()
      expect(claims.map(({ number }) => number).sort((a, b) => a - b)).toEqual([...contents.keys()])
      for (const { number, content, channel } of claims) {
        expect([content, channel]).toEqual([contents[number], CHANNEL])
      }
      expect(await two.claimPollPart({ runId: run.id, number: 3 })).toBeNull()
      expect(await one.pollPartsLeft(run.id)).toEqual({ unfinished: 12, free: 0, ended: false })
      for (const claim of claims) expect(await finish(two, claim)).toBe(true)
      expect(await one.pollPartsLeft(run.id)).toEqual({ unfinished: 0, free: 0, ended: false })
      expect(await rowsOf(one, `select number from poll_parts where content <> ''`)).toEqual([])
      const results = contents.map((_, number) => ({ number, result: `{"part":${number}}`, requests: 0 }))
      expect(await one.pollParts(run.id)).toEqual(results)
      await end(run)
      expect(await rowsOf(one, 'select * from poll_parts')).toEqual([])
      await expect(two.claimPollPart({ runId: run.id })).rejects.toThrow(RunLostError)
    }
  })

  it('can be claimed again once a claim expired that was not renewed; then only the new result counts', async () => {
    const { one, two, start, pass, end } = await twoStores(['a', 'b'])
    for (let round = 0; round < ROUNDS; round++) {
      const run = await start()
      const claim = (store: Store, number: number) => store.claimPollPart({ runId: run.id, number })
      const dead = (await claim(two, 0)) as PartClaim
      const renewed = (await claim(two, 1)) as PartClaim
      await pass(29)
      expect(await two.renewPollPart(renewed, 7)).toBe(true)
      await pass(1.5)
      const again = (await claim(one, 0)) as PartClaim
      expect(again.content).toBe('a')
      expect(await claim(one, 1)).toBeNull()
      expect(await two.renewPollPart(dead, 5)).toBe(false)
      expect(await finish(two, dead, { requests: 3 })).toBe(false)
      await two.releasePollPart(dead, 1)
      expect(await one.pollPartsLeft(run.id)).toMatchObject({ unfinished: 2, free: 0 })
      expect(await finish(one, again)).toBe(true)
      expect(await finish(one, again)).toBe(false)
      expect(await finish(two, renewed, { requests: 2 })).toBe(true)
      const requests = (await one.pollParts(run.id)).map((part) => part.requests)
      // Also those of the process that lost its claim: they were sent, and the limit of requests knows them.
      expect(requests).toEqual([9, 9])
      await end(run)
    }
  })

  it('are free at once when they are given back, and none is claimed after one ended the poll', async () => {
    const { one, two, start, end } = await twoStores(['a', 'b', 'c'])
    for (let round = 0; round < ROUNDS; round++) {
      const run = await start()
      const [first, second] = [await two.claimPollPart({ runId: run.id }), await two.claimPollPart({ runId: run.id })]
      await two.releasePollPart(first as PartClaim, 4)
      expect(await one.pollPartsLeft(run.id)).toEqual({ unfinished: 3, free: 2, ended: false })
      const taken = (await one.claimPollPart({ runId: run.id })) as PartClaim
      expect(taken.number).toBe(0)
      expect(await finish(one, taken, { endsPoll: true })).toBe(true)
      expect(await two.claimPollPart({ runId: run.id })).toBeNull()
      expect(await two.renewPollPart(second as PartClaim, 1)).toBe(false)
      expect(await one.pollPartsLeft(run.id)).toEqual({ unfinished: 2, free: 1, ended: true })
      expect(await finish(two, second as PartClaim, { requests: 1 })).toBe(true)
      expect((await one.pollParts(run.id)).map((part) => part.requests)).toEqual([4, 2, 0])
      await end(run)
    }
  })

  it('are not claimed while the process that began the poll does not renew its lease, and end with its run', async () => {
    const { one, two, clock, start, pass } = await twoStores(['a'])
    for (let round = 0; round < ROUNDS; round++) {
      const run = await start()
      const claim = (await two.claimPollPart({ runId: run.id })) as PartClaim
      await pass(31)
      await executeIn(one, `update runs set lease_until = '2026-11-21T11:00:00.000Z', holder = '{"nonce":"gone"}'`)
      expect(await two.claimPollPart({ runId: run.id })).toBeNull()
      const next = await two.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock() })
      expect(await rowsOf(one, 'select * from poll_parts')).toEqual([])
      expect(await two.renewPollPart(claim, 1)).toBe(false)
      await expect(finish(two, claim)).rejects.toThrow(RunLostError)
      await expect(one.addPollParts(run, ['b'])).rejects.toThrow(RunLostError)
      await next.finish({ ...RUN_END, outcome: 'complete' }, clock())
    }
  })

  it('are pruned if nobody ended their run for a day, whatever else is kept', async () => {
    const { one, start, pass } = await twoStores(['a', 'b'])
    await start()
    const prune = () => one.prune({ foldRunsBefore: null, dropPlansBefore: null, dropEventsBefore: null })
    await prune()
    expect(await rowsOf(one, 'select number from poll_parts')).toHaveLength(2)
    await pass(24 * 3_600)
    const expire = (time: string) => executeIn(one, `update runs set lease_until = '2026-11-21T${time}.000Z'`)
    await expire('12:00:00')
    await prune()
    expect(await rowsOf(one, 'select number from poll_parts')).toHaveLength(2)
    await expire('11:59:59')
    await prune()
    expect(await rowsOf(one, 'select number from poll_parts')).toEqual([])
  })
})

it('a shared run counts each document once, however often and by whichever process it was recorded', async () => {
  const { one, two, clock, start } = await twoStores([])
  const record = (store: Store, run: RunHandle, id: string, title: string, offers: string[]) => {
    const responses = offers.map((offer) => aResponse(offer))
    return store.recordRfq(run, rfqSnapshot(anRfq(id, { title }), responses, clock()), clock())
  }
  const finish = (run: RunHandle, unchanged: number, unfinishedRfqs: string[]) =>
    run.finish({ ...RUN_END, unchanged, outcome: 'complete', shared: { unfinishedRfqs } }, clock())
  const first = await start()
  await record(one, first, 'rfq-1', 'A', ['offer-1', 'offer-2'])
  await record(two, first, 'rfq-1', 'B', ['offer-1', 'offer-2'])
  expect(await finish(first, 3, [])).toMatchObject({ inserted: 3, changed: 0, missing: 0, unchanged: 0 })
  const second = await start()
  for (const store of [one, two, one]) await record(store, second, 'rfq-1', `C of ${store === one}`, ['offer-1'])
  // Recorded by a process that did not finish its part, so that the counts do not name them.
  await record(two, second, 'rfq-\0', 'D', ['offer-3', 'offer-4'])
  const ended = await finish(second, 5, ['rfq-\0', 'rfq-9'])
  expect(ended).toMatchObject({ inserted: 3, changed: 1, missing: 1, unchanged: 4 })
  expect(await one.runs({ limit: 1 })).toEqual([ended])
})

it('a shared run whose process died keeps what its parts say and what was recorded, round after round', async () => {
  const { one, two, clock, start } = await twoStores(['a', 'b', 'c', 'd'])
  for (let round = 1; round <= 6; round++) {
    const run = await start()
    const responses = [aResponse(`offer-${round}`)]
    await two.recordRfq(run, rfqSnapshot(anRfq(`rfq-${round}`), responses, clock()), clock())
    const results = ['{"seen":3}', '{"seen":4}', 'no JSON', '{"seen":-0.5}']
    for (const [number, result] of results.entries()) {
      const claim = (await two.claimPollPart({ runId: run.id, number })) as PartClaim
      await two.finishPollPart(claim, { result, requests: 5 + round, endsPoll: false })
    }
    await executeIn(one, `update runs set lease_until = '2026-11-21T11:00:00.000Z', holder = '{"nonce":"gone"}'`)
    const next = await two.beginRun({ channel: CHANNEL, kind: 'rfqs', now: clock() })
    await next.finish({ ...RUN_END, outcome: 'complete' }, clock())
    const [, interrupted] = await one.runs({ limit: 2 })
    const counts = { requests: 4 * (5 + round), seen: 7, inserted: 2, changed: 0, missing: 0 }
    expect(interrupted).toMatchObject({ id: run.id, outcome: 'interrupted', ...counts })
  }
})

it('parts are added in their order, however many', async () => {
  const { one, two, start } = await twoStores([])
  const run = await start()
  for (const count of [50, 120]) {
    const contents = Array.from({ length: count }, (_, number) => `part ${number}`)
    await one.addPollParts(run, contents.values())
    expect((await claimAll(two, run.id)).map(({ content }) => content)).toEqual(contents)
    await executeIn(one, 'delete from poll_parts')
  }
})

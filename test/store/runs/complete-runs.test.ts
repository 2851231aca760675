import { expect, it } from 'vitest'
import type { RunEnd } from '../../../src/store/contract.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'

const CHANNEL = 'acme/forest'
const RFQS = { channel: CHANNEL, kind: 'rfqs' } as const
const START = Date.parse('2026-01-01T00:00:00.000Z')
const MINUTE = 60_000

async function openRuns() {
  const store = await openNewStore()
  /** A poll that begins so many minutes after the start, and takes one. */
  const poll = async (minute: number, end: Pick<RunEnd, 'outcome' | 'failedItems' | 'seen'> & Partial<RunEnd>) => {
    const run = await holdingRun(store, { ...RFQS, now: at(minute) })
    return run.finish(runEnd(end), at(minute + 1))
  }
  return { store, poll }
}

const at = (minute: number) => new Date(START + minute * MINUTE)
const FEW_FAILED = { outcome: 'partial', failedItems: 1, seen: 20 } as const
const MANY_FAILED = { outcome: 'partial', failedItems: 10, seen: 20 } as const

it('newestRun › counts a poll as complete if at most few documents failed', async () => {
  const { store, poll } = await openRuns()
  const cases = [
    ['complete', null, 0, true],
    ['partial', 1, 20, true],
    ['partial', 3, 20, true],
    ['partial', 4, 20, false],
    ['partial', 10, 1000, true],
    ['partial', 11, 1000, false],
    ['partial', 1, 1, false],
    ['partial', null, 20, false],
    ['partial', 0, 20, false],
    ['failed', 1, 20, false],
  ] as const
  for (const [index, [outcome, failedItems, seen, counts]] of cases.entries()) {
    const { id } = await poll(index, { outcome, failedItems, seen })
    expect([outcome, failedItems, seen, (await store.newestRun({ ...RFQS, isComplete: true }))?.id === id]).toEqual([
      ...[outcome, failedItems, seen, counts],
    ])
  }
})

it('newestRun › finds the newest complete poll as of any moment, before any number of incomplete ones', async () => {
  const { store, poll } = await openRuns()
  await holdingRun(store, { ...RFQS, channel: 'acme/blue', now: at(0) })
  const newestAt = async (minute: number) =>
    (await store.newestRun({ ...RFQS, isComplete: true, asOf: at(minute) }))?.id ?? null
  const first = await poll(0, FEW_FAILED)
  for (let minute = 1; minute <= 5; minute++) await poll(minute, MANY_FAILED)
  const last = await poll(6, FEW_FAILED)
  for (let minute = 7; minute <= 60; minute++) await poll(minute, MANY_FAILED)
  expect([await newestAt(0), await newestAt(1), await newestAt(6)]).toEqual([null, first.id, first.id])
  expect([await newestAt(7), (await store.newestRun({ ...RFQS, isComplete: true }))?.id]).toEqual([last.id, last.id])
  expect(await store.newestRun({ ...RFQS, isComplete: true, channel: 'acme/blue', asOf: at(60) })).toBeNull()
})

it('newestRun › finds the newest poll that planned its requests, after which others failed or were started by a person', async () => {
  const { store, poll } = await openRuns()
  const planned = await poll(0, {
    outcome: 'complete',
    failedItems: 0,
    seen: 20,
    requestRates: { allowed: 2, required: 1 },
  })
  for (const [minute, outcome] of (['failed', 'partial', 'complete'] as const).entries())
    await poll(minute + 2, { outcome, failedItems: null, seen: 0 })
  expect((await store.newestRun(RFQS))?.id).not.toBe(planned.id)
  expect(await store.newestRun({ ...RFQS, isPlanned: true })).toMatchObject({
    id: planned.id,
    requestRates: { allowed: 2 },
  })
})

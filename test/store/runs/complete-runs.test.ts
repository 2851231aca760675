import { expect, it } from 'vitest'
import type { RunEnd } from '../../../src/store/contract.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'

const RFQS = { channel: 'acme/forest', kind: 'rfqs' } as const
const at = (minute: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + minute * 60_000)

async function openRuns() {
  const store = await openNewStore()
  return {
    /** A poll that begins so many minutes after the start, and takes one. @returns its id */
    poll: async (minute: number, end: Partial<RunEnd>) => {
      const run = await holdingRun(store, { ...RFQS, now: at(minute) })
      return (await run.finish(runEnd(end), at(minute + 1))).id
    },
    newest: async (filter: Partial<Parameters<typeof store.newestRun>[0]>) =>
      (await store.newestRun({ ...RFQS, ...filter }))?.id ?? null,
  }
}

it('newestRun › counts a poll as complete if at most few documents failed', async () => {
  const { newest, poll } = await openRuns()
  const cases: [RunEnd['outcome'], failedItems: number | null, seen: number, counts: boolean][] = [
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
  ]
  for (const [minute, [outcome, failedItems, seen]] of cases.entries()) {
    const id = await poll(minute, { outcome, failedItems, seen })
    expect([outcome, failedItems, seen, (await newest({ isComplete: true })) === id]).toEqual(cases[minute])
  }
})

it('newestRun › finds the newest complete poll as of any moment, before any number of incomplete ones', async () => {
  const { newest, poll } = await openRuns()
  const newestAt = (minute: number) => newest({ isComplete: true, asOf: at(minute) })
  const ids: number[] = []
  for (let minute = 0; minute <= 60; minute++)
    ids.push(
      await poll(minute, { outcome: 'partial', failedItems: minute % 6 === 0 && minute < 12 ? 1 : 10, seen: 20 }),
    )
  expect([await newestAt(0), await newestAt(1), await newestAt(6)]).toEqual([null, ids[0], ids[0]])
  expect([await newestAt(7), await newest({ isComplete: true })]).toEqual([ids[6], ids[6]])
  expect(await newest({ isComplete: true, channel: 'acme/blue' })).toBeNull()
})

it('newestRun › finds the newest poll that planned its requests, after which others failed or were started by a person', async () => {
  const { newest, poll } = await openRuns()
  const planned = await poll(0, { requestRates: { allowed: 2, required: 1 } })
  for (const outcome of ['failed', 'partial', 'complete'] as const) await poll(1, { outcome })
  expect(await newest({})).not.toBe(planned)
  expect(await newest({ isPlanned: true })).toBe(planned)
})

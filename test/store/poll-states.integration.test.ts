import { expect, it, onTestFinished } from 'vitest'
import type { RunHandle } from '../../src/store/contract.js'
import { openNewStore } from '../helpers/new-store.js'
import { executeIn } from '../helpers/store-engine.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')

it('the states of RFQs are complete however many a channel has, and only its own', async () => {
  const store = await openNewStore({ clock: () => NOW })
  onTestFinished(() => store.close())
  const runs = new Map<string, RunHandle>()
  for (const channel of ['acme/forest', 'acme/peat'])
    runs.set(channel, await store.beginRun({ channel, kind: 'rfqs', now: NOW }))
  const record = async (channel: string, ids: readonly string[]) => {
    const run = runs.get(channel) as RunHandle
    const snapshot = { shape: 'full', listHash: 'hash', responses: [], responsesComplete: true, readAt: NOW } as const
    await Promise.all(
      ids.map((id) =>
        store.recordRfq(run, { ...snapshot, rfq: { id, body: { id, state: 'open' }, valid: true, problems: [] } }, NOW),
      ),
    )
  }
  // States are read 300 at a time.
  const ids = Array.from({ length: 601 }, (_, at) => (at % 3 === 0 ? `é ${at}` : `${at}\u0000'%`))
  await record('acme/peat', ['other'])
  let recorded = 0
  for (const count of [299, 300, 301, 600, 601]) {
    await record('acme/forest', ids.slice(recorded, count))
    recorded = count
    const states = await store.rfqStates('acme/forest')
    expect(states.map(({ id }) => id).sort()).toEqual(ids.slice(0, count).sort())
    expect(states.every(({ state, listHash }) => state === 'open' && listHash === 'hash')).toBe(true)
  }
})

it('hashes of summaries are those of this version although a process of an earlier one stored longer ones', async () => {
  const store = await openNewStore({ clock: () => NOW })
  onTestFinished(() => store.close())
  const run = await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: NOW })
  const document = (id: string) => ({ id, body: { id }, valid: true, problems: [] })
  const summaryHash = '0123456789abcdef'.repeat(2)
  const responses = [{ ...document('offer'), shape: 'full' as const, summaryHash }]
  const snapshot = { shape: 'full', listHash: 'hash', responsesComplete: true, readAt: NOW } as const
  await store.recordRfq(run, { ...snapshot, rfq: document('rfq'), responses }, NOW)
  const expected = [{ id: 'offer', summaryHash, readSummaryHash: summaryHash }]
  expect(await store.responseStates('acme/forest', ['rfq'])).toMatchObject(expected)
  const longer = `'${summaryHash}' || '${'f'.repeat(32)}'`
  await executeIn(
    store,
    `update entities set summary_hash = ${longer}, read_summary_hash = ${longer} where id = 'offer'`,
  )
  expect(await store.responseStates('acme/forest', ['rfq'])).toMatchObject(expected)
})

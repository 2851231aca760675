import { expect, it, onTestFinished } from 'vitest'
import type { RunHandle } from '../../../src/store/contract.js'
import { openNewStore } from '../../helpers/store/new-store.js'

const NOW = new Date('2026-11-21T12:00:00.000Z')

it('rfqStates › returns all RFQs of a channel, and none of others', async () => {
  const store = await openNewStore({ clock: () => NOW })
  onTestFinished(() => store.close())
  const runs = new Map<string, RunHandle>()
  for (const channel of ['acme/forest', 'acme/peat'])
    runs.set(channel, await store.beginRun({ channel, kind: 'rfqs', now: NOW }))
  const record = async (channel: string, ids: readonly string[]) => {
    const run = runs.get(channel) as RunHandle
    const snapshot = { shape: 'full', responses: [], responsesComplete: true, readAt: NOW } as const
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
    expect(states.every(({ state, entryHash }) => state === 'open' && entryHash === null)).toBe(true)
  }
})

import { expect, it, onTestFinished } from 'vitest'
import { describeFreshness } from '../../src/cli/freshness.js'
import { openNewStore } from '../helpers/new-store.js'
import { testIo } from '../helpers/test-io.js'

const CHANNEL = 'acme/forest'
const RUN = { requests: 1, seen: 20, inserted: 0, changed: 0, unchanged: 20, missing: 0, invalid: 0, error: null }

it('what is shown is as recent as the newest poll that missed only a few RFQs, as readiness counts it', async () => {
  const now = () => new Date('2026-11-21T12:00:00.000Z')
  const store = await openNewStore({ clock: now })
  onTestFinished(() => store.close())
  const poll = async (minute: string, failedItems: number) => {
    const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: now() })
    const outcome = failedItems > 0 ? 'partial' : 'complete'
    await run.finish({ ...RUN, outcome, failedItems }, new Date(`2026-11-21T11:${minute}:00.000Z`))
  }
  const freshness = () =>
    describeFreshness({ io: testIo({ now }).io, globals: {} as never }, store, { channels: [CHANNEL], kind: 'rfqs' })
  expect(await freshness()).toBe('no complete poll yet')
  await poll('10', 0)
  await poll('50', 1)
  await poll('55', 10)
  expect(await freshness()).toBe('as of 11:50 UTC, 10 min ago')
})

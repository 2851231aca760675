import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openStore } from '../../src/store/sqlite/store.js'
import { createCliFixture } from '../cli/cli-fixture.js'
import { holdingRun, runEnd } from '../helpers/store/holding-run.js'
import { CHANNEL } from '../helpers/store/recording-store.js'
import { closedAtEnd, executeIn, rowsOf } from '../helpers/store/store-engine.js'
import { testFolder } from '../helpers/test-folder.js'

const EVERYTHING = { before: new Date('2026-01-01T00:00:00Z') }

it('two prunings at once: two processes prune at once while a third polls, whose writes come between theirs', async () => {
  const path = join(testFolder(), 'prune.db')
  const open = async () => closedAtEnd(await openStore({ path }))
  const [one, two, poller] = await Promise.all([open(), open(), open()])
  await executeIn(
    one,
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 20000)
    insert into runs (channel, kind, started_at, finished_at, outcome, seen, unchanged, holder)
    select '${CHANNEL}', 'rfqs', '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:01.000Z', 'complete', 5, 5, '{}' from numbers`,
  )
  const now = Date.now()
  const run = await holdingRun(poller, { channel: CHANNEL, kind: 'rfqs', now: new Date(now) })
  let polling = true
  let writes = 0
  const poll = async () => {
    for (; polling; writes++) {
      const moment = new Date(now + writes)
      await poller.recordList(run, 'rfq-entry', [], { whole: false, readAt: moment }, moment)
      await wait(2)
    }
  }
  const polls = poll()
  const reports = await Promise.all([one.prune(EVERYTHING), two.prune(EVERYTHING)])
  polling = false
  await polls
  await run.finish(runEnd(), new Date())
  expect(reports[0].runs + reports[1].runs).toBe(20_000 - 100)
  expect(await rowsOf(one, 'select 1 from runs')).toHaveLength(101)
  expect(writes).toBeGreaterThan(3)
  expect(await one.check()).toMatchObject({ ok: true })
})

it('a closing log in place of another: verification alone passes, with a hash kept elsewhere it fails', async () => {
  const [kept, other] = [await createCliFixture(), await createCliFixture()]
  await other.quotekeeper('close-expired', '--dry-run')
  for (const { quotekeeper } of [kept, other]) expect(await quotekeeper('close-expired')).toMatchObject({ status: 0 })
  const path = join(kept.folder, 'data/quotekeeper.db')
  const rows = await rowsOf({ name: path }, 'select hash from close_decisions where id = 1')
  const [{ hash } = { hash: '' }] = rows as { hash: string }[]
  const verified = { status: 0, out: expect.stringContaining('decision 1:') }
  expect(await kept.quotekeeper('closings', '--verify', '--head', hash)).toMatchObject(verified)
  const verify = (...more: string[]) => other.quotekeeper('closings', '--verify', ...more)
  expect(await verify()).toMatchObject({ status: 0 })
  const unknown = { status: 1, out: expect.stringContaining('No decision has this hash') }
  expect(await verify('--head', hash)).toMatchObject(unknown)
  expect(await other.quotekeeper('closings', '--head', hash)).toMatchObject({ status: 2 })
  expect(await verify('--head', `${hash.slice(0, 8)}…`)).toMatchObject({ status: 2 })
})

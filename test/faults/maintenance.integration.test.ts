import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { RunEnd, Store } from '../../src/store/contract.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { createCliFixture } from '../cli/cli-fixture.js'
import { recomputeChain, tamper } from '../helpers/store/decision-log.js'
import { CHANNEL, insertIdleRuns, RUN_TOTALS, sql } from '../helpers/store/idle-runs.js'
import { testFolder } from '../helpers/test-folder.js'
import { fault, longFaultUnless } from './fault-test.js'

const longFault = longFaultUnless(null)
const pruner = join(import.meta.dirname, '../fixtures/prune.mjs')
const EVERYTHING = { foldRunsBefore: new Date('2026-01-01T00:00:00Z'), dropPlansBefore: null, dropEventsBefore: null }

async function open(path: string): Promise<Store> {
  const store = await openStore({ path })
  onTestFinished(() => store.close())
  return store
}

longFault(58, 'no run is lost or counted twice, and the next pruning goes on', async () => {
  const path = join(testFolder(), 'prune.db')
  await (await open(path)).close()
  for (let round = 1; round <= 6; round++) {
    insertIdleRuns(path, 5_000, { kind: ['rfqs', 'listings', 'close'][round % 3] as string })
    const child = spawn(process.execPath, [pruner, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await wait(round * 12)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const store = await openStore({ path })
    expect(await store.check()).toMatchObject({ ok: true })
    await store.close()
    expect(sql(path, RUN_TOTALS)).toMatchObject([{ times: round * 5_000, requests: round * 10_000 }])
  }
  const store = await open(path)
  await store.prune(EVERYTHING)
  expect(sql(path, RUN_TOTALS)).toMatchObject([{ times: 30_000 }])
  expect(sql(path, 'select 1 from runs').length).toBeLessThan(500)
})

const END: RunEnd = {
  requests: 1,
  seen: 1,
  inserted: 0,
  changed: 1,
  unchanged: 0,
  missing: 0,
  invalid: 0,
  outcome: 'complete',
  error: null,
}

fault(58, 'two processes prune at once while a third polls, whose writes come between theirs', async () => {
  const path = join(testFolder(), 'prune.db')
  const [one, two, poller] = await Promise.all([open(path), open(path), open(path)])
  insertIdleRuns(path, 20_000)
  const now = Date.now()
  const run = await poller.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(now) })
  let polling = true
  let writes = 0
  const poll = async () => {
    for (; polling; writes++) {
      await poller.touchRfqs(run, ['rfq-1'], new Date(now + writes))
      await wait(2)
    }
  }
  const polls = poll()
  const reports = await Promise.all([one.prune(EVERYTHING), two.prune(EVERYTHING)])
  polling = false
  await polls
  await run.finish(END, new Date())
  expect(reports[0].runs.rows + reports[1].runs.rows).toBe(20_001 - sql(path, 'select 1 from runs').length)
  expect(sql(path, RUN_TOTALS)).toMatchObject([{ times: 20_001 }])
  expect(writes).toBeGreaterThan(3)
  expect(await one.check()).toMatchObject({ ok: true })
})

fault(59, 'verification alone passes, with a hash kept elsewhere it fails', async () => {
  const { folder, quotekeeper } = await createCliFixture()
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 0 })
  const path = join(folder, 'data/quotekeeper.db')
  const [{ hash } = { hash: '' }] = sql(path, 'select hash from close_decisions where id = 1') as { hash: string }[]
  const verify = (...more: string[]) => quotekeeper('closings', '--verify', ...more)
  expect(await verify('--head', hash)).toMatchObject({ status: 0, out: expect.stringContaining('closing decision 1:') })
  tamper(path, (db: Database.Database) => {
    db.exec("update close_decisions set outcome = null, reason = 'kept' where id = 1")
    recomputeChain(db)
  })
  expect(await verify()).toMatchObject({ status: 0 })
  expect(await verify('--head', hash)).toMatchObject({
    status: 1,
    out: expect.stringContaining('No closing decision has this hash'),
  })
  expect(await quotekeeper('closings', '--head', hash)).toMatchObject({ status: 2 })
  expect(await verify('--head', `${hash.slice(0, 8)}…`)).toMatchObject({ status: 2 })
})

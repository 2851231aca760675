import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import { createPolledFixture, NOW } from '../cli-fixture.js'

it.each([
  ['sync', 'rfqs', ['sync', '--only', 'rfqs', '--no-wait']],
  ['sync', 'listings', ['sync', '--only', 'listings', '--no-wait']],
  ['close-expired', 'close', ['close-expired', '--no-wait']],
] as const)(
  '%s --no-wait during a %s run of the service names the process that holds it, and since when',
  async (_name, kind, args) => {
    const { folder, quotekeeper } = await createPolledFixture()
    const path = join(folder, 'data/quotekeeper.db')
    const service = await openStore({ path, command: 'quotekeeper start' })
    onTestFinished(() => service.close())
    const run = await service.beginRun({ channel: 'acme/forest', kind, now: NOW })
    // As if the service were another living process.
    const setHolder = (changes: string) => {
      const db = new Database(path)
      db.exec(`update runs set holder = json_set(holder, ${changes}) where finished_at is null`)
      db.close()
    }
    setHolder(`'$.pid', ${process.ppid}`)
    const here = await quotekeeper(...args)
    expect(here.status).toBe(1)
    const facts = `${kind} run of acme/forest .*run ${run.id}, begun 2026-03-10 09:30:00 UTC by .*process ${process.ppid}`
    expect(here.err).toMatch(new RegExp(facts))
    setHolder(`'$.host', 'desk-7'`)
    const elsewhere = await quotekeeper(...args)
    expect(elsewhere.err).toMatch(
      /\(process \d+\) on desk-7\. Wait until .* if it is gone, the lease of the run expires at \d\d:\d\d:\d\d UTC\./,
    )
  },
)

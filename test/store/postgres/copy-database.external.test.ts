import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copiedTables, copyDatabase } from '../../../src/store/copy/copy-database.js'
import { openDatabase, openDatabaseReader } from '../../../src/store/open-database.js'
import { NO_LIMIT } from '../../../src/store/sql/sql-database.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { reportRecord } from '../../helpers/data/report-record.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { newAward } from '../../helpers/store/new-award.js'
import { closedAtEnd, executeIn } from '../../helpers/store/store-engine.js'
import { testFolder } from '../../helpers/test-folder.js'

const copyModule = join(import.meta.dirname, '../../../dist/src/store/copy/copy-database.js')

const postgres = usePostgres()

/** A SQLite database with history: versions, a list that contradicts an RFQ, problems, closings, events, pruned numbers. Its store is closed. */
async function database(): Promise<ChannelFixture & { path: string }> {
  const fixture = await openChannelFixture({ rfqs: 60, responsesPerRfq: 3 })
  const { store, sandbox, now } = fixture
  await store.setTargets([{ name: 'desk', kinds: ['rfq.new'], channels: null }])
  await fixture.pollListings()
  await fixture.pollRfqs()
  fixture.advanceSeconds(600)
  const due = sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20', title: 'a\u0000b' })
  sandbox.world.addResponse(due.id)
  const [first, second, ...others] = (await store.rfqs({ channel: KEY })).map(({ rfq }) => rfq.id)
  sandbox.world.changeRfq(first ?? '', { title: 'changed', state: 'unknown' as never })
  sandbox.world.changeRfq(second ?? '', { title: 7 as never })
  for (const id of others.slice(0, 50)) {
    for (const { id: response } of sandbox.world.rfq(id).responses) sandbox.world.removeResponse(response)
  }
  for (const state of ['closed', 'draft']) {
    const contradicted = { kind: 'patch', id: others[51] ?? '', patch: { state } } as const
    sandbox.faults.add({ operation: 'listRfqs', effect: contradicted })
    fixture.advanceSeconds(1)
    await fixture.pollRfqs()
  }
  await fixture.closeExpired({ mode: 'on' })
  for (const name of ['a.xlsx', 'b.xlsx']) await store.addReportRecord(reportRecord(name))
  await store.recordRates('rates.csv', [{ currency: 'USD', date: now().toISOString().slice(0, 10), rate: 1.08 }], now())
  await store.recordAward(newAward({ channel: KEY, rfqId: first ?? '' }))
  await refreshFigures({ store, now })
  await store.stopClosing({ by: 'Anna', reason: 'wrong prices', now: now() })
  await store.close()
  return Object.assign(fixture, { path: store.name })
}

/** The rows of a database, and what it says of them. */
async function answersOf(location: string, { now }: Pick<ChannelFixture, 'now'>) {
  const store = await openDatabase({ database: location, clock: now })
  const rows = ({ name, columns }: { name: string; columns: readonly string[] }) =>
    store.database.all(`select ${columns.join(', ')} from ${name} order by ${columns.join(', ')}`)
  try {
    return {
      identity: await store.identity(),
      rows: await Promise.all(copiedTables().map(async (table) => [table.name, await rows(table)])),
      rfqs: JSON.stringify(await store.rfqs({})),
      listings: JSON.stringify(await store.listings({})),
      stop: await store.closingStop(),
      chain: await store.verifyDecisions(),
    }
  } finally {
    await store.close()
  }
}

describe.skipIf(postgresSkipReason !== null)('copying a database', () => {
  it('to PostgreSQL and back gives the same rows, identity and answers, and new rows go on from there', async () => {
    const fixture = await database()
    const before = await answersOf(fixture.path, fixture)
    const url = postgres.newUrl()
    const there = await copyDatabase({ from: fixture.path, to: url })
    const empty = there.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)
    // Every table has some rows.
    expect(empty).toEqual([])
    expect(await answersOf(url, fixture)).toEqual(before)
    const path = join(testFolder(), 'back', 'quotekeeper.db')
    const back = await copyDatabase({ from: url, to: path })
    expect(back.tables).toEqual(there.tables)
    expect(await answersOf(path, fixture)).toEqual(before)
    for (const location of [url, path]) {
      const store = closedAtEnd(await openDatabase({ database: location, clock: fixture.now }))
      const newest = (await store.runs({ limit: 1 }))[0]?.id ?? 0
      const run = await holdingRun(store, { channel: KEY, kind: 'rfqs', now: fixture.now() })
      expect(run.id).toBe(newest + 1)
      const { next: last } = await store.events({ after: 0, limit: NO_LIMIT })
      await store.recordEvents([{ kind: 'report.made', at: fixture.now().toISOString(), channel: KEY, data: {} }])
      expect((await store.events({ after: last, limit: 10 })).items).toMatchObject([{ sequence: last + 1 }])
    }
  })

  it('that was killed has copied nothing, and can be repeated', async () => {
    const fixture = await database()
    for (const to of [postgres.newUrl(), join(testFolder(), 'copy.db')]) {
      const script = `import { copyDatabase } from ${JSON.stringify(copyModule)}
        const onProgress = ({ done }) => { if (done > 300) process.kill(process.pid, 'SIGKILL') }
        await copyDatabase({ from: ${JSON.stringify(fixture.path)}, to: ${JSON.stringify(to)}, onProgress })`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      await expectEmpty(to)
      await copyDatabase({ from: fixture.path, to })
      expect(await answersOf(to, fixture)).toEqual(await answersOf(fixture.path, fixture))
    }
  })

  it('is refused into a database with data, and not because a process died during a run', async () => {
    const { path: from, now: clock } = await database()
    const to = postgres.newUrl()
    await copyDatabase({ from, to })
    await expect(copyDatabase({ from, to })).rejects.toThrow('has data already')
    await expect(copyDatabase({ from: to, to: from })).rejects.toThrow('has data already')
    const store = await openDatabase({ database: from, clock })
    await holdingRun(store, { channel: KEY, kind: 'rfqs', now: clock() })
    await store.close()
    await copyDatabase({ from, to: postgres.newUrl() })
  })

  it('copies nothing if something was written meanwhile', async () => {
    const fixture = await database()
    const to = postgres.newUrl()
    const change = `insert into exchange_rates values ('SEK', '2026-11-20', '', 11.4, 'rates.csv')`
    let changes = 0
    const changed = copyDatabase({
      ...{ from: fixture.path, to },
      onProgress: ({ done, total }) => {
        if (done === total && changes++ === 0) void executeIn({ name: fixture.path }, change)
      },
    })
    await expect(changed).rejects.toThrow(/differs from .*\.db in exchange_rates: .*copy again/)
    await expectEmpty(to)
  })
})

async function expectEmpty(database: string): Promise<void> {
  const store = await openDatabaseReader(database)
  expect([await store.runs({}), await store.rfqs({})]).toEqual([[], []])
  await store.close()
}

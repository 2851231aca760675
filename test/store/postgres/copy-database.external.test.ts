import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { copyDatabase } from '../../../src/store/copy/copy-database.js'
import { unfinishedPath } from '../../../src/store/copy/sqlite-side.js'
import { openDatabase } from '../../../src/store/open-database.js'
import { NO_LIMIT } from '../../../src/store/sql/sql-database.js'
import { connect } from '../../../src/store/sqlite/sqlite.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { reportRecord } from '../../helpers/data/report-record.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { newAward } from '../../helpers/store/new-award.js'
import { openRecorder } from '../../helpers/store/recorder.js'
import { testFolder } from '../../helpers/test-folder.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

let schemas = 0
const newUrl = () => `${server.url}?schema=copy_${schemas++}`

/** A SQLite database with history: versions, absences, a list that contradicts an RFQ, problems, closings, events, pruned numbers. Its store is closed. */
async function database(): Promise<ChannelFixture & { path: string }> {
  const fixture = await openChannelFixture({ rfqs: 60, responsesPerRfq: 3 })
  const { store, sandbox, now } = fixture
  await store.setTargets(['desk'], now())
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
  await store.routeEvents(() => ['desk'], now())
  for (const name of ['a.xlsx', 'b.xlsx']) await store.addReportRecord(reportRecord(name))
  await store.recordRates('rates.csv', [{ currency: 'USD', date: now().toISOString().slice(0, 10), rate: 1.08 }], now())
  await store.recordAward(newAward({ channel: KEY, rfqId: first ?? '' }))
  await openRecorder({ store, now }).round()
  await store.stopClosing({ by: 'Anna', reason: 'wrong prices', now: now() })
  await store.close()
  return Object.assign(fixture, { path: store.name })
}

/** What the database answers, and the numbers of its next rows. */
async function answersOf(location: string, { now }: Pick<ChannelFixture, 'now'>) {
  const store = await openDatabase({ database: location, clock: now })
  try {
    const rfqs = await store.rfqs({})
    const answers = {
      identity: await store.identity(),
      rfqs: JSON.stringify(rfqs),
      histories: JSON.stringify(await Promise.all(rfqs.map(({ rfq }) => store.rfqHistory(KEY, rfq.id)))),
      listings: JSON.stringify(await store.listings({})),
      problems: await store.problems({}),
      decisions: await store.decisions({}),
      stop: await store.closingStop(),
      chain: await store.verifyDecisions(),
      awards: [await store.awards({}), await store.verifyAwards()],
      listed: await store.queries.all('select * from rfq_rows order by channel, rfq_id'),
      recommendations: await store.newestRecommendations(
        KEY,
        rfqs.map(({ rfq }) => rfq.id),
      ),
      due: await store.openRfqsDue(KEY, '2999-01-01'),
      events: await store.events({ after: 0, limit: NO_LIMIT }),
      reports: await store.queries.all('select * from reports order by id'),
    }
    return answers
  } finally {
    await store.close()
  }
}

const now = new Date('2026-11-22T00:00:00.000Z')

describe.skipIf(postgresSkipReason !== null)('copying a database', () => {
  it('to PostgreSQL and back gives the same rows, identity and answers, and new rows go on from there', async () => {
    const fixture = await database()
    const before = await answersOf(fixture.path, fixture)
    const url = newUrl()
    const there = await copyDatabase({ from: fixture.path, to: url, now })
    const empty = there.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)
    expect(empty).toEqual(['close_decision_repeats', 'approval_plans', 'maintenance', 'first_polls', 'dirty_rfqs'])
    expect(await answersOf(url, fixture)).toEqual(before)
    const path = join(testFolder(), 'back', 'quotekeeper.db')
    const back = await copyDatabase({ from: url, to: path, now })
    expect(back.tables).toEqual(there.tables)
    expect(await answersOf(path, fixture)).toEqual(before)
    expect(existsSync(unfinishedPath(path))).toBe(false)
    for (const location of [url, path]) {
      const store = await openDatabase({ database: location, clock: fixture.now })
      onTestFinished(() => store.close())
      const newest = (await store.runs({ limit: 1 }))[0]?.id ?? 0
      const run = await store.beginRun({ channel: KEY, kind: 'rfqs', now: fixture.now() })
      expect(run.id).toBe(newest + 1)
      const { next: last } = await store.events({ after: 0, limit: NO_LIMIT })
      await store.recordEvent({ kind: 'report.made', at: fixture.now(), channel: KEY, data: {} })
      expect((await store.events({ after: last, limit: 10 })).items).toMatchObject([{ sequence: last + 1 }])
    }
  })

  it('that was interrupted cannot be used, and goes on where it stopped, over six interruptions', async () => {
    const fixture = await database()
    for (const to of [newUrl(), join(testFolder(), 'copy.db')]) {
      for (let round = 1; round <= 6; round++) {
        const stop = new AbortController()
        let pages = 0
        const interrupted = copyDatabase({
          ...{ from: fixture.path, to, now, signal: stop.signal },
          onProgress: ({ verifying }) => {
            if (++pages === round || verifying) stop.abort(new Error('interrupted'))
          },
        })
        await expect(interrupted).rejects.toThrow('interrupted')
        await expect(openDatabase({ database: to, create: false })).rejects.toThrow(/unfinished copy|no database at/)
      }
      expect(await copyDatabase({ from: fixture.path, to, now })).toMatchObject({ resumed: true })
      expect(await answersOf(to, fixture)).toEqual(await answersOf(fixture.path, fixture))
      if (to.startsWith('postgres:')) continue
      // Killed before it was put in its place.
      renameSync(to, unfinishedPath(to))
      expect(await copyDatabase({ from: fixture.path, to, now })).toMatchObject({ resumed: true })
      expect(await answersOf(to, fixture)).toEqual(await answersOf(fixture.path, fixture))
      renameSync(to, unfinishedPath(to))
      changeMeanwhile(fixture.path, `update meta set value = 'other' where key = 'database_id'`)
      await expect(copyDatabase({ from: fixture.path, to, now })).rejects.toThrow(
        `delete the file ${unfinishedPath(to)}`,
      )
    }
  })

  it('is refused into a database with data, of a database in use, and of another one than was begun', async () => {
    const [one, other] = [await database(), await database()]
    const url = newUrl()
    await copyDatabase({ from: one.path, to: url, now })
    await expect(copyDatabase({ from: one.path, to: url, now })).rejects.toThrow('has data already')
    await expect(copyDatabase({ from: one.path, to: other.path, now })).rejects.toThrow('already exists')
    changeMeanwhile(other.path, `update meta set value = 'other' where key = 'database_id'`)
    const begun = newUrl()
    const stop = new AbortController()
    const options = { from: one.path, to: begun, now, signal: stop.signal, onProgress: () => stop.abort() }
    await expect(copyDatabase(options)).rejects.toThrow('aborted')
    await expect(copyDatabase({ from: other.path, to: begun, now })).rejects.toThrow(
      'unfinished copy of another database',
    )
    const store = await openDatabase({ database: other.path, clock: other.now })
    await store.beginRun({ channel: KEY, kind: 'rfqs', now: other.now() })
    await store.close()
    await expect(copyDatabase({ from: other.path, to: newUrl(), now: other.now() })).rejects.toThrow('is in use')
  })

  it('of a PostgreSQL database is refused while a process is connected to its schema, however idle, and to no other', async () => {
    const [url, other] = [newUrl(), newUrl()]
    const stores = await Promise.all([url, other].map((each) => openDatabase({ database: each })))
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
    const to = join(testFolder(), 'copy.db')
    await expect(copyDatabase({ from: url, to, now })).rejects.toThrow(
      /is in use: Quotekeeper has [1-9]\d* connections? to it, from 127\.0\.0\.1\. Stop all processes/,
    )
    await stores[0]?.close()
    expect(await copyDatabase({ from: url, to, now })).toMatchObject({ resumed: false })
  })

  it('that differs from the database is not used', async () => {
    const fixture = await database()
    const url = `${server.url}?schema=order`
    const changed = copyDatabase({
      ...{ from: fixture.path, to: url, now },
      onProgress: ({ table, verifying }) => {
        if (table === 'delivery_targets' && !verifying)
          changeMeanwhile(fixture.path, 'update runs set requests = requests + 1')
      },
    })
    await expect(changed).rejects.toThrow(
      /differs from .* in runs .*remove the copy \(drop schema "order" cascade\), and copy again/,
    )
    await expect(openDatabase({ database: url })).rejects.toThrow('unfinished copy')
  })

  it('is not finished if the file is written to after its tables were verified', async () => {
    const fixture = await database()
    const to = join(testFolder(), 'copy.db')
    let changes = 0
    const changed = copyDatabase({
      ...{ from: fixture.path, to, now },
      onProgress: ({ table, verifying }) => {
        if (table !== 'reports' || !verifying) return
        changeMeanwhile(fixture.path, 'update runs set requests = requests + 1')
        changes++
      },
    })
    await expect(changed).rejects.toThrow(`remove the copy (delete the file ${unfinishedPath(to)}), and copy again`)
    expect([changes, existsSync(to)]).toEqual([1, false])
  })

  it('lets writes to a PostgreSQL database wait, and is not finished if there are any', async () => {
    const fixture = await database()
    const url = newUrl()
    await copyDatabase({ from: fixture.path, to: url, now })
    const to = join(testFolder(), 'copy.db')
    const order: string[] = []
    let written: Promise<unknown> = Promise.resolve()
    const begin = async () => {
      const store = await openDatabase({ database: url, clock: fixture.now })
      await store.beginRun({ channel: KEY, kind: 'rfqs', now: fixture.now() })
      order.push('written')
      await store.close()
    }
    const copy = copyDatabase({
      ...{ from: url, to, now },
      onProgress: ({ table, verifying }) => {
        if (table === 'runs' && verifying) written = begin()
        if (verifying) order.push('verified')
      },
    })
    await expect(copy).rejects.toThrow('is in use: Quotekeeper has')
    await written
    // It may be written once the copy has let go of the tables, which is before the copy is refused.
    expect(order.indexOf('written')).toBe(order.length - 1)
    expect(existsSync(to)).toBe(false)
  })
})

function changeMeanwhile(path: string, statement: string): void {
  const db = connect(path)
  db.exec(statement)
  db.close()
}

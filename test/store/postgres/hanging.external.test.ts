import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
import { migrate } from '../../../src/store/postgres/migrate.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

const COUNT = 12
/** Three seconds of silence, five for the question whether the server works, and some more on a busy machine. */
const MAX_HANG_MS = 12_000
const newUrl = () => `${server.url}?schema=hanging_${randomBytes(4).toString('hex')}`

function openDatabase(url: string): PostgresDatabase {
  const database = new PostgresDatabase(parsePostgresUrl(url), { connections: 4 })
  onTestFinished(() => database.close())
  return database
}

async function openFixture(url: string, dueDate: string): Promise<ChannelFixture> {
  const fixture = await openChannelFixture({ time: '2026-11-22T12:00:00Z' })
  for (let index = 0; index < COUNT; index++) {
    const rfq = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: dueDate })
    fixture.sandbox.world.addResponse(rfq.id)
  }
  await fixture.reopenStore(url)
  return fixture
}

async function timed(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const began = performance.now()
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { error, ms: performance.now() - began }
}

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that does not answer', () => {
  it('behind a cut network, for longer than leases last: another process takes over, and the first one writes nothing more', async () => {
    const network = await TcpForwarder.start(server.port)
    onTestFinished(() => network.close())
    const [pollUrl, closeUrl] = [newUrl(), newUrl()]
    const through = (url: string) => url.replace(`:${server.port}/`, `:${network.port}/`)
    const polling = await openFixture(through(pollUrl), '2026-12-24')
    const closing = await openFixture(through(closeUrl), '2026-11-20')
    await closing.pollRfqs()

    const round = timed(closing.closeExpired({ maxPerRun: 100 }))
    await expect.poll(() => closing.posts().length, { interval: 1 }).toBeGreaterThanOrEqual(2)
    const poll = timed(polling.pollRfqs())
    await expect.poll(() => polling.sandbox.requests.length, { interval: 1 }).toBeGreaterThanOrEqual(4)
    network.cut()
    const sent = closing.posts().length
    const [first, second] = await Promise.all([poll, round])
    expect([first.error, second.error]).toEqual([expect.any(StoreError), expect.any(StoreError)])
    expect(Math.max(first.ms, second.ms)).toBeLessThan(3 * MAX_HANG_MS)
    // One whose reply was on its way at most.
    expect(closing.posts().length).toBeLessThanOrEqual(sent + 1)

    polling.advanceSeconds(60)
    closing.advanceSeconds(60)
    const left = await openPostgresStore({ url: pollUrl, clock: polling.now, connections: 2 })
    onTestFinished(() => left.close())
    const run = await left.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: polling.now() })
    const known = (await left.rfqs({})).length
    network.mend()
    await wait(300)
    // What had been sent into the cut network arrives, and is refused.
    expect((await left.rfqs({})).length).toBe(known)
    await run.finish({ outcome: 'failed', error: 'test', ...NO_COUNTS }, polling.now())

    expect((await polling.store.runs({ limit: 1 }))[0]).toMatchObject({ id: run.id })
    for (const fixture of [polling, closing]) {
      fixture.advanceSeconds(600)
      expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
      const rfqs = await fixture.store.rfqs({})
      expect(rfqs.map(({ responses }) => responses.length)).toEqual(Array(COUNT).fill(1))
    }
    expect((await closing.closeExpired({ maxPerRun: 100 })).run.outcome).toBe('complete')
    const posts = closing.posts().map(({ rfqId }) => rfqId)
    expect([posts.length, new Set(posts).size]).toEqual([COUNT, COUNT])
    expect(await closing.store.openIntents('acme/forest')).toEqual([])
    expect(await closing.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('because its processes are suspended: reads and writes fail within seconds, and work again when it resumes', async () => {
    const store = await openPostgresStore({ url: newUrl(), connections: 4 })
    onTestFinished(() => store.close())
    const run = () => store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: new Date() })
    const begun = await run()
    await server.signal('SIGSTOP')
    try {
      const hanging = [store.runs({}), store.checkWritable(), store.rfqs({}), begun.finish(COMPLETE, new Date())]
      const results = await Promise.all(hanging.map(timed))
      expect(Math.max(...results.map(({ ms }) => ms))).toBeLessThan(MAX_HANG_MS)
      expect(String(results[0]?.error)).toMatch(/cannot be reached: .* \(it does not answer: .*\)\. Check/)
      expect(results[1]?.error).toBeNull()
    } finally {
      await server.signal('SIGCONT')
    }
    expect(await store.checkWritable()).toMatchObject({ ok: true })
    expect(await store.runs({})).toHaveLength(1)
  })

  it('for some seconds because a statement is slow is not lost; a connection that the server has dropped is', async () => {
    const network = await TcpForwarder.start(server.port)
    onTestFinished(() => network.close())
    const slow = openDatabase(newUrl()).get<{ n: number }>('select 1 as n from pg_sleep(4)')
    const database = openDatabase(newUrl().replace(`:${server.port}/`, `:${network.port}/`))
    let attempts = 0
    const write = database.write((tx) => tx.get(`select ${attempts++ === 0 ? 'pg_sleep(50)' : 1} as n`))
    const sleeping = `from pg_stat_activity where query like '%pg_sleep(50)%' and pid <> pg_backend_pid()`
    await expect.poll(async () => (await server.execute(`select 1 ${sleeping}`))?.rowCount).toBe(1)
    network.cut({ newOnes: false })
    await server.execute(`select pg_terminate_backend(pid) ${sleeping}`)
    expect(await write).toEqual({ n: 1 })
    expect(attempts).toBe(2)
    expect(await slow).toEqual({ n: 1 })
  })

  it('allows a migration any time, and other statements a minute', async () => {
    const database = openDatabase(newUrl())
    const sql = `create table limits as select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
    await migrate(database, new Date(), { steps: [{ version: 1, name: 'limits', sql }] })
    expect(await database.get('select * from limits')).toEqual({ statement: '0', lock: '30s' })
    expect(await database.get(`select current_setting('statement_timeout') as statement`)).toEqual({
      statement: '1min',
    })
  })
})

const NO_COUNTS = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
const COMPLETE = { outcome: 'complete' as const, error: null, ...NO_COUNTS }

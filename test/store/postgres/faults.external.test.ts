import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/contract.js'
import { DatabaseUnavailableError, RunBusyError, StoreError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { prepareSchema } from '../../../src/store/postgres/postgres-schema.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { afterCloses, COUNT, expectClosed, openOutageFixture } from '../../helpers/servers/outage-fixture.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { closedAtEnd } from '../../helpers/store/store-engine.js'
import { testFolder } from '../../helpers/test-folder.js'

const postgres = usePostgres()

const NOW = new Date('2026-11-22T12:00:00Z')
const as = (role: string, parameters = '') => `${postgres.server.url.replace('quotekeeper@', `${role}@`)}${parameters}`

const open = async (url: string): Promise<Store> => closedAtEnd(await openPostgresStore({ url, connections: 4 }))
const begin = (store: Store) => holdingRun(store, { channel: 'acme/forest', kind: 'rfqs', now: NOW })

describe.skipIf(postgresSkipReason !== null)('PostgreSQL', () => {
  it('set up with docs/ops/create-database.sql has a role that can do everything needed, in its database only', async () => {
    const folder = testFolder()
    const script = readFileSync(resolve(import.meta.dirname, '../../../docs/ops/create-database.sql'), 'utf8')
    writeFileSync(
      join(folder, 'create.sql'),
      // The superuser of this server has the name of the role.
      script.replaceAll(/\bquotekeeper\b/g, 'desk').replaceAll('/run/secrets', folder),
    )
    const psql = () =>
      promisify(execFile)('psql', ['--quiet', '--dbname', postgres.server.url, '--file', join(folder, 'create.sql')])
    await expect(psql()).rejects.toThrow(/postgres_password is empty or cannot be read/)
    writeFileSync(join(folder, 'postgres_password'), `it's "$a" \\secret\n`)
    await psql()
    const { rows } = await postgres.server.execute(
      `select rolpassword like 'SCRAM-SHA-256$%' as password, rolsuper, rolcreatedb, rolcreaterole from pg_authid where rolname = 'desk'`,
    )
    expect(rows).toEqual([{ password: true, rolsuper: false, rolcreatedb: false, rolcreaterole: false }])
    const store = await open(as('desk').replace(/\/postgres$/, '/desk'))
    const run = await begin(store)
    await run.finish(runEnd(), NOW)
    expect(await store.checkWritable()).toMatchObject({ ok: true })
  })

  it('behind a pooler that ignores the settings of a connection is refused', async () => {
    const found = { encoding: 'UTF8', path: 'public', is_ours: false, tables: 0 }
    const location = { name: 'postgres://db/desk', schema: 'quotekeeper_data' }
    const database = { location, get: async () => found } as unknown as PostgresDatabase
    await expect(prepareSchema(database)).rejects.toThrow(/postgres:\/\/db\/desk ignores .* Name it itself/)
  })

  it('lets a role read that has the documented rights, and refuses its writes with what to do, until it is granted more', async () => {
    const schema = 'rights'
    await open(as('quotekeeper', `?schema=${schema}`))
    await postgres.server.execute(
      'create role reader login',
      `grant usage on schema ${schema} to reader`,
      `grant select on all tables in schema ${schema} to reader`,
    )
    const reader = closedAtEnd(await openPostgresStore({ url: as('reader', `?schema=${schema}`), readOnly: true }))
    expect(await reader.rfqs({})).toEqual([])
    const store = await open(as('reader', `?schema=${schema}`))
    const error = await begin(store).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(StoreError)
    expect(String(error)).toMatch(
      /refuses the work: .*\(permission denied .*\)\. .*the rights that docs\/OPERATIONS\.md/,
    )
    expect(await reader.runs({})).toEqual([])
    await postgres.server.execute(`grant insert, update, delete on all tables in schema ${schema} to reader`)
    await (await begin(store)).finish(runEnd(), NOW)
    expect(await reader.runs({})).toHaveLength(1)
  })

  it('uses no defaults of the role, and reads numbers as they were written', async () => {
    const defaults = {
      default_transaction_isolation: "'repeatable read'",
      standard_conforming_strings: 'off',
      extra_float_digits: '-10',
      TimeZone: "'Pacific/Auckland'",
      search_path: 'pg_temp',
      lock_timeout: "'10s'",
      statement_timeout: "'10s'",
      idle_in_transaction_session_timeout: "'10s'",
      idle_session_timeout: "'10s'",
    }
    await postgres.server.execute(
      'create role other login',
      'grant create on database postgres to other',
      ...Object.entries(defaults).map(([name, value]) => `alter role other set ${name} = ${value}`),
    )
    const url = as('other', '?schema=other_defaults')
    const [store] = await Promise.all([open(url), open(url)])
    const requestRates = { allowed: 0.1234567890123456, required: 1 }
    await (await begin(store)).finish(runEnd({ requestRates }), NOW)
    expect(await store.runs({})).toMatchObject([{ outcome: 'complete', requestRates }])
    const database = closedAtEnd(new PostgresDatabase(parsePostgresUrl(url)))
    expect(await database.all(`select name from pg_settings where source = 'user'`)).toEqual([])
  })

  it('without free connections: reads say so at once, writes wait for one, and both go on when there are some', async () => {
    await postgres.server.execute(
      'create role crowd login connection limit 3',
      'grant create on database postgres to crowd',
    )
    const store = await open(as('crowd', '?schema=crowd'))
    for (let round = 0; round < 3; round++) {
      let others: pg.Client[] = []
      // The store looks at its runs every few seconds, so that one of the connections may be its own.
      const takeAll = async () => {
        await postgres.server.execute(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'crowd'`)
        others = [0, 1, 2].map(() => new pg.Client({ connectionString: as('crowd') }).on('error', () => undefined))
        return (await Promise.allSettled(others.map((other) => other.connect()))).map(({ status }) => status)
      }
      await expect.poll(takeAll, { timeout: 10_000 }).toEqual(Array(3).fill('fulfilled'))
      const error = await store.runs({}).catch((thrown: Error) => thrown)
      expect(error).toBeInstanceOf(StoreError)
      expect(String(error)).toMatch(/cannot be reached.*too many connections.*free connections/)
      const waiting = begin(store)
      await wait(300)
      for (const other of others) await other.end()
      const run = await waiting
      await run.finish(runEnd(), NOW)
      expect(await store.runs({})).toHaveLength(round + 1)
    }
  })

  it('that is away: writes wait for it a while, then fail, and the same store goes on when it is back', async () => {
    const store = closedAtEnd(await openPostgresStore({ url: as('quotekeeper', '?schema=outage') }))
    const beginPoll = () => store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: NOW })
    for (let round = 0; round < 3; round++) {
      await postgres.server.kill()
      const [run] = await Promise.all([beginPoll(), wait(500).then(() => postgres.server.launch())])
      await run.finish(runEnd(), NOW)
    }
    await postgres.server.kill()
    const away = { ok: false, message: expect.stringContaining('cannot be reached') }
    await Promise.all([
      expect(beginPoll()).rejects.toThrow(DatabaseUnavailableError),
      expect(store.runs({})).rejects.toThrow(DatabaseUnavailableError),
      expect(store.checkWritable()).resolves.toMatchObject(away),
    ])
    await postgres.server.launch()
    await beginPoll()
    await expect(beginPoll()).rejects.toThrow(RunBusyError)
    expect(await store.runs({})).toHaveLength(4)
  })

  it('that restarts during a closing round: each RFQ is closed once, by one POST, and each has its decision in an unbroken log', async () => {
    for (const after of [1, 4, 8]) {
      const fixture = await openOutageFixture(postgres.newUrl())
      await fixture.pollRfqs()
      const round = Promise.allSettled([fixture.closeExpired({ maxPerRun: 100 })])
      await afterCloses(fixture, after)
      await postgres.server.kill()
      await postgres.server.launch()
      await round
      await expectClosed(fixture)
      const closed = (await fixture.store.decisions({})).filter(({ decision }) => decision === 'close')
      expect(new Set(closed.map(({ rfqId, outcome }) => `${rfqId} ${outcome}`)).size).toBe(COUNT)
    }
  })
})

/** The time-out of a query, that of a new connection, and some more on a busy machine. */
const MAX_HANG_MS = 30_000

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that does not answer', () => {
  it('behind a cut network, for longer than leases last: another process takes over, and the first one writes nothing more', async () => {
    const network = await TcpForwarder.start(postgres.server.port)
    onTestFinished(() => network.close())
    const url = `${postgres.server.url}?schema=cut`
    const fixture = await openOutageFixture(url.replace(`:${postgres.server.port}/`, `:${network.port}/`))
    await fixture.pollRfqs()
    const round = fixture.closeExpired({ maxPerRun: 100 }).catch((error: unknown) => error)
    await afterCloses(fixture, 2)
    network.cut()
    const sent = fixture.posts().length
    expect(await round).toBeInstanceOf(StoreError)
    // One whose reply was on its way at most.
    expect(fixture.posts().length).toBeLessThanOrEqual(sent + 1)

    fixture.advanceSeconds(60)
    const other = closedAtEnd(await openPostgresStore({ url, clock: fixture.now, connections: 2 }))
    const run = await holdingRun(other, { channel: 'acme/forest', kind: 'close', now: fixture.now() })
    const recorded = async () => [await other.decisions({}), await other.openIntents('acme/forest')]
    const before = await recorded()
    network.mend()
    await wait(300)
    // What had been sent into the cut network arrives, and is refused.
    expect(await recorded()).toEqual(before)
    await run.finish(runEnd({ outcome: 'failed', error: 'test' }), fixture.now())

    await expectClosed(fixture)
  })

  it('because its processes are suspended: reads and writes fail, and work again when it resumes', async () => {
    const store = closedAtEnd(
      await openPostgresStore({ url: `${postgres.server.url}?schema=suspended`, connections: 4 }),
    )
    const begun = await holdingRun(store, { channel: 'acme/forest', kind: 'rfqs', now: new Date() })
    await postgres.server.signal('SIGSTOP')
    try {
      const began = performance.now()
      const reads = [store.runs({}), store.rfqs({})].map((read) =>
        expect(read).rejects.toThrow(/does not answer|cannot be reached|in use for too long/),
      )
      await Promise.all([...reads, expect(begun.finish(runEnd(), new Date())).rejects.toThrow(StoreError)])
      expect(performance.now() - began).toBeLessThan(MAX_HANG_MS)
    } finally {
      await postgres.server.signal('SIGCONT')
    }
    expect(await store.checkWritable()).toMatchObject({ ok: true })
    expect(await store.runs({})).toHaveLength(1)
  })
})

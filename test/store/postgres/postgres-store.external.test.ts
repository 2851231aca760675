import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunHandle, Store } from '../../../src/store/contract.js'
import { RunLostError, StoreError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { prepareSchema } from '../../../src/store/postgres/postgres-schema.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { anRfq, aResponse } from '../../helpers/data/sample-documents.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { newDecision } from '../../helpers/store/new-decision.js'
import { at, CHANNEL, rfqSnapshot } from '../../helpers/store/recording-store.js'
import { closedAtEnd } from '../../helpers/store/store-engine.js'

const postgres = usePostgres()

const open = async (url = postgres.newUrl()): Promise<Store> =>
  closedAtEnd(await openPostgresStore({ url, connections: 4, clock: () => at('12:00:00') }))

/** Executes statements one after another, in the schema of a URL. Returns the rows of the last. */
const execute = async (url: string, ...statements: string[]): Promise<unknown[]> =>
  (await postgres.server.execute(`set search_path to ${url.split('?schema=')[1]}`, ...statements)).rows

const begin = (store: Store, kind: 'rfqs' | 'close' = 'rfqs') =>
  holdingRun(store, { channel: CHANNEL, kind, now: at('12:00:00') })
const record = (store: Store, run: RunHandle, id: string) =>
  store.recordRfq(run, rfqSnapshot(anRfq(id), [aResponse(`${id}-offer`)], at('12:00:00')), at('12:00:01'))
const decision = (rfqId: string, runId: number) => newDecision(runId, { rfqId, evidence: { approvedBy: 'anna' } })

describe.skipIf(postgresSkipReason !== null)('a PostgreSQL database', () => {
  it('is created once by six processes that open it at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const url = postgres.newUrl()
      const stores = await Promise.all(Array.from({ length: 6 }, () => open(url)))
      expect(new Set(await Promise.all(stores.map((store) => store.identity()))).size).toBe(1)
      expect(await stores[0]?.check()).toMatchObject({ ok: true })
    }
  })

  it('lets the heartbeat of a run go on while it waits to record', async () => {
    const url = postgres.newUrl()
    const store = await open(url)
    const run = await begin(store)
    const other = closedAtEnd(new PostgresDatabase(parsePostgresUrl(url)))
    const { recorded } = await other.write(async (tx) => {
      await tx.run('update channels set wanted = wanted')
      const waiting = { recorded: record(store, run, 'rfq-1') }
      await expect
        .poll(() => execute(url, `select pid from pg_stat_activity where wait_event_type = 'Lock'`))
        .toHaveLength(1)
      // Fails if it has to wait.
      await execute(url, `set lock_timeout = '1s'`, 'update runs set heartbeat = heartbeat')
      return waiting
    })
    expect(await recorded).toMatchObject([{ change: 'inserted' }, {}])
  })

  it('is refused, with what to do, if it is of another version, of another program, empty or cannot be reached', async () => {
    const newer = postgres.newUrl()
    await (await open(newer)).close()
    await execute(newer, `update meta set value = '25' where key = 'schema'`)
    await expect(open(newer)).rejects.toThrow(
      /another version of Quotekeeper.*Nothing was changed.*set "database" to a new one/,
    )
    await expect(openPostgresStore({ url: newer, readOnly: true })).rejects.toThrow(StoreError)

    const foreign = postgres.newUrl()
    const schema = foreign.split('=')[1]
    await execute(postgres.server.url, `create schema ${schema}; create table ${schema}.theirs (id int)`)
    await expect(open(foreign)).rejects.toThrow(/tables of another program.*\?schema=NAME/)
    expect(
      await execute(postgres.server.url, `select count(*)::int as n from pg_tables where schemaname = '${schema}'`),
    ).toEqual([{ n: 1 }])

    await expect(openPostgresStore({ url: postgres.newUrl(), readOnly: true })).rejects.toThrow(
      /empty database.*quotekeeper sync/,
    )
    await expect(open(postgres.server.url.replace(/\/postgres$/, '/nowhere'))).rejects.toThrow(
      /does not exist.*create the user or the database/,
    )
    const away = 'postgres://quotekeeper:S3CRET@127.0.0.1:1/postgres'
    const error = await open(away).catch((thrown: Error) => thrown)
    expect(error).toBeInstanceOf(StoreError)
    expect(String(error)).toMatch(/cannot be reached or written: postgres:\/\/127.0.0.1:1\/postgres/)
    expect(String(error)).not.toContain('S3CRET')
  })

  it('is refused without the rights to use it, or with another encoding', async () => {
    await execute(postgres.server.url, 'create role guest login')
    await execute(postgres.server.url, `create database latin encoding latin1 locale 'C' template template0`)
    const guest = postgres.server.url.replace('quotekeeper@', 'guest@')
    await expect(open(`${guest}?schema=theirs`)).rejects.toThrow(/refuses .*permission denied/)
    await expect(open(postgres.server.url.replace(/\/postgres$/, '/latin'))).rejects.toThrow(
      /encoding .* LATIN1; UTF8 is needed/,
    )
  })

  it('has each document as jsonb, without what that cannot hold, so that none fails the views of all', async () => {
    const database = closedAtEnd(new PostgresDatabase(parsePostgresUrl(postgres.newUrl())))
    await prepareSchema(database)
    const deep = (depth: number) => `{"a": ${'['.repeat(depth)}${']'.repeat(depth)}}`
    const bodies: [body: string, document: unknown][] = [
      [String.raw`{"a": "x\u0000y", "b\ud800": "\uDC00"}`, { a: 'xy', b: '' }],
      [String.raw`{"a": "\ud83c\udf33 \uD83C\uDF33 \ud83c\ud83c\udf33"}`, { a: '🌳 🌳 🌳' }],
      [String.raw`{"a": "\\u0000 \\\u0000"}`, { a: '\\u0000 \\' }],
      ['{"a": 1, "a": 1e400}', { a: Number.POSITIVE_INFINITY }],
      ['{"a": 1e200000}', null],
      [deep(500), JSON.parse(deep(500))],
      [deep(1_000_000), null],
    ]
    for (const [body, document] of bodies)
      expect(await database.get('select document_of(@body) as document', { body })).toEqual({ document })
  })

  it('holds the longest identifiers, whatever they are, once each, through versions and closings', async () => {
    const store = await open()
    const run = await begin(store)
    // Texts that do not compress.
    const long = (first: number, range: number, seed: number) =>
      Array.from({ length: 150 }, (_, index) =>
        String.fromCodePoint(first + ((index * index * 7919 + seed) % range)),
      ).join('')
    const offers = [long(0x4e00, 20_000, 7), 'short offer'].map((id) => aResponse(id))
    for (const id of [long(0x30, 70, 1), long(0x4e00, 20_000, 5), long(0x4e00, 20_000, 6), 'short']) {
      for (const [minute, change] of ['inserted', 'unchanged', 'changed'].entries()) {
        const rfq = anRfq(id, { title: change === 'changed' ? 'second' : 'first' })
        const readAt = at(`12:0${minute}:00`)
        const read = rfqSnapshot(rfq, offers, readAt)
        expect(await store.recordRfq(run, read, readAt)).toContainEqual({ kind: 'rfq', id, change })
      }
      expect(await store.rfqHistory(CHANNEL, id)).toHaveLength(4)
      const intent = { run, rfqId: id, evidence: {}, now: at('12:04:00') }
      await store.planClose(intent)
      await expect(store.planClose(intent)).rejects.toThrow(StoreError)
      await store.appendDecision(decision(id, run.id))
      expect(await store.decisions({ channel: CHANNEL, rfqId: id })).toHaveLength(1)
    }
  })

  it('records an RFQ that is too large for one statement completely', async () => {
    const store = await open()
    const run = await begin(store)
    const responses = Array.from({ length: 40 }, (_, index) => aResponse(`${index}`, { notes: 'n'.repeat(70_000) }))
    await store.recordRfq(run, rfqSnapshot(anRfq('large'), responses, at('12:00:00')), at('12:00:01'))
    const [stored] = await store.rfqs({})
    const notes = stored?.responses.map(({ body }) => (body as { notes: string }).notes.length)
    expect(notes).toEqual(responses.map(() => 70_000))
  })

  it('gives back a connection that writes and sees what is new after its rows were read page by page, or not to the end', async () => {
    const url = postgres.newUrl()
    await open(url)
    const database = closedAtEnd(new PostgresDatabase(parsePostgresUrl(url), { connections: 1 }))
    for (let round = 1; round <= 6; round++) {
      await database.write((tx) => tx.run(`insert into channels (channel) values (@channel)`, { channel: `${round}` }))
      let read = 0
      for await (const _row of database.stream('select * from channels', {}, 1))
        if (++read === 3 && round % 2 === 1) break
      expect(read).toBe(round % 2 === 1 ? Math.min(3, round) : round)
      expect(await database.get('select count(*) as n from channels')).toEqual({ n: round })
    }
  })
})

describe.skipIf(postgresSkipReason !== null)('with several processes on one PostgreSQL database', () => {
  it('the closing log has no gaps and one chain, whatever is rolled back', async () => {
    const url = postgres.newUrl()
    const stores = await Promise.all([open(url), open(url), open(url)])
    const run = await begin(stores[0], 'close')
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        stores.flatMap((store, of) =>
          Array.from({ length: 5 }, async (_, index) => {
            const rfqId = `${round}-${of}-${index}`
            if (index === 2) {
              // Rolled back after the decision was written.
              const intent = await store.planClose({ run, rfqId, evidence: {}, now: at('12:00:00') })
              await expect(store.settleClose(intent, { ...decision(rfqId, 4711), outcome: 'failed' })).rejects.toThrow()
            } else await store.appendDecision(decision(rfqId, run.id))
          }),
        ),
      )
    }
    for (const store of stores) expect(await store.verifyDecisions()).toMatchObject({ decisions: 72, brokenAt: null })
  })

  it('a run that was taken over writes nothing more, even while it is writing', async () => {
    const url = postgres.newUrl()
    for (let round = 0; round < 6; round++) {
      const [slow, other] = [await open(url), await open(url)]
      const run = await begin(slow)
      const writes = Array.from({ length: 100 }, (_, index) => record(slow, run, `${round}-${index}`))
      const takenOver = (async () => {
        await wait(round * 3)
        // As a process that has watched its heartbeat.
        await execute(url, `update runs set outcome = 'interrupted', finished_at = 'now' where id = ${run.id}`)
        return begin(other)
      })()
      const results = await Promise.allSettled(writes)
      const next = await takenOver
      const stored = new Set((await other.rfqs({ withoutResponses: true })).map(({ rfq }) => rfq.id))
      for (const [index, result] of results.entries()) {
        expect(stored.has(`${round}-${index}`)).toBe(result.status === 'fulfilled')
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(RunLostError)
      }
      await expect(record(slow, run, 'late')).rejects.toThrow(RunLostError)
      await next.finish(runEnd(), at('12:02:00'))
    }
  })

  it('transactions that deadlock are retried', async () => {
    const location = parsePostgresUrl(postgres.newUrl())
    const database = closedAtEnd(new PostgresDatabase(location, { connections: 4 }))
    let attempts = 0
    let holders = 0
    let bothLocked = () => {}
    const locked = new Promise<void>((resolve) => {
      bothLocked = resolve
    })
    const inOrder = ([first, second]: [string, string]) =>
      database.write(async (tx) => {
        attempts++
        await tx.lock(first)
        // Each holds its first lock when it asks for its second one.
        if (++holders === 2) bothLocked()
        await locked
        await tx.lock(second)
        return [first, second].join()
      })
    expect(await Promise.all([inOrder(['a', 'b']), inOrder(['b', 'a'])])).toEqual(['a,b', 'b,a'])
    expect(attempts).toBeGreaterThan(2)
  })
})

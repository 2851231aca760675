import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Sqlite } from '../../src/store/connection.js'
import type { Store } from '../../src/store/contract.js'
import { migrate } from '../../src/store/migrate.js'
import { migrations } from '../../src/store/migrations.js'
import { openReader } from '../../src/store/reader.js'
import { openStore } from '../../src/store/store.js'
import { shareOf } from '../helpers/long-tests.js'
import { at, begin, CHANNEL, rfqSnapshot } from '../helpers/recording-store.js'
import { anRfq, aResponse, aSummary } from '../helpers/sample-documents.js'
import { testFolder } from '../helpers/test-folder.js'

const COMPACT = migrations.findIndex(({ name }) => name === 'compact tables of documents')
const NOW = new Date('2026-11-21T12:00:00.000Z')

async function databaseOfSchema(schema: number): Promise<Sqlite> {
  const db = new Database(':memory:')
  db.pragma('foreign_keys = on')
  await migrate(db, NOW, migrations.slice(0, schema))
  for (let run = 0; run < 2; run++) {
    db.exec(`insert into runs (channel, kind, started_at, finished_at, outcome, holder, lease_until)
      values ('acme/forest', 'rfqs', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z', 'complete', '{}', '')`)
  }
  return db
}

const makeCompact = (db: Sqlite) =>
  db.exec(
    migrations
      .slice(COMPACT)
      .map(({ sql }) => sql)
      .join('\n'),
  )

const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString())
const hash = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`))
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const text = fc.constantFrom('', 'a', '\u{1f333}', '{"a":1}')

const state = fc.record({
  version: fc.integer({ min: 1, max: 1000 }),
  first_observed_at: time,
  last_observed_at: time,
  last_read_at: time,
  changed_at: time,
  missing_since: orNull(time),
  list_hash: orNull(hash(64)),
  latest_body: orNull(text),
  latest_parsed_body: orNull(text),
  full_read_at: orNull(time),
  requested_at: orNull(time),
  summary_hash: orNull(fc.constantFrom('00'.repeat(16), 'a1'.repeat(16))),
  read_summary_hash: orNull(fc.constantFrom('00'.repeat(16), 'a1'.repeat(16))),
  etag: orNull(text),
  last_modified: orNull(text),
  fingerprint: orNull(fc.constant('0.1.0 0123456789012345678901')),
  has_problems: fc.constantFrom(0, 1),
  listed_hash: orNull(hash(64)),
  listed_at: orNull(time),
  listed_body: orNull(text),
})
const key = fc.record({
  channel: fc.constantFrom('acme/forest', 'acme/wind'),
  kind: fc.constantFrom('listing', 'rfq', 'response'),
  rfq_id: fc.constantFrom('', 'r1', 'r\\u0000'),
  id: fc.constantFrom('r1', 'R1', 'ä', 'o1'),
})
const version = fc.record({
  content_hash: hash(64),
  not_before: orNull(time),
  observed_at: fc.oneof(time, fc.constant('2026-11-21T08:00:00.000Z')),
  superseded_at: orNull(time),
  run_id: fc.constantFrom(1, 2),
  valid: fc.constantFrom(0, 1),
  shape: fc.constantFrom('full', 'list', 'summary'),
  body: text,
  body_as_received: fc.constantFrom(0, 1),
  parsed_body: orNull(text),
})
type Row = Record<string, string | number | null>
const documents = fc.uniqueArray(
  fc.record({ key, first: state, second: state, versions: fc.array(version, { maxLength: 3 }) }),
  {
    selector: (document) => JSON.stringify(document.key),
    maxLength: 8,
  },
)

const insert = (db: Sqlite, table: string, row: Row) => {
  const columns = Object.keys(row)
  db.prepare(`insert into ${table} (${columns.join()}) values (${columns.map((name) => `@${name}`).join()})`).run(row)
}
const OF_KEY = 'channel = @channel and kind = @kind and rfq_id = @rfq_id and id = @id'
const update = (db: Sqlite, table: string, ofRow: Row, values: Row) =>
  db
    .prepare(`update ${table} set ${Object.keys(values).map((name) => `${name} = @${name}`)}
      where ${OF_KEY}${'version' in ofRow ? ' and version = @ofVersion' : ''}`)
    .run({ ...ofRow, ofVersion: ofRow.version ?? null, ...values })

const rows = (db: Sqlite, table: string, order: string) =>
  (db.prepare(`select * from ${table} order by ${order}`).all() as Row[]).map(({ document_number, ...row }) => row)
const contents = (db: Sqlite) => ({
  entities: rows(db, 'entities', 'channel, kind, rfq_id, id'),
  versions: rows(db, 'versions', 'channel, kind, rfq_id, id, version'),
})

describe('the views entities and versions', () => {
  it('hold what is written to them as the tables before them did, also after the migration of those', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (written) => {
        const tables = await databaseOfSchema(COMPACT)
        const views = await databaseOfSchema(migrations.length)
        for (const db of [tables, views]) {
          for (const document of written) insert(db, 'entities', { ...document.key, ...document.first })
          for (const document of written)
            document.versions.forEach(
              (row, index) => void insert(db, 'versions', { ...document.key, version: index + 1, ...row }),
            )
        }
        expect(contents(views)).toEqual(contents(tables))
        for (const db of [tables, views]) {
          for (const document of written) update(db, 'entities', document.key, document.second)
          for (const document of written)
            document.versions.forEach(
              ({ valid }, index) =>
                void update(
                  db,
                  'versions',
                  { ...document.key, version: index + 1 },
                  {
                    valid: 1 - valid,
                    superseded_at: document.second.changed_at,
                  },
                ),
            )
        }
        expect(contents(views)).toEqual(contents(tables))
        const before = contents(tables)
        makeCompact(tables)
        expect(contents(tables)).toEqual(before)
        expect(tables.pragma('foreign_key_check')).toEqual([])
        expect(tables.pragma('integrity_check', { simple: true })).toBe('ok')
        tables.close()
        views.close()
      }),
      { numRuns: shareOf(40) },
    )
  })

  it('convert fingerprints of an earlier version to those of the same bytes', async () => {
    const db = await databaseOfSchema(COMPACT)
    const received = 'kQ2pXw7dQ2tQqk7cBqvM0u8YJ0pV1mTz4oT2gS9dX0k='
    for (const [id, fingerprint] of Object.entries({
      a: `0.1.0 ${received}`,
      b: null,
      c: '0.1.0 kQ2pXw7dQ2tQqk7cBqvM0u',
    })) {
      insert(db, 'entities', {
        ...{ channel: 'acme/forest', kind: 'rfq', id, version: 1, fingerprint },
        ...{ first_observed_at: NOW.toISOString(), last_observed_at: NOW.toISOString() },
        ...{ last_read_at: NOW.toISOString(), changed_at: NOW.toISOString() },
      })
    }
    makeCompact(db)
    expect(db.prepare('select id, fingerprint from entities order by id').all()).toEqual([
      { id: 'a', fingerprint: `0.1.0 ${received.slice(0, 22)}` },
      { id: 'b', fingerprint: null },
      { id: 'c', fingerprint: '0.1.0 kQ2pXw7dQ2tQqk7cBqvM0u' },
    ])
  })

  it('keep history as it is', async () => {
    const path = join(testFolder(), 'quotekeeper.db')
    const store = await openStore({ path, clock: () => NOW })
    const run = await begin(store)
    const rfq = { ...anRfq(), id: 'rfq' }
    await store.recordRfq(run, rfqSnapshot(rfq, [], at('08:00:00')), at('08:00:00'))
    await store.close()
    const db = new Database(path)
    for (const change of [
      `update versions set body = '{}'`,
      `update versions set valid = 0, shape = 'list'`,
      `update versions set observed_at = '2026-11-21T08:00:00.000Z'`,
      `update document_versions set body = '{}'`,
      'update document_versions set document = document + 1',
      `update observations set observed_at = '2026-11-21T08:00:00.000Z'`,
    ]) {
      expect(() => db.exec(change), change).toThrow('a version never changes')
    }
    for (const change of [
      `insert or replace into document_versions select number, document, version, content_hash, not_before, observation, superseded_at,
        valid, shape, '{}', body_as_received, parsed_body from document_versions`,
      `insert or replace into document_versions (document, version, content_hash, observation, valid, shape, body)
        select document, version, content_hash, observation, valid, shape, '{}' from document_versions`,
      `insert or replace into observations select number, run_id, '2001-01-01T00:00:00.000Z' from observations`,
    ]) {
      expect(() => db.exec(change), change).toThrow('a version never changes')
    }
    for (const change of [
      `update documents set id = 'other'`,
      'update documents set collection = collection + 1',
      `update collections set channel = 'x/y'`,
    ]) {
      expect(() => db.exec(change), change).toThrow('a document keeps its identity')
    }
    db.pragma('foreign_keys = off')
    for (const table of ['versions', 'document_versions', 'observations', 'documents', 'collections'])
      expect(() => db.exec(`delete from ${table}`), table).toThrow('history is never removed')
    expect(() => db.exec('delete from entities')).toThrow('cannot modify entities because it is a view')
    db.close()
  })
})

describe('queries of documents', () => {
  it('find what they read by an index, and never make a table of a view', async () => {
    const path = join(testFolder(), 'quotekeeper.db')
    const prepared = new Set<string>()
    const prepare = Database.prototype.prepare
    vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Sqlite, sql: string) {
      prepared.add(sql)
      return prepare.call(this, sql)
    })
    const store = await openStore({ path, clock: () => at('12:00:00') })
    const run = await begin(store)
    const rfq = anRfq('rfq', { responses: [aSummary('a'), aSummary('b')] })
    await store.recordRfq(run, rfqSnapshot(rfq, [aResponse('a'), aResponse('b')], at('08:00:00')), at('08:00:00'))
    await store.appendDecision({
      ...{
        runId: run.id,
        channel: CHANNEL,
        rfqId: 'rfq',
        rfqNumber: 1,
        dueDate: null,
        timeZone: 'UTC',
        decision: 'keep',
      },
      ...{
        decidedAt: at('08:00:00').toISOString(),
        reason: 'it is not due',
        outcome: null,
        httpStatus: null,
        message: null,
      },
      ...{ versionBefore: 1, versionAfter: null, evidence: { version: 1, hash: 'of a document' } },
    })
    await askEverything(store)
    await store.close()
    vi.restoreAllMocks()

    const db = new Database(path, { readonly: true })
    const asked = [...prepared].filter(
      (sql) => /^\s*(with|select)\b/.test(sql) && /\b(entities|versions|documents)\b/.test(sql),
    )
    expect(asked.length).toBeGreaterThan(20)
    for (const sql of asked) {
      const parameters = Object.fromEntries(
        [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, name === 'limit' ? 1 : null]),
      )
      const plan = db.prepare(`explain query plan ${sql}`).all(parameters, ...[...sql.matchAll(/\?/g)].map(() => null))
      const steps = plan.map((step) => (step as { detail: string }).detail).join('\n')
      expect(steps, sql).not.toMatch(
        /MATERIALIZE (entities|versions|current_documents)|SCAN (v|d|w|m|b)$|AUTOMATIC.*\b(id|document)=/m,
      )
    }
    db.close()
  })
})

/** Calls every query of documents in all its forms. */
async function askEverything(store: Store): Promise<void> {
  const channel = CHANNEL
  for (const moment of [{}, { asOf: at('09:00:00') }]) {
    await store.rfqs({ channel, ...moment })
    await store.rfqs({ channel, ids: ['rfq'], ...moment })
    await store.rfqs({ match: { text: 'rfq' }, ...moment })
    await store.listings({ channel, ...moment })
    await store.rfqHistory(channel, 'rfq', moment.asOf)
    await store.absences(channel, 'rfq', moment.asOf)
    await store.rfqEntries({ channel, ...moment })
    await store.rfqEntries(moment)
    for (const since of [{}, { after: at('07:00:00') }]) {
      for (const ofChannel of [{}, { channel }]) {
        await store.revisions({ ...ofChannel, ...since, ...moment, limit: 10 })
      }
      await store.offerRevisions({ channel, after: at('07:00:00'), ...moment })
      await store.revisions({ channel, rfqId: 'rfq', ...since, ...moment, limit: 10 })
    }
    for await (const _ of store.export(moment));
    for await (const _ of store.export({ channel, kind: 'response', ...moment }));
  }
  await store.rfqStates(channel)
  await store.responseStates(channel, ['rfq'])
  await store.presentIds(channel, 'rfq')
  const document = { channel, kind: 'response', rfqId: 'rfq', id: 'a' } as const
  await store.textWithValidators(document, { etag: 'e', lastModified: null })
  const reader = await openReader(store.name)
  await reader.rfqCounts(channel)
  await reader.recordedVersions(1)
  await reader.close()
  await store.firstPollAt({ channel, kind: 'rfqs' })
  await store.unsettledCloses({ now: at('12:00:00') })
  await store.openRfqsDue(channel, '2027-01-01')
  await store.verifyDecidedDocuments()
}

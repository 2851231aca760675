import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/program.js'
import { contentHash } from '../../src/core/canonical-json.js'
import { parseExactly } from '../../src/core/exact-json.js'
import { parseRfq } from '../../src/core/observation.js'
import { migrate } from '../../src/store/migrate.js'
import { migrations } from '../../src/store/migrations.js'
import { openStore } from '../../src/store/store.js'
import { ROUNDS, runsLongTests } from '../helpers/long-tests.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

const END = {
  outcome: 'complete',
  error: null,
  requests: 0,
  seen: 0,
  inserted: 0,
  changed: 0,
  unchanged: 0,
  missing: 0,
  invalid: 0,
} as const
const NOW = new Date('2026-11-21T12:00:00.000Z')

/** A database of an earlier schema with one finished run. */
async function databaseOfSchema(schema: number): Promise<string> {
  const path = join(testFolder(), 'quotekeeper.db')
  const db = new Database(path)
  await migrate(db, NOW, migrations.slice(0, schema))
  db.exec(`insert into runs (channel, kind, started_at, finished_at, outcome, holder, lease_until)
    values ('acme/forest', 'rfqs', '2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z', 'complete', '{}', '')`)
  db.close()
  return path
}

describe('a new database that several processes create at once', () => {
  it('is never seen, or copied, with only a part of its schema', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const path = join(testFolder(), 'quotekeeper.db')
      const connections = Array.from({ length: 3 }, () => new Database(path))
      const reports = await Promise.all(connections.map((db) => migrate(db, NOW)))
      for (const report of reports) {
        expect(report).toMatchObject({ to: migrations.length, backup: null })
        expect([0, migrations.length]).toContain(report.from)
      }
      for (const db of connections) db.close()
      expect(readdirSync(join(path, '..')).filter((name) => name.endsWith('.bak'))).toEqual([])
    }
  })
})

describe('a migration that fails', () => {
  it('changes nothing and leaves no copy, however often it is tried', async () => {
    const path = await databaseOfSchema(migrations.length)
    const broken = { name: 'broken', sql: 'create table one_more (a); create table one_more (a)' }
    for (let round = 0; round < ROUNDS; round++) {
      const db = new Database(path)
      await expect(migrate(db, NOW, [...migrations, broken])).rejects.toThrow('already exists')
      expect(db.pragma('user_version', { simple: true })).toBe(migrations.length)
      db.close()
      expect(readdirSync(join(path, '..'))).toEqual(['quotekeeper.db'])
    }
  })
})

/** All earlier ones, of which `npm test` takes the first and the last. */
const SCHEMAS = runsLongTests ? migrations.slice(0, -1).map((_, index) => index + 1) : [1, migrations.length - 1]

describe.each(SCHEMAS)('a database of schema %i', (schema) => {
  it('is migrated once, keeps its data, and is copied before', async () => {
    const path = await databaseOfSchema(schema)
    const identities = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) {
      const reports: unknown[] = []
      const store = await openStore({ path, clock: () => NOW, onOpen: (report) => reports.push(report) })
      expect(await store.check()).toMatchObject({ ok: true, schemaVersion: migrations.length })
      expect(await store.runs({})).toMatchObject([{ channel: 'acme/forest', outcome: 'complete' }])
      identities.add(await store.identity())
      await store.close()
      const backup = `${path}.schema-${schema}-20261121T120000000Z.bak`
      expect(reports).toEqual([
        round === 0
          ? { from: schema, to: migrations.length, backup }
          : { from: migrations.length, to: migrations.length, backup: null },
      ])
    }
    expect(identities.size).toBe(1)
    const copies = readdirSync(join(path, '..')).filter((name) => name.endsWith('.bak'))
    expect(copies).toHaveLength(1)
    const copy = new Database(join(path, '..', copies[0] as string), { readonly: true })
    expect(copy.pragma('user_version', { simple: true })).toBe(schema)
    copy.close()
  })

  it('keeps its bodies, which stay current when the same documents are received', async () => {
    const path = await databaseOfSchema(schema)
    const received = '{ "title":"A", "id":"rfq-1", "minVolume":1.0 }'
    const lossy = '{"id":"rfq-2","extra":9007199254740993}'
    const db = new Database(path)
    for (const text of [received, lossy]) {
      const body = JSON.parse(text) as { id: string }
      const row = {
        id: body.id,
        hash: contentHash('rfq', body),
        body: JSON.stringify(body),
        at: '2026-11-20T12:00:00.000Z',
      }
      db.prepare(`insert into entities (channel, kind, rfq_id, id, version, first_observed_at, last_observed_at, last_read_at, changed_at)
        values ('acme/forest', 'rfq', '', @id, 1, @at, @at, @at, @at)`).run(row)
      db.prepare(`insert into versions (channel, kind, rfq_id, id, version, content_hash, observed_at, run_id, valid, shape, body)
        values ('acme/forest', 'rfq', '', @id, 1, @hash, @at, 1, 1, 'full', @body)`).run(row)
    }
    db.close()
    for (let round = 0; round < ROUNDS; round++) {
      const store = await openStore({ path, clock: () => NOW })
      const run = await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: NOW })
      const changes: string[] = []
      for (const text of [received, lossy]) {
        const body = JSON.parse(text)
        const rfq = parseRfq(body, { text, ...parseExactly(text, body), hasInvalidUtf8: false })
        const snapshot = {
          rfq,
          shape: 'full',
          listHash: null,
          responses: [],
          responsesComplete: true,
          readAt: NOW,
        } as const
        changes.push((await store.recordRfq(run, snapshot, NOW)).rfq)
      }
      // Only a document of which parsing had lost something is new.
      expect(changes).toEqual(['unchanged', round === 0 ? 'changed' : 'unchanged'])
      await run.finish(END, NOW)
      const versions = await store.rfqHistory('acme/forest', 'rfq-1')
      expect(versions).toMatchObject([{ bodyText: JSON.stringify(JSON.parse(received)), bodyAsReceived: false }])
      expect(await store.rfqHistory('acme/forest', 'rfq-2')).toMatchObject([
        { bodyText: '{"id":"rfq-2","extra":9007199254740992}', bodyAsReceived: false, isLossy: false },
        { bodyText: lossy, bodyAsReceived: true, isLossy: true },
      ])
      await store.close()
    }
    const migrated = new Database(path, { readonly: true })
    expect(migrated.prepare('select title, body from rfqs order by id').all()).toEqual([
      { title: 'A', body: received },
      { title: null, body: lossy },
    ])
    migrated.close()
  })

  it('is migrated by a command that names the copy once', async () => {
    const path = await databaseOfSchema(schema)
    const cwd = join(path, '..')
    writeFileSync(
      join(cwd, 'quotekeeper.yaml'),
      `baseUrl: http://127.0.0.1:1
database: ./quotekeeper.db
channels: [{ org: acme, channel: forest, apiKey: { env: KEY }, autoClose: off }]
`,
    )
    for (let round = 0; round < ROUNDS; round++) {
      const { io, written } = testIo({ cwd })
      expect(await run(['runs'], io)).toBe(0)
      if (round > 0) expect(written.err).toBe('')
      else
        expect(written.err).toMatch(
          /upgraded from schema \d+ to \d+\. A copy of the previous version was made first: .*\.schema-\d+-\S+\.bak\n$/,
        )
    }
  })
})

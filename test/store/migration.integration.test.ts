import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/program.js'
import { migrate } from '../../src/store/migrate.js'
import { migrations } from '../../src/store/migrations.js'
import { openStore } from '../../src/store/store.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

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

describe.each(migrations.slice(0, -1).map((_, index) => index + 1))('a database of schema %i', (schema) => {
  it('is migrated once, keeps its data, and is copied before', async () => {
    const path = await databaseOfSchema(schema)
    const identities = new Set<string>()
    for (let round = 0; round < 6; round++) {
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
    for (let round = 0; round < 6; round++) {
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

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { createPolledFixture } from '../cli-fixture.js'

/** A synced database with idle runs, one an hour, that ended before the present of the fixture. */
async function prunableFixture(more = '') {
  const fixture = await createPolledFixture({ autoClose: 'off', more })
  const path = join(fixture.folder, 'data/quotekeeper.db')
  const db = new Database(path)
  const insert = db.prepare(
    `insert into runs (channel, kind, started_at, finished_at, outcome, holder)
    values ('acme/forest', 'rfqs', ?, ?, 'complete', '{}')`,
  )
  db.transaction(() => {
    for (let hour = 0; hour < 24 * 60; hour++) {
      const at = new Date(Date.parse('2025-12-01T00:00:00.000Z') + hour * 3_600_000).toISOString()
      insert.run(at, at)
    }
  })()
  db.close()
  const count = () => {
    const reader = new Database(path, { readonly: true })
    const runs = reader.prepare('select count(*) from runs').pluck().get() as number
    reader.close()
    return runs
  }
  return { ...fixture, path, count }
}

describe('quotekeeper prune', () => {
  it('deletes old idle runs, and nothing if the configuration keeps everything', async () => {
    const keep = await prunableFixture('history: { keepDays: null }\n')
    const before = keep.count()
    expect(JSON.parse((await keep.quotekeeper('prune', '--json')).out)).toEqual({ runs: 0, events: 0 })
    expect(keep.count()).toBe(before)
    const { quotekeeper, count } = await prunableFixture('history: { keepDays: 60 }\n')
    expect((await quotekeeper('prune')).out).toContain('946 idle runs')
    expect(count()).toBe(before - 946)
  })

  it('is done by start', async () => {
    const { quotekeeperWith, count, path } = await prunableFixture('web: { port: 0 }\nhistory: { keepDays: 1 }\n')
    const stop = new AbortController()
    const running = quotekeeperWith({ stop: stop.signal }, 'start')
    const reader = new Database(path, { readonly: true })
    const pruned = reader.prepare("select value ->> 'error' is null from meta where key = 'maintenance prune'").pluck()
    await eventually(() => expect(pruned.get()).toBe(1))
    reader.close()
    expect(count()).toBeLessThan(500)
    stop.abort(new Error('stopped'))
    expect((await running).out).toContain('prune done')
  })
})

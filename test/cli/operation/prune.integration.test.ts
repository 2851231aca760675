import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/store/sqlite/store.js'
import { eventually } from '../../helpers/eventually.js'
import { createPolledFixture } from '../cli-fixture.js'

/** A synced database with idle runs, one an hour, that ended before the present of the fixture. */
async function prunableFixture(more = '') {
  const fixture = await createPolledFixture({ autoClose: 'off', more })
  const path = join(fixture.folder, 'data/quotekeeper.db')
  const db = new Database(path)
  const insert = db.prepare(
    `insert into runs (channel, kind, started_at, finished_at, outcome, error, holder, lease_until)
    values ('acme/forest', 'rfqs', ?, ?, 'complete', ?, '{}', '')`,
  )
  db.transaction(() => {
    for (let hour = 0; hour < 24 * 60; hour++) {
      const at = new Date(Date.parse('2025-12-01T00:00:00.000Z') + hour * 3_600_000).toISOString()
      insert.run(at, at, 'x'.repeat(500))
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
  it('shows with --dry-run what it then removes, and runs shows what is left', async () => {
    const { quotekeeper, count } = await prunableFixture()
    const before = count()
    const dry = await quotekeeper('prune', '--dry-run', '--json')
    const foretold = JSON.parse(dry.out)
    expect(foretold).toMatchObject({ dryRun: true, runs: { rows: 1284 }, plans: { rows: 0, bytes: 0 } })
    expect(foretold.runs.bytes / foretold.runs.rows).toBeGreaterThan(500)
    expect(count()).toBe(before)
    expect(await quotekeeper('prune', '--dry-run')).toMatchObject({
      status: 0,
      out: expect.stringMatching(/idle runs folded into one row per day +1284 +\d\.\d MB/),
      err: 'Nothing was changed.\n',
    })
    const pruned = await quotekeeper('prune')
    expect(pruned.out).toMatch(/ 1284 /)
    expect(pruned.err).toContain('--compact')
    expect(count()).toBe(before - foretold.runs.rows)
    expect(await quotekeeper('prune')).toMatchObject({
      out: expect.stringMatching(/ 0 +0\.0 kB/),
      err: 'There was nothing to remove.\n',
    })
    expect((await quotekeeper('check')).out).toMatch(/quotekeeper\.db: ok, \d\.\d MB \(\d\.\d MB unused\)/)
    expect((await quotekeeper('prune', '--compact')).err).toMatch(/^Compacted .*\.\n$/)
    const { out } = await quotekeeper('runs', '--kind', 'rfqs', '--limit', '200')
    expect(out).toContain('complete (24 runs, nothing changed)')
    const [folded] = JSON.parse((await quotekeeper('runs', '--limit', '200', '--json')).out).filter(
      ({ times }: { times: number }) => times > 1,
    )
    expect(folded).toMatchObject({ times: expect.any(Number), inserted: 0, changed: 0 })
  })

  it('compacts the file only while no other process uses it', async () => {
    const { quotekeeper, path, count } = await prunableFixture()
    const other = await openStore({ path })
    const before = count()
    const refused = await quotekeeper('prune', '--compact')
    expect(refused).toMatchObject({ status: 1, out: expect.stringMatching(/ 1284 +\d/) })
    expect(refused.err).toMatch(
      /: the rows above were removed, but the file was not made smaller: .* in use by .* The file was not compacted\. Stop it/,
    )
    expect(count()).toBe(before - 1284)
    const again = await quotekeeper('prune', '--compact', '--json')
    expect(JSON.parse(again.out)).toMatchObject({ runs: { rows: 0 }, compacted: null })
    expect(again).toMatchObject({
      status: 1,
      err: expect.stringMatching(/: there was nothing to remove, but .*in use/),
    })
    await other.close()
    const [size, runs] = [statSync(path).size, count()]
    expect(await quotekeeper('prune', '--compact')).toMatchObject({
      status: 0,
      err: expect.stringContaining('Compacted'),
    })
    expect(statSync(path).size).toBeLessThan(size * 0.8)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(count()).toBe(runs)
    expect(await quotekeeper('prune', '--compact', '--dry-run')).toMatchObject({ status: 2 })
  })

  it('keeps everything if the configuration says so, and is run by start otherwise', async () => {
    const keep = await prunableFixture('history: { keepRunsDays: null }\n')
    const before = keep.count()
    await keep.quotekeeper('prune')
    expect(keep.count()).toBe(before)
    const { quotekeeperWith, count, path } = await prunableFixture('web: { port: 0 }\n')
    const stop = new AbortController()
    const running = quotekeeperWith({ stop: stop.signal }, 'start')
    const reader = new Database(path, { readonly: true })
    const pruned = reader.prepare("select succeeded_at from maintenance where task = 'prune'").pluck()
    await eventually(() => expect(pruned.get()).toEqual(expect.any(String)))
    reader.close()
    expect(count()).toBeLessThan(500)
    stop.abort(new Error('stopped'))
    expect((await running).out).toContain('prune done')
  })
})

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { carryOverClosings } from '../../src/store/carry-over.js'
import { migrations } from '../../src/store/migrations.js'
import { openStore } from '../../src/store/store.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { testFolder } from '../helpers/test-folder.js'

/** A database of the first schema, with the rows of another one. */
function firstSchemaCopy(from: string): string {
  const path = join(testFolder(), 'first-schema.db')
  const db = new Database(path)
  db.exec('create table migrations (number integer primary key, name text not null, applied_at text not null) strict')
  db.exec(migrations[0]?.sql ?? '')
  db.pragma(`application_id = ${0x514b7072}`)
  db.pragma('user_version = 1')
  db.exec(`attach '${from}' as source`)
  for (const table of ['runs', 'entities', 'versions', 'close_decisions', 'close_intents']) {
    const columns = (db.pragma(`main.table_info(${table})`) as { name: string }[]).map(({ name }) => name).join(', ')
    db.exec(`insert into main.${table} (${columns}) select ${columns} from source.${table}`)
  }
  db.close()
  return path
}

it('decisions of the first schema keep a valid hash chain after migration, and are repeated and carried over', async () => {
  const fixture = await openChannelFixture()
  fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
  fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '0001-01-01' })
  fixture.sandbox.faults.add({ operation: 'closeRfq', times: 9, effect: { kind: 'status', status: 400 } })
  await fixture.pollRfqs()
  await fixture.closeExpired()
  const old = firstSchemaCopy(fixture.store.name)
  fixture.advanceSeconds(24 * 3600)
  await fixture.closeExpired({ retry: [], approvedBy: 'anna' })
  await fixture.closeExpired()
  const decisions = await fixture.store.decisions({})
  await fixture.store.stopClosing({ by: 'anna', reason: 'wrong prices', now: fixture.now() })
  expect(await carryOverClosings(old, fixture.store.name)).toEqual({ decisions: decisions.length - 2, intents: 1 })
  const migrated = await openStore({ path: old, clock: fixture.now })
  onTestFinished(() => migrated.close())
  expect(await migrated.closingStop()).toMatchObject({ by: 'anna', reason: 'wrong prices' })
  expect(await migrated.verifyDecisions()).toMatchObject({ decisions: decisions.length, brokenAt: null })
  expect((await migrated.decisions({})).map(({ hash, approvedBy }) => [hash, approvedBy])).toEqual(
    decisions.map(({ hash, approvedBy }) => [hash, approvedBy]),
  )
  expect(fixture.posts()).toHaveLength(2)
})

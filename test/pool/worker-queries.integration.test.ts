import { describe, expect, it, onTestFinished } from 'vitest'
import { createQueries } from '../../src/pool/queries.js'
import { createWorkerPool } from '../../src/pool/worker-pool.js'
import { viewConfigOf } from '../../src/views/source.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { longIt } from '../helpers/long-tests.js'
import { databaseOf } from '../helpers/store/store-engine.js'
import { testConfig } from '../helpers/test-config.js'

const script = new URL('../../dist/src/pool/worker.js', import.meta.url)
const config = viewConfigOf(testConfig())

function openQueries(database: string) {
  const { queries, close } = createWorkerPool({ script, size: 2, database, config })
  onTestFinished(close)
  return queries
}

describe('queries of the database in workers', () => {
  it('return what the queries return here, and see every commit', async () => {
    const fixture = await openChannelFixture({ rfqs: 3, responsesPerRfq: 2 })
    const { store, now } = fixture
    const queries = openQueries(databaseOf(store))
    const here = createQueries(store, config)
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(3600)
      fixture.sandbox.world.addRfq({ org: 'acme', channel: 'forest' })
      await fixture.pollRfqs()
      const search = { now: now(), page: { from: 0, to: 100 }, figures: true }
      const { items, total } = await queries.rfqs(search)
      expect(total).toBe(4 + round)
      expect(items).toEqual((await here.rfqs(search)).items)
      expect(await queries.pulse()).toBe(await here.pulse())
    }
  })

  longIt('fail with the message of the error; the next ones do not', async () => {
    const { store } = await openChannelFixture()
    const queries = openQueries(databaseOf(store))
    await expect(queries.changes({ before: 'no cursor', limit: 1 })).rejects.toThrow(/cursor/)
    expect(await queries.freshness()).toMatchObject([{ channel: KEY }])
    await expect(openQueries('/nowhere/at-all.db').freshness()).rejects.toThrow('Cannot open database')
  })
})

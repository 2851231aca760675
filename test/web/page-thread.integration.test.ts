import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { queryInThread } from '../../src/pool/page-client.js'
import { createThreadQueries } from '../../src/pool/thread-queries.js'
import { apiConfigOf } from '../../src/views/api-queries.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { longIt } from '../helpers/long-tests.js'
import { databaseOf } from '../helpers/store-engine.js'
import { testConfig } from '../helpers/test-config.js'

const SCRIPT = new URL('../../dist/src/pool/page-thread.js', import.meta.url)
const config = apiConfigOf(testConfig())

describe('the thread that reads pages', () => {
  it('returns what the queries return here, sees every commit, and is replaced after it died', async () => {
    const fixture = await openChannelFixture({ rfqs: 3, responsesPerRfq: 2 })
    const { store, now } = fixture
    const { queries, close } = queryInThread(SCRIPT, { database: databaseOf(store), config })
    onTestFinished(close)
    const here = createThreadQueries(store, config)
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(3600)
      fixture.sandbox.world.addRfq({ org: 'acme', channel: 'forest' })
      await fixture.pollRfqs()
      const search = { now: now(), from: 0, to: 100 }
      const { rows, total } = await queries.rfqs(search)
      expect(total).toBe(4 + round)
      expect(rows).toEqual((await here.rfqs(search)).rows)
      expect(await queries.pulse()).toBe(await here.pulse())
    }
    await close()
    expect((await queries.rfqs({ now: now(), from: 0, to: 1 })).total).toBe(9)
  })

  longIt('rejects a failed query with its message, and goes on', async () => {
    const { store } = await openChannelFixture()
    const { queries, close } = queryInThread(SCRIPT, { database: databaseOf(store), config })
    onTestFinished(close)
    await expect(queries.changes({ before: 'no cursor', limit: 1 })).rejects.toThrow(/cursor/)
    expect(await queries.freshness()).toMatchObject([{ channel: KEY }])
    const missing = queryInThread(SCRIPT, { database: '/nowhere/at-all.db', config })
    onTestFinished(missing.close)
    await expect(missing.queries.freshness()).rejects.toThrow('Cannot open database')
  })

  it('is kept after a query that cannot be sent to it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const script = `
      import { parentPort, threadId } from 'node:worker_threads'
      parentPort.on('message', ({ id }) => parentPort.postMessage({ id, result: threadId }))`
    const { queries, close } = queryInThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
      database: '',
      config,
    })
    onTestFinished(close)
    const thread = await queries.pulse()
    const unsendable = { channel: KEY, limit: (() => 1) as never }
    await expect(queries.runs(unsendable)).rejects.toThrow('could not be cloned')
    vi.advanceTimersByTime(600_000)
    expect(await queries.pulse()).toBe(thread)
  })
})

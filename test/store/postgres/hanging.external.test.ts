import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

const COUNT = 12
/** The time-out of a query, that of a new connection, and some more on a busy machine. */
const MAX_HANG_MS = 40_000

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that does not answer', () => {
  it('behind a cut network, for longer than leases last: another process takes over, and the first one writes nothing more', async () => {
    const network = await TcpForwarder.start(server.port)
    onTestFinished(() => network.close())
    const fixture = await openChannelFixture({ time: '2026-11-22T12:00:00Z' })
    for (let index = 0; index < COUNT; index++) {
      const rfq = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
      fixture.sandbox.world.addResponse(rfq.id)
    }
    const url = `${server.url}?schema=cut`
    await fixture.reopenStore(url.replace(`:${server.port}/`, `:${network.port}/`))
    await fixture.pollRfqs()
    const round = fixture.closeExpired({ maxPerRun: 100 }).catch((error: unknown) => error)
    await expect.poll(() => fixture.posts().length, { interval: 1 }).toBeGreaterThanOrEqual(2)
    network.cut()
    const sent = fixture.posts().length
    expect(await round).toBeInstanceOf(StoreError)
    // One whose reply was on its way at most.
    expect(fixture.posts().length).toBeLessThanOrEqual(sent + 1)

    fixture.advanceSeconds(60)
    const other = await openPostgresStore({ url, clock: fixture.now, connections: 2 })
    onTestFinished(() => other.close())
    const run = await other.beginRun({ channel: 'acme/forest', kind: 'close', now: fixture.now() })
    const recorded = async () => [await other.decisions({}), await other.openIntents('acme/forest')]
    const before = await recorded()
    network.mend()
    await wait(300)
    // What had been sent into the cut network arrives, and is refused.
    expect(await recorded()).toEqual(before)
    await run.finish({ outcome: 'failed', error: 'test', ...NO_COUNTS }, fixture.now())

    fixture.advanceSeconds(600)
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    expect((await fixture.closeExpired({ maxPerRun: 100 })).run.outcome).toBe('complete')
    const posts = fixture.posts().map(({ rfqId }) => rfqId)
    expect([posts.length, new Set(posts).size]).toEqual([COUNT, COUNT])
    expect(await fixture.store.openIntents('acme/forest')).toEqual([])
    expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
  })

  it('because its processes are suspended: reads and writes fail, and work again when it resumes', async () => {
    const store = await openPostgresStore({ url: `${server.url}?schema=suspended`, connections: 4 })
    onTestFinished(() => store.close())
    const begun = await store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: new Date() })
    await server.signal('SIGSTOP')
    try {
      const began = performance.now()
      const reads = [store.runs({}), store.rfqs({})].map((read) =>
        expect(read).rejects.toThrow(/does not answer|cannot be reached|in use for too long/),
      )
      const end = { outcome: 'complete' as const, error: null, ...NO_COUNTS }
      await Promise.all([...reads, expect(begun.finish(end, new Date())).rejects.toThrow(StoreError)])
      expect(performance.now() - began).toBeLessThan(MAX_HANG_MS)
    } finally {
      await server.signal('SIGCONT')
    }
    expect(await store.checkWritable()).toMatchObject({ ok: true })
    expect(await store.runs({})).toHaveLength(1)
  })
})

const NO_COUNTS = { requests: 0, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }

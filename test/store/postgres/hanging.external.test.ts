import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import {
  afterRequests,
  expectClosed,
  NO_COUNTS,
  openOutageFixture,
  PAST_DUE,
} from '../../helpers/servers/outage-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'
import { holdingRun } from '../../helpers/store/holding-run.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

/** The time-out of a query, that of a new connection, and some more on a busy machine. */
const MAX_HANG_MS = 30_000

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that does not answer', () => {
  it('behind a cut network, for longer than leases last: another process takes over, and the first one writes nothing more', async () => {
    const network = await TcpForwarder.start(server.port)
    onTestFinished(() => network.close())
    const url = `${server.url}?schema=cut`
    const fixture = await openOutageFixture(url.replace(`:${server.port}/`, `:${network.port}/`), PAST_DUE)
    await fixture.pollRfqs()
    const round = fixture.closeExpired({ maxPerRun: 100 }).catch((error: unknown) => error)
    await afterRequests(fixture, 2, 'closeRfq')
    network.cut()
    const sent = fixture.posts().length
    expect(await round).toBeInstanceOf(StoreError)
    // One whose reply was on its way at most.
    expect(fixture.posts().length).toBeLessThanOrEqual(sent + 1)

    fixture.advanceSeconds(60)
    const other = await openPostgresStore({ url, clock: fixture.now, connections: 2 })
    onTestFinished(() => other.close())
    const run = await holdingRun(other, { channel: 'acme/forest', kind: 'close', now: fixture.now() })
    const recorded = async () => [await other.decisions({}), await other.openIntents('acme/forest')]
    const before = await recorded()
    network.mend()
    await wait(300)
    // What had been sent into the cut network arrives, and is refused.
    expect(await recorded()).toEqual(before)
    await run.finish({ outcome: 'failed', error: 'test', ...NO_COUNTS }, fixture.now())

    await expectClosed(fixture)
  })

  it('because its processes are suspended: reads and writes fail, and work again when it resumes', async () => {
    const store = await openPostgresStore({ url: `${server.url}?schema=suspended`, connections: 4 })
    onTestFinished(() => store.close())
    const begun = await holdingRun(store, { channel: 'acme/forest', kind: 'rfqs', now: new Date() })
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

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { EventData } from '../../src/core/events/events.js'
import type { Store } from '../../src/store/contract.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { eventually } from '../helpers/eventually.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { offers, recordPoll } from '../helpers/store/record-poll.js'
import { httpReceiver, notifications, webhook } from '../notify/feed-fixture.js'
import { fault, longFaultUnless } from './fault-test.js'

const KNOWN = `select (select count(*) from documents where kind = 'rfq') as rfqs,
  (select count(*) from documents where kind = 'response') as offers`

longFaultUnless(null)(
  'kill -9 of a poll before its events are delivered',
  'no event is lost, and none tells of what was not recorded',
  async () => {
    const fixture = await openProcessFixture({ rfqs: 60 })
    const server = await httpReceiver()
    const later = () => new Date(Date.now() + 60_000)
    type Use = (service: Awaited<ReturnType<typeof notifications>>, store: Store) => Promise<void>
    const withService = async (use: Use) => {
      const store = await openStore({ path: fixture.database })
      try {
        await use(await notifications(store, [webhook(server.url)], { now: later }), store)
      } finally {
        await store.close()
      }
    }
    await withService(async () => undefined)
    const poll = fixture.start(['sync', '--only', 'rfqs'])
    const recorded = () => (fixture.sql(KNOWN) ?? []) as { rfqs: number; offers: number }[]
    await eventually(() => expect(recorded()[0]?.rfqs).toBeGreaterThan(4))
    poll.signal('SIGKILL')
    expect(await poll.ended).toBe('SIGKILL')
    const [known] = recorded()
    expect(known?.rfqs).toBeLessThan(60)
    await withService(async (service, store) => {
      await service.deliver()
      // The first poll goes on until one ends well.
      for (const outcome of ['failed', 'failed', 'partial'] as const) {
        const next = await store.beginRun({ channel: KEY, kind: 'rfqs', now: later() })
        await service.deliver()
        expect(server.requests).toEqual([])
        const none = { requests: 1, seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
        await next.finish({ ...none, outcome, error: 'refused' }, later())
      }
      await service.deliver()
    })
    const events = server.accepted.flatMap(({ body }) => JSON.parse(body).events as { data: EventData }[])
    expect(events.map(({ data }) => data.found)).toEqual([expect.objectContaining({ offers: known?.offers })])
  },
)

fault(
  'a notification target that does not answer',
  'polls and other targets do not wait, and what was being sent is sent again after a restart',
  async () => {
    const ids: unknown[] = []
    let hangs = true
    const server = createServer((request, response) => {
      ids.push(request.headers['webhook-id'])
      if (!hangs) response.writeHead(204).end()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const alive = await httpReceiver()
    const hanging = webhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, 'hanging')
    const targets = [hanging, webhook(alive.url, 'alive')]

    const fixture = await openChannelFixture()
    const service = await notifications(fixture.store, targets, { now: fixture.now })
    await recordPoll(fixture, [offers(1)])
    const delivering = service.deliver()
    await eventually(() => expect(ids).toHaveLength(1))
    for (let round = 0; round < 6; round++) {
      await recordPoll(fixture, [offers(round + 2)])
      void service.deliver()
      await eventually(() => expect(alive.accepted).toHaveLength(round + 2))
    }
    expect(ids).toHaveLength(1)
    await service.stop()
    await delivering
    hangs = false
    const again = await notifications(await fixture.reopenStore(), targets, { now: fixture.now })
    await again.deliver()
    // The page has more events by now.
    expect(ids).toHaveLength(2)
    expect(await fixture.store.targetStates()).toMatchObject([{ waiting: 0 }, { waiting: 0 }])
  },
)

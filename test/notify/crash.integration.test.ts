import { expect, it } from 'vitest'
import { openStore } from '../../src/store/store.js'
import { eventually } from '../helpers/eventually.js'
import { openProcessFixture } from '../helpers/process-fixture.js'
import { httpReceiver, notifications, SECRET } from './outbox-fixture.js'

const KNOWN = `select (select count(*) from entities where kind = 'rfq') as rfqs,
  (select count(*) from entities where kind = 'response') as offers`

it('a poll killed with kill -9 between observation and delivery loses no event, and tells of nothing that was not recorded', async () => {
  const fixture = await openProcessFixture({ rfqs: 120 })
  const server = await httpReceiver()
  const target = { name: 'crm', type: 'webhook' as const, url: server.url, secret: SECRET }
  const later = () => new Date(Date.now() + 60_000)
  const withService = async (use: (service: Awaited<ReturnType<typeof notifications>>) => Promise<void>) => {
    const store = await openStore({ path: fixture.database })
    try {
      await use(await notifications(store, [target], { now: later }))
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
  expect(known?.rfqs).toBeLessThan(120)
  await withService(async (service) => {
    for (let round = 0; round < 6; round++) await service.deliver()
  })
  expect(server.accepted.map(({ body }) => JSON.parse(body).data.found)).toEqual([expect.objectContaining(known ?? {})])
})

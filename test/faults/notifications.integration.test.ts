import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openChannelFixture } from '../helpers/channel-fixture.js'
import { eventually } from '../helpers/eventually.js'
import { httpReceiver } from '../helpers/servers/http-receiver.js'
import { offers, recordPoll } from '../helpers/store/record-poll.js'
import { notifications, webhook } from '../notify/feed-fixture.js'

it('a notification target that does not answer: polls and other targets do not wait, and what was being sent is sent again after a restart', async () => {
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
})

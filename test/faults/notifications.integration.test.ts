import { expect, it } from 'vitest'
import { openChannelFixture } from '../helpers/channel-fixture.js'
import { eventually } from '../helpers/eventually.js'
import { httpReceiver } from '../helpers/servers/http-receiver.js'
import { offers, recordPoll } from '../helpers/store/record-poll.js'
import { serve } from '../marketplace/server.js'
import { notifications, webhook } from '../notify/feed-fixture.js'

it('a notification target that does not answer: polls and other targets do not wait, and what was being sent is sent again after a restart', async () => {
  let hangs = true
  const server = await serve((_, response) => {
    if (!hangs) response.writeHead(204).end()
  })
  const alive = await httpReceiver()
  const hanging = webhook(server.url, 'hanging')
  const targets = [hanging, webhook(alive.url, 'alive')]

  const fixture = await openChannelFixture()
  const service = await notifications(fixture.store, targets, { now: fixture.now })
  await recordPoll(fixture, [offers(1)])
  const delivering = service.deliver()
  await eventually(() => expect(server.requests).toHaveLength(1))
  for (let round = 0; round < 6; round++) {
    await recordPoll(fixture, [offers(round + 2)])
    void service.deliver()
    await eventually(() => expect(alive.accepted).toHaveLength(round + 2))
  }
  expect(server.requests).toHaveLength(1)
  await service.stop()
  await delivering
  hangs = false
  const again = await notifications(await fixture.reopenStore(), targets, { now: fixture.now })
  await again.deliver()
  // The page has more events by now.
  expect(server.requests).toHaveLength(2)
  expect(await fixture.store.targetStates()).toMatchObject([{ waiting: 0 }, { waiting: 0 }])
})

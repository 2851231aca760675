import { describe, expect, it } from 'vitest'
import type { EventKind } from '../../src/core/events/events.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { channelConfig, testConfig } from '../helpers/test-config.js'
import { notifications } from './feed-fixture.js'

/** A channel whose RFQs and polls the service watches. */
async function watchedChannel(autoClose: 'on' | 'off' = 'off') {
  const fixture = await openChannelFixture({ time: '2026-11-21T11:00:00.000Z' })
  const channels = [channelConfig('acme/forest', { timeZone: 'Europe/Paris', autoClose })]
  const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
  const config = testConfig({ channels, schedule })
  const service = () => notifications(fixture.store, [], { config, now: fixture.now })
  const events = async (...kinds: EventKind[]) => (await fixture.store.events({ after: 0, kinds, limit: 1_000 })).items
  return { fixture, world: fixture.sandbox.world, service, events }
}

describe('due dates', () => {
  it('are told once for each RFQ and due date, in the time zone of the channel, over days and restarts', async () => {
    const { fixture, world, service, events } = await watchedChannel()
    const { id } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-25' })
    for (const placeholder of ['0001-01-01', '1970-01-01', '2026-02-30'])
      world.changeRfq(world.addRfq(CHANNEL).id, { responseDueDate: placeholder } as never)
    await fixture.pollRfqs()
    let watching = await service()
    for (let hour = 0; hour < 24 * 6; hour += 6) {
      if (hour % 24 === 0) {
        await fixture.reopenStore()
        watching = await service()
      }
      await watching.watch()
      fixture.advanceSeconds(6 * 3600)
    }
    const told = (await events('rfq.due-soon', 'rfq.overdue')).map(({ kind, at }) => `${kind} ${at.slice(0, 13)}`)
    // Three days before the 25th begins, and when it has ended, in Paris.
    expect(told).toEqual(['rfq.due-soon 2026-11-21T23', 'rfq.overdue 2026-11-25T23'])
    world.changeRfq(id, { responseDueDate: '2026-11-30' })
    await fixture.pollRfqs()
    await watching.watch()
    await watching.watch()
    expect(await events('rfq.due-soon')).toHaveLength(2)
  })

  it('are an event for each RFQ, and those that are closed automatically are overdue only after an hour', async () => {
    const { fixture, world, service, events } = await watchedChannel('on')
    for (let count = 0; count < 25; count++) world.addRfq(CHANNEL, { responseDueDate: '2026-11-22' })
    await fixture.pollRfqs()
    const watching = await service()
    for (let round = 0; round < ROUNDS; round++) await watching.watch()
    expect(new Set((await events('rfq.due-soon')).map(({ rfqId }) => rfqId)).size).toBe(25)
    fixture.setTime('2026-11-22T23:40:00.000Z')
    await watching.watch()
    expect(await events('rfq.overdue')).toEqual([])
    fixture.setTime('2026-11-23T00:40:00.000Z')
    await watching.watch()
    expect(await events('rfq.overdue')).toHaveLength(25)
  })
})

describe('pruning', () => {
  it('brings no due date back, also if events are kept shorter than it is near', async () => {
    const { fixture, world, service, events } = await watchedChannel()
    world.addRfq(CHANNEL, { responseDueDate: '2026-11-24' })
    await fixture.pollRfqs()
    const counts: number[][] = []
    for (let day = 0; day < 7; day++) {
      await (await service()).watch()
      counts.push(
        await Promise.all((['rfq.due-soon', 'rfq.overdue'] as const).map(async (kind) => (await events(kind)).length)),
      )
      fixture.advanceSeconds(24 * 3600)
      await fixture.store.prune({ before: fixture.now() })
    }
    expect(counts).toEqual([...[0, 1, 2, 3].map(() => [1, 0]), ...[4, 5, 6].map(() => [1, 1])])
  })
})

describe('a channel that is behind', () => {
  it('is told once until it was polled completely again', async () => {
    const { fixture, service, events } = await watchedChannel()
    await fixture.pollRfqs()
    const watching = await service()
    for (let outage = 1; outage <= 2; outage++) {
      for (let round = 0; round < 8; round++) {
        fixture.advanceSeconds(300)
        await watching.watch()
        if (round === 1) expect(await events('channel.behind')).toHaveLength(outage - 1)
      }
      expect(await events('channel.behind')).toHaveLength(outage)
      await fixture.pollRfqs()
    }
  })
})

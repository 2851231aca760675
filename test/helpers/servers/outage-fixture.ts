import { expect } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../channel-fixture.js'

/** How many RFQs the channel has, each with one offer. */
export const COUNT = 12

/** A channel of RFQs past due whose store is on a PostgreSQL that the test disturbs. */
export async function openOutageFixture(url: string): Promise<ChannelFixture> {
  const fixture = await openChannelFixture({ time: '2026-11-22T12:00:00Z' })
  for (let index = 0; index < COUNT; index++) {
    const rfq = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
    fixture.sandbox.world.addResponse(rfq.id)
  }
  await fixture.reopenStore(url)
  return fixture
}

/** Waits until the marketplace got so many closes. */
export const afterCloses = (fixture: ChannelFixture, count: number): Promise<void> =>
  expect.poll(() => fixture.posts().length, { interval: 1 }).toBeGreaterThanOrEqual(count)

/** A poll and a closing round later everything is known and closed, each RFQ by one POST. */
export async function expectClosed(fixture: ChannelFixture): Promise<void> {
  fixture.advanceSeconds(600)
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  expect((await fixture.closeExpired({ maxPerRun: 100 })).run.outcome).toBe('complete')
  const rfqs = await fixture.store.rfqs({})
  expect(rfqs.map(({ responses }) => responses.length)).toEqual(Array(COUNT).fill(1))
  expect(new Set(rfqs.map(({ rfq }) => (rfq.body as { state: string }).state))).toEqual(new Set(['closed']))
  const posts = fixture.posts().map(({ rfqId }) => rfqId)
  expect([posts.length, new Set(posts).size]).toEqual([COUNT, COUNT])
  expect(await fixture.store.openIntents(KEY)).toEqual([])
  expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
}

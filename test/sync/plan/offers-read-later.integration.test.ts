import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { plannedPoll } from '../../helpers/planned-poll.js'

/** Four RFQs with four offers each, past due; the offers were submitted before that and before the first poll. */
async function openPastDue() {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const rfqs = Array.from({ length: 4 }, () => world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' }).id)
  const submittedAt = '2026-11-19T08:00:00.000Z'
  const add = (rfqId: string) => world.addResponse(rfqId, { submittedAt }).id
  const offers = rfqs.flatMap((rfqId) => Array.from({ length: 4 }, () => add(rfqId)))
  return { fixture, world, rfqs, offers }
}

/** With requests for a few documents only. */
const poll = (fixture: ChannelFixture, budget = 5) =>
  plannedPoll(fixture, { budget, offersMaxAgeMinutes: 600, urgentHours: 0 })

const eventsOf = async ({ store }: ChannelFixture) => (await store.events({ after: 0, limit: 100 })).items

/** Polls until every offer is stored in full. */
async function pollUntilRead(fixture: ChannelFixture, count: number) {
  let rounds = 0
  for (let read = 0; read < count; rounds++) {
    expect(rounds).toBeLessThan(30)
    await poll(fixture)
    if (rounds === 3) await fixture.reopenStore()
    const rfqs = await fixture.store.rfqs({})
    read = rfqs.flatMap(({ responses }) => responses).filter(({ shape }) => shape === 'full').length
  }
  return rounds
}

describe('offers that are read in a later poll than the one that listed them', () => {
  it('are neither new nor late when they are read if the first poll listed them', async () => {
    const { fixture, world, offers } = await openPastDue()
    await poll(fixture)
    const found = { rfqs: 4, offers: 4, problems: 0 }
    const first = await eventsOf(fixture)
    expect(first).toMatchObject([{ kind: 'channel.first-poll', data: { found } }])
    expect(await pollUntilRead(fixture, offers.length)).toBeGreaterThanOrEqual(5)
    expect(await eventsOf(fixture)).toEqual(first)
    const next = world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' }).id
    const ofNew = [1, 2].map(() => world.addResponse(next, { submittedAt: fixture.now().toISOString() }).id)
    const inTime = world.addResponse(next, { submittedAt: '2026-11-20T23:00:00.000Z' }).id
    await poll(fixture, 1)
    await pollUntilRead(fixture, offers.length + 3)
    for (let round = 0; round < ROUNDS; round++) await poll(fixture)
    const kinds = (await eventsOf(fixture)).slice(first.length).map(({ kind, offerId }) => [kind, offerId])
    expect(kinds[0]).toEqual(['rfq.new', null])
    expect(kinds.slice(1).sort()).toEqual([...ofNew.map((id) => ['offer.late', id]).sort(), ['offer.new', inTime]])
  })
})

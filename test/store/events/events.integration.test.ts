import { describe, expect, it } from 'vitest'
import type { EventRecord } from '../../../src/core/events/events.js'
import { pollRfqs } from '../../../src/sync/poll-rfqs.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { offers, recordPoll } from '../../helpers/store/record-poll.js'

/** The events written since the last call. */
function eventLog(fixture: ChannelFixture) {
  let after = 0
  return async () => {
    const { items, next } = await fixture.store.events({ after, limit: 1_000 })
    after = next
    return items
  }
}

/** A channel with one open RFQ, due on 30 November, and one offer, polled once. */
async function polledChannel() {
  const fixture = await openChannelFixture({ time: '2026-11-21T12:00:00.000Z' })
  const { world } = fixture.sandbox
  const { id: rfqId } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-30' })
  const { id: offerId } = world.addResponse(rfqId)
  const events = eventLog(fixture)
  await fixture.pollListings()
  await fixture.pollRfqs()
  const poll = async () => {
    fixture.advanceSeconds(300)
    await fixture.pollRfqs()
    return events()
  }
  return { ...fixture, fixture, world, rfqId, offerId, events, poll }
}

const kinds = (events: readonly EventRecord[]) => events.map(({ kind }) => kind)

describe('events of polls', () => {
  it('are one event for the first poll of a channel, and none for six polls without changes', async () => {
    const { events, poll } = await polledChannel()
    const [first, ...others] = await events()
    expect(others).toEqual([])
    expect(first).toMatchObject({ kind: 'channel.first-poll', data: { found: { rfqs: 1, offers: 1, problems: 0 } } })
    for (let round = 0; round < 6; round++) expect(await poll()).toEqual([])
  })

  it('report new, changed and withdrawn offers and RFQs once, with the changed fields', async () => {
    const { world, rfqId, offerId, events, poll } = await polledChannel()
    await events()
    const { id: second } = world.addResponse(rfqId)
    const [added, ...others] = await poll()
    expect(others).toEqual([])
    expect(added).toMatchObject({ kind: 'offer.new', rfqId, offerId: second })
    expect(added?.data).toMatchObject({ rfq: { id: rfqId, responseDueDate: '2026-11-30' }, offer: { id: second } })

    world.changeResponse(offerId, { offer: { totalPrice: 4242 } })
    world.changeRfq(rfqId, { title: 'Another title' })
    const changed = await poll()
    expect(kinds(changed)).toEqual(['rfq.changed', 'offer.changed'])
    expect(changed[0]?.data.changes).toContainEqual(expect.objectContaining({ field: 'title', after: 'Another title' }))
    expect(changed[1]?.data.changes).toEqual([expect.objectContaining({ field: 'offer.totalPrice', after: 4242 })])

    world.removeResponse(second)
    const [withdrawn, ...none] = await poll()
    expect(none).toEqual([])
    expect(withdrawn).toMatchObject({ kind: 'offer.withdrawn', offerId: second, data: { offer: { id: second } } })
    expect(await poll()).toEqual([])

    const { id: another } = world.addRfq(CHANNEL, { responseDueDate: '2026-12-01' })
    expect(kinds(await poll())).toEqual(['rfq.new'])
    world.removeRfq(another)
    expect(await poll()).toEqual([expect.objectContaining({ kind: 'rfq.changed', rfqId: another })])
    expect(await poll()).toEqual([])
  })

  it('report an offer after the due date in the time zone of the channel as late', async () => {
    const { fixture, world, rfqId, events } = await polledChannel()
    await events()
    const pollAt = async (time: string, timeZone: string) => {
      fixture.setTime(time)
      world.addResponse(rfqId)
      const { store, now } = fixture
      const context = { session: fixture.session(), store, now, timeZone }
      await pollRfqs(context, { recheckClosedHours: 24, concurrency: 2 })
      return kinds(await events())
    }
    expect(await pollAt('2026-11-30T23:30:00.000Z', 'UTC')).toEqual(['offer.new'])
    expect(await pollAt('2026-11-30T23:40:00.000Z', 'Europe/Paris')).toEqual(['offer.late'])
    expect(await pollAt('2026-12-01T00:10:00.000Z', 'UTC')).toEqual(['offer.late'])
  })

  it('report once that an RFQ was closed, and by whom', async () => {
    const { fixture, world, rfqId, events, poll } = await polledChannel()
    const { id: other } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-30' })
    await poll()
    await events()
    world.closeRfq(other)
    const [elsewhere, ...more] = await poll()
    expect(more).toEqual([])
    expect(elsewhere).toMatchObject({
      kind: 'rfq.closed',
      rfqId: other,
      data: { reason: 'closed on the marketplace' },
    })
    fixture.setTime('2026-12-01T12:00:00.000Z')
    for (let round = 0; round < ROUNDS; round++) await fixture.closeExpired()
    const [closed, ...rest] = [...(await events()), ...(await poll())]
    expect(rest).toEqual([])
    expect(closed).toMatchObject({ kind: 'rfq.closed', rfqId, data: { reason: 'closed by Quotekeeper' } })
  })

  it('report refused and uncertain closes and blocked rounds once, over rounds and restarts', async () => {
    const { fixture, world, rfqId, events } = await polledChannel()
    const { id: other } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-30' })
    await fixture.pollRfqs()
    await events()
    fixture.setTime('2026-12-01T12:00:00.000Z')
    const rounds = async (policy: Parameters<ChannelFixture['closeExpired']>[0]) => {
      for (let round = 0; round < ROUNDS; round++) {
        await fixture.closeExpired(policy)
        if (round % 3 === 2) await fixture.reopenStore()
      }
      return events()
    }
    const [held, ...more] = await rounds({ maxPerRun: 1 })
    expect(more).toEqual([])
    expect(held).toMatchObject({ kind: 'close.blocked', rfqId: null, data: { plan: expect.stringMatching(/^plan-/) } })
    expect(held?.data.remedy).toContain(`--approve ${held?.data.plan}`)
    fixture.always({ operation: 'closeRfq', rfqId }, { kind: 'status', status: 400 })
    fixture.always({ operation: 'closeRfq', rfqId: other }, { kind: 'status', status: 500 })
    const closes = await rounds({})
    expect(closes.map(({ kind, rfqId }) => [kind, rfqId]).sort()).toEqual([
      ['close.refused', rfqId],
      ['close.unknown', other],
    ])
    expect(closes[0]?.data.remedy).toContain('--retry')
  })

  it('report a refused key once until a poll succeeds again', async () => {
    const { fixture, events, poll } = await polledChannel()
    const { faults } = fixture.sandbox
    await events()
    for (let outage = 0; outage < 2; outage++) {
      fixture.always({}, { kind: 'status', status: 401 })
      const said = []
      for (let round = 0; round < ROUNDS; round++) {
        if (round % 3 === 1) await fixture.pollListings()
        said.push(...(await poll()))
      }
      expect(kinds(said)).toEqual(['channel.key-refused'])
      expect(said[0]?.data.reason).toMatch(/401/)
      faults.clear()
      await fixture.pollListings()
      expect(await poll()).toEqual([])
    }
  })
})

it('a first poll that is killed and continued is one event, and each change of a later one is an event with its version', async () => {
  const fixture = await openChannelFixture({ time: '2026-11-21T12:00:00.000Z' })
  const events = eventLog(fixture)
  await recordPoll(fixture, [offers(500)], { dies: true })
  await recordPoll(fixture, [offers(500), offers(100)])
  const found = { rfqs: 2, offers: 600, problems: 0 }
  expect(await events()).toEqual([expect.objectContaining({ kind: 'channel.first-poll', data: { found } })])
  await recordPoll(fixture, [offers(500, 2), offers(100)])
  const changed = await events()
  expect(kinds(changed)).toEqual(Array(500).fill('offer.changed'))
  expect(new Set(changed.map(({ offerId }) => offerId)).size).toBe(500)
  expect(new Set(changed.map(({ version }) => version))).toEqual(new Set([2]))
  expect(changed[0]?.data).toMatchObject({ rfq: { number: 0 }, offer: { projectDeveloperName: 'Green' } })
})

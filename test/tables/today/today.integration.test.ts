import { describe, expect, it } from 'vitest'
import { countWaiting, lastWorkingDay, today } from '../../../src/tables/today/today.js'
import { CHANNEL, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { ASKS_FOR_ANYTHING, offerOf, refreshFigures } from '../../helpers/store/figures.js'
import { refuseEvent } from '../../helpers/store/refuse-event.js'
import { viewSourceOf } from '../../helpers/view-source.js'

const RULES = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const }

describe('today', () => {
  it('has the RFQs that wait for a person, most urgent first, with the one number of them, and none that closed or is placed far ahead', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const add = (number: number, responseDueDate: string) =>
      world.addRfq(CHANNEL, { number, responseDueDate, minVolume: 1_000, maxVolume: 3_000, ...ASKS_FOR_ANYTHING }).id
    const offer = (rfq: string, price: number) =>
      world.addResponse(rfq, { offer: offerOf(price, 1_000), status: 'submitted' }).id
    const soon = add(2, '2026-11-26')
    offer(soon, 20)
    const accepted = offer(add(1, '2026-11-22'), 10)
    offer(add(3, '2027-01-31'), 30)
    add(4, '2026-11-20')
    add(5, '0001-01-01')
    const closed = add(6, '2026-11-22')
    await fixture.pollRfqs()
    world.changeResponse(accepted, { status: 'accepted' })
    world.changeRfq(closed, { state: 'closed' })
    await fixture.pollRfqs()
    await refreshFigures(fixture)
    const source = viewSourceOf(fixture.store, [RULES, { ...RULES, key: 'acme/blue' }])
    const found = await today(source, { now: fixture.now() })
    expect(found.rfqs.map(({ number, urgency }) => [number, urgency])).toEqual([
      [4, 2],
      [1, 2],
      [2, 1],
    ])
    expect(found.summary).toEqual({
      ...{ open: 5, waiting: 3, due: 2, overdue: 1 },
      atStake: [
        { kind: 'accepted', currency: 'USD', rfqs: 1, tonnes: 1_000, total: 10_000 },
        { kind: 'recommended', currency: 'USD', rfqs: 2, tonnes: 2_000, total: 50_000 },
      ],
    })
    expect(await countWaiting(source, fixture.now())).toBe(3)
    expect(await today(source, { now: fixture.now(), channel: 'acme/blue' })).toMatchObject({
      ...{ rfqs: [], closings: [], system: [] },
      summary: { open: 0, waiting: 0, due: 0, overdue: 0, atStake: [] },
    })
  })

  it('says once for a channel what keeps it from closing, and of each overdue RFQ what keeps it open', async () => {
    const fixture = await openChannelFixture()
    const { world, faults } = fixture.sandbox
    for (const number of [1, 2, 3]) world.addRfq(CHANNEL, { number, responseDueDate: '2026-11-20' })
    await fixture.pollRfqs()
    const matters = async (autoClose: 'on' | 'dry-run' | 'off') => {
      const found = await today(viewSourceOf(fixture.store, [{ ...RULES, autoClose }]), { now: fixture.now() })
      return found.closings.map(({ rfq, isUrgent, message }) => [rfq, isUrgent, message])
    }
    expect(await matters('on')).toEqual([])
    expect(await matters('dry-run')).toEqual([[null, false, expect.stringMatching(/^3 overdue RFQs\. .*dry-run/)]])
    faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 400 } })
    await fixture.closeExpired({ maxPerRun: 5 })
    expect(await matters('off')).toEqual([
      [null, false, expect.stringMatching(/^1 overdue RFQ\. Closing is off/)],
      [expect.any(String), true, expect.stringMatching(/^The marketplace refused to close it/)],
    ])
  })

  it('says that a list may not be whole, poll after poll, until it is accepted or they are back', async () => {
    const fixture = await openChannelFixture({ rfqs: 12 })
    const { faults } = fixture.sandbox
    const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
    const source = viewSourceOf(fixture.store, [RULES], { schedule })
    const behind = async () => (await today(source, { now: fixture.now() })).system.map(({ message }) => message)
    await fixture.pollRfqs()
    expect(await behind()).toEqual([])
    for (let round = 0; round < ROUNDS; round++) {
      fixture.advanceSeconds(300)
      faults.add({ operation: 'listRfqs', effect: { kind: 'empty' } })
      await fixture.pollRfqs()
      expect(await behind()).toEqual([expect.stringMatching(/^The list of RFQs may not be whole: nothing/)])
    }
    fixture.advanceSeconds(300)
    await fixture.pollRfqs()
    expect(await behind()).toEqual([])
    await refuseEvent(fixture, ['crm'])
    expect(await behind()).toEqual([expect.stringMatching(/^1 event could not be sent to crm/)])
  })

  it.each([
    ['2026-11-27T09:00:00.000Z', '2026-11-26'],
    ['2026-11-30T09:00:00.000Z', '2026-11-27'],
    ['2026-11-29T23:59:00.000Z', '2026-11-27'],
  ])('tells of %s what moved since %s', (now, day) => {
    expect(lastWorkingDay(new Date(now))).toEqual(new Date(day))
  })
})

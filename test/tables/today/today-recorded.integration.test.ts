import { expect, it } from 'vitest'
import { today } from '../../../src/tables/today/today.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS, runsLongTests } from '../../helpers/long-tests.js'
import { openRecorder } from '../../helpers/store/recorder.js'
import { todaySource } from '../../helpers/today-source.js'

const RULES = { key: KEY, timeZone: 'America/New_York', graceHours: 0, autoClose: 'on' as const }

/** RFQs that are due, overdue, closed, changing and disappearing from round to round, with offers that come and go. */
async function play(fixture: ChannelFixture, round: number): Promise<void> {
  const { world } = fixture.sandbox
  fixture.advanceSeconds(20 * 3600)
  const rfq = world.addRfq(CHANNEL, {
    number: 200 + round,
    responseDueDate: new Date(Date.UTC(2026, 10, 20 + 2 * round)).toISOString().slice(0, 10),
  })
  const offers = Array.from({ length: round % 4 }, () => world.addResponse(rfq.id).id)
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  fixture.advanceSeconds(60)
  if (round % 5 === 1) world.changeRfq(rfq.id, { state: 'closed' })
  if (round % 3 === 0) world.changeRfq(rfq.id, { title: `Title ${round}`, maxVolume: 1_000_000 })
  if (offers[0] !== undefined) world.changeResponse(offers[0], { status: round % 2 === 0 ? 'rejected' : 'accepted' })
  if (round % 7 === 2) world.removeRfq(rfq.id)
  await fixture.pollRfqs({ recheckClosedHours: 0 })
}

it('shows the same page by page as on one page', async () => {
  const fixture = await openChannelFixture({ rfqs: 6, responsesPerRfq: 3 })
  await fixture.pollRfqs()
  const source = todaySource(fixture.store, [RULES])
  const recorder = openRecorder({ ...fixture, store: fixture.store, now: fixture.now, timeZone: RULES.timeZone })
  await recorder.round()
  for (let round = 0; round < (runsLongTests ? ROUNDS * 2 : 6); round++) {
    await play(fixture, round)
    await recorder.round()
    const now = fixture.now()
    for (const channel of [{}, { channel: KEY }]) {
      const options = { now, since: new Date(now.getTime() - 86_400_000), ...channel }
      const whole = await today(source, options)
      expect(whole.rfqs).toHaveLength(whole.totalRfqs)
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(whole.totalRfqs / 3) }, (_, at) =>
          today(source, { ...options, page: { from: 3 * at, to: 3 * at + 3 } }),
        ),
      )
      expect(pages.flatMap(({ rfqs }) => rfqs)).toEqual(whole.rfqs)
    }
  }
})

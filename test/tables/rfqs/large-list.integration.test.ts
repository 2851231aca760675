import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/core/decision/settings.js'
import { createRfqList, type RfqList } from '../../../src/tables/rfqs/rfq-list.js'
import { RFQ_SORT_KEYS, rfqsViews } from '../../../src/tables/rfqs/rfqs.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ROUNDS, runsLongTests } from '../../helpers/long-tests.js'
import { openRecorder } from '../../helpers/store/recorder.js'

const RULES = { key: KEY, timeZone: 'America/New_York', graceHours: 0, autoClose: 'on' as const }
const settings = DEFAULT_SETTINGS

/** As many words as the search of a list takes. */
const MOST_WORDS = { search: 'p '.repeat(100) }

/** Reads all rows, or lets the database find those that are shown. */
const listOf = ({ store }: ChannelFixture, maxSmall: number) =>
  createRfqList({ store, channels: [RULES], settings, maxSmall })

const listed = ({ store }: ChannelFixture, rfqs: RfqList) => rfqsViews({ rfqs, store })

/** RFQs of every kind: due, overdue, closed, with the same number, without offers, changing and disappearing from round to round. */
async function play(fixture: ChannelFixture, round: number): Promise<void> {
  const { world } = fixture.sandbox
  fixture.advanceSeconds(20 * 3600)
  const number = round % 2 === 0 ? 77 : 200 + round
  const rfq = world.addRfq(CHANNEL, {
    ...{ number, title: round % 2 === 0 ? `Peat 100%_${round}` : 'Forest' },
    responseDueDate: new Date(Date.UTC(2026, 10, 18 + 2 * round)).toISOString().slice(0, 10),
  })
  const offers = Array.from({ length: round % 4 }, () => world.addResponse(rfq.id).id)
  await fixture.pollRfqs({ recheckClosedHours: 0 })
  fixture.advanceSeconds(60)
  if (round % 3 === 1) world.changeRfq(rfq.id, { state: 'closed' })
  if (offers[0] !== undefined) world.changeResponse(offers[0], { status: 'rejected' })
  if (round % 3 === 2) world.removeRfq(rfq.id)
  await fixture.pollRfqs({ recheckClosedHours: 0 })
}

describe('a list of RFQs', () => {
  it('finds words of number, reference, title, developers and projects, all of them, as they are written', async () => {
    const fixture = await openChannelFixture({ listings: 0 })
    const { world } = fixture.sandbox
    const { id } = world.addRfq(CHANNEL, { number: 1042, title: 'Alpine forest', reference: 'FY26-A' })
    world.addRfq(CHANNEL, { number: 1043, title: '100% 50_50', reference: 'FY26-B' })
    world.addResponse(id, { projectDeveloperName: 'Katari', projectName: 'Mangroves of O\u0308vik' })
    await fixture.pollRfqs()
    await openRecorder(fixture).round()
    for (const rfqs of [listOf(fixture, 1_000), listOf(fixture, 0)]) {
      const numbers = async (search: string) => {
        const query = { now: fixture.now(), search, page: { from: 0, to: 9 }, figures: false }
        return (await listed(fixture, rfqs).rfqs(query)).items.map(({ number }) => number).sort()
      }
      for (const search of ['ALPINE', 'fy26-a', '1042', id, 'kat', 'katari \u00d6VIK fy26'])
        expect(await numbers(search), search).toEqual([1042])
      for (const search of ['100%', '50_50', '%']) expect(await numbers(search), search).toEqual([1043])
      expect(await numbers('fy26')).toEqual([1042, 1043])
      for (const search of ['katari peat', '1_0%', '.*', '\\', '!']) expect(await numbers(search), search).toEqual([])
    }
  })
})

describe('a list of many RFQs', () => {
  it('shows the same as one that reads all rows: sorted, searched, cut, by state', async () => {
    const fixture = await openChannelFixture({ rfqs: 6, responsesPerRfq: 3 })
    await fixture.pollRfqs()
    const recorder = openRecorder({ ...fixture, store: fixture.store, now: fixture.now, timeZone: RULES.timeZone })
    const [small, large] = [listOf(fixture, 1_000), listOf(fixture, 0)]
    for (let round = 0; round < (runsLongTests ? ROUNDS * 2 : 3); round++) {
      await play(fixture, round)
      await recorder.round()
      const now = fixture.now()
      const keys = [undefined, ...RFQ_SORT_KEYS]
      for (const key of keys) {
        for (const descending of [false, true]) {
          for (const more of [
            {},
            { search: 'peat' },
            { search: '100%_' },
            { search: '77' },
            MOST_WORDS,
            { state: 'closed' },
          ]) {
            const sort = key === undefined ? {} : { sort: { key, descending } }
            const query = { now, page: { from: 1, to: 9 }, figures: true, ...sort, ...more }
            expect(await listed(fixture, large).rfqs(query)).toEqual(await listed(fixture, small).rfqs(query))
          }
        }
      }
    }
  })
})

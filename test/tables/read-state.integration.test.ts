import { expect, it } from 'vitest'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { plannedPoll } from '../helpers/planned-poll.js'
import { refreshFigures } from '../helpers/store/figures.js'
import { rfqRows } from '../helpers/view-source.js'

it('an RFQ says that it was not read, and that its list entry changed since, until it is read', async () => {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2027-01-31' })
  const known = async () => {
    await refreshFigures(fixture)
    const [row] = await rfqRows(fixture.store, fixture.now())
    return [row?.readState, row?.title]
  }
  /** A poll that may send so many requests, one of them for the list. */
  const poll = (budget: number) => plannedPoll(fixture, { budget })
  fixture.sandbox.world.changeRfq(id, { title: 'First' })
  await poll(1)
  expect(await known()).toEqual(['not-read', 'First'])
  await poll(100)
  expect(await known()).toEqual(['read', 'First'])
  fixture.sandbox.world.changeRfq(id, { title: 'Second' })
  await poll(1)
  expect(await known()).toEqual(['changed-since-read', 'First'])
  await poll(100)
  expect(await known()).toEqual(['read', 'Second'])
})

import { expect, it } from 'vitest'
import { newestRuns } from '../../src/readiness/poll-freshness.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

it('a poll of one RFQ reads the list and that RFQ; what changed elsewhere is found by the next poll, round after round', async () => {
  const fixture = await openChannelFixture({ retries: 0 })
  const { world, requests } = fixture.sandbox
  const [wanted = '', other = ''] = [0, 1].map(() => world.addRfq(CHANNEL).id)
  const offers = [wanted, other].map((id) => world.addResponse(id).id)
  await fixture.pollRfqs()
  const versionOf = async (id: string) =>
    (await fixture.store.rfqHistory(KEY, id)).filter(({ kind }) => kind === 'response').length
  for (let round = 1; round <= 6; round++) {
    fixture.advanceSeconds(60)
    for (const offer of offers) world.changeResponse(offer, { offer: { totalPrice: 1000 + round } })
    const sent = requests.length
    const { run, changes } = await fixture.pollRfqs({ only: wanted })
    expect(requests.slice(sent).map(({ operation }) => operation)).toEqual(['listRfqs', 'readRfq', 'readResponse'])
    expect(run).toMatchObject({ outcome: 'partial', error: expect.stringMatching(/^only RFQ \d+ was read/) })
    // It is neither a complete poll nor a failed one.
    const polls = await newestRuns(fixture.store, { channel: KEY, kind: 'rfqs' })
    expect(polls).toMatchObject({ newest: { id: run.id - 1, outcome: 'complete' }, failed: null })
    expect(changes.map(({ id }) => id).sort()).toEqual([wanted, offers[0]].sort())
    expect([await versionOf(wanted), await versionOf(other)]).toEqual([1 + round, round])
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    expect(await versionOf(other)).toBe(1 + round)
  }
})

it('a poll of one RFQ that finds nothing else to read is complete, and notices a list that lost most of its entries', async () => {
  const fixture = await openChannelFixture({ retries: 0 })
  const { world } = fixture.sandbox
  const ids = Array.from({ length: 12 }, () => world.addRfq(CHANNEL).id)
  for (const id of ids.slice(1)) world.closeRfq(id)
  await fixture.pollRfqs()
  expect((await fixture.pollRfqs({ only: ids[0] ?? '' })).run.outcome).toBe('complete')
  for (const id of ids.slice(1)) world.removeRfq(id)
  const { run } = await fixture.pollRfqs({ only: ids[0] ?? '' })
  expect(run).toMatchObject({ suspicious: true, outcome: 'partial', missing: 0 })
})

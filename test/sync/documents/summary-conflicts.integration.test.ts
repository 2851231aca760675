import { describe, expect, it } from 'vitest'
import type { RfqResponse } from '../../../src/core/documents/observation.js'
import { findSummaryConflicts } from '../../../src/core/sources/offer-sources.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'

const problemsOf = (fixture: ChannelFixture, id: string) => fixture.store.problems({ entityIds: [id] })

describe('an offer and its summary in the RFQ', () => {
  it('that contradict each other are a problem of the offer, also if only the summary changed, and after revalidation', async () => {
    const fixture = await openChannelFixture()
    const { world, faults } = fixture.sandbox
    const { id: rfqId } = world.addRfq(CHANNEL)
    const [id, other] = [0, 1].map(() => world.addResponse(rfqId).id) as [string, string]
    await fixture.pollRfqs()
    expect(await problemsOf(fixture, id)).toEqual([])
    const { offer } = world.response(id) as RfqResponse
    const price = offer?.totalPrice ?? 0
    for (let round = 1; round <= 6; round++) {
      if (round === 3) await fixture.reopenStore()
      fixture.advanceSeconds(300)
      // Another price in the summary at each poll; the offer stays the same.
      const change = (rfq: { responses: { id: string }[] }) => {
        const responses = rfq.responses.map((each) => (each.id === id ? { ...each, totalPrice: price + round } : each))
        return { ...rfq, responses }
      }
      faults.add({ operation: 'readRfq', rfqId, effect: { kind: 'transform', change } })
      expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', invalid: 0 })
      // As it was first found.
      const message = expect.stringMatching(new RegExp(` ${price + 1}, .* ${price}$`))
      const conflict = { kind: 'response', path: 'offer.totalPrice', code: 'conflict', message, times: round }
      expect(await problemsOf(fixture, id)).toMatchObject([conflict])
    }
    await fixture.store.revalidate(fixture.now())
    expect(await problemsOf(fixture, id)).toMatchObject([{ code: 'conflict', times: 6 }])
    await fixture.pollRfqs()
    const [{ responses } = { responses: [] }] = await fixture.store.rfqs({})
    expect(responses.map(({ valid, version }) => [valid, version])).toEqual([
      [true, 1],
      [true, 1],
    ])
    expect(await problemsOf(fixture, id)).toMatchObject([{ code: 'conflict', times: 6 }])
    expect(await problemsOf(fixture, other)).toEqual([])
  })

  it.each([
    [{ status: 'withdrawn' }, ['status']],
    [
      { totalVolume: 1, currency: 'USD', expiryDate: '2027-01-01' },
      ['offer.totalVolume', 'offer.currency', 'offer.expiryDate'],
    ],
    [{ totalVolume: null, currency: 7 }, []],
    [{}, []],
    [null, []],
  ])('%j contradicts it in %j', (summary, paths) => {
    const offer = { totalVolume: 2, totalPrice: 3, currency: 'EUR', expiryDate: '2026-12-31' }
    const response = { status: 'submitted', offer } as RfqResponse
    expect(findSummaryConflicts(summary, response).map(({ path }) => path)).toEqual(paths)
    expect(findSummaryConflicts(summary, null)).toEqual([])
  })
})

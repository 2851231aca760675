import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { ASKS_FOR_ANYTHING, offerOf, refreshFigures } from '../../helpers/store/figures.js'
import { newAward } from '../../helpers/store/new-award.js'

const OTHER = { org: 'meridian', channel: 'removals', apiKey: 'key of meridian' }
const LISTING = '2520d0df-380c-4910-8c1c-5ee6b67b4695'

/** RFQs whose offers are for one listing, each with its recommendation recorded. */
async function openDesk() {
  const fixture = await openChannelFixture({ others: [{ ...OTHER, listings: 1, rfqs: 0 }] })
  const { world } = fixture.sandbox
  /** An RFQ for 500 to 1,000 t, and the ids of offers of so many tonnes; each costs more than the one before. */
  const addRfq = (number: number, tonnes: number[], channel = CHANNEL, listingId = LISTING) => {
    const terms = { ...ASKS_FOR_ANYTHING, number, minVolume: 500, maxVolume: 1_000 }
    const { id } = world.addRfq(channel, terms)
    const offers = tonnes.map(
      (volume, at) => world.addResponse(id, { listingId, offer: offerOf(9 + at, volume) }).id as string,
    )
    return { id, offers }
  }
  const poll = async () => {
    fixture.advanceSeconds(60)
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    await fixture.pollRfqs({ recheckClosedHours: 0, channel: OTHER })
    await refreshFigures(fixture)
  }
  return { ...fixture, world, store: fixture.store, addRfq, poll }
}

const award = ({ store, now }: Pick<ChannelFixture, 'store' | 'now'>, rfqId: string, offerId: string) => {
  const offers = newAward().offers.map((offer) => ({ ...offer, id: offerId }))
  return store.recordAward(newAward({ channel: KEY, rfqId, offers, at: now().toISOString() }))
}

/** `1001 recommended 700 2025`. */
async function claimsOf({ store, now }: Awaited<ReturnType<typeof openDesk>>): Promise<string[]> {
  await refreshFigures({ store, now })
  const claims = await store.creditClaims()
  return claims.map(
    ({ channel, rfqNumber, kind, volume, periodEnd }) =>
      `${channel === KEY ? '' : `${channel}/`}${rfqNumber} ${kind} ${volume} ${periodEnd}`,
  )
}

describe('claims on the credits of listings', () => {
  it('are what is recommended for the open RFQs of all channels, with the lines of the offers', async () => {
    const desk = await openDesk()
    const own = desk.addRfq(1001, [700, 800])
    desk.addRfq(1002, [600], CHANNEL, 'another listing')
    desk.addRfq(1003, [900], OTHER, LISTING.toUpperCase())
    await desk.poll()
    expect(await claimsOf(desk)).toEqual([
      '1001 recommended 700 2025-12-31',
      '1002 recommended 600 2025-12-31',
      'meridian/removals/1003 recommended 900 2025-12-31',
    ])
    const [first] = await desk.store.creditClaims()
    expect(first).toMatchObject({ rfqId: own.id, listingId: LISTING, offerId: own.offers[0] })
  })

  it('are the award on record instead of the recommendation, until it is withdrawn, and the accepted offer before both', async () => {
    const desk = await openDesk()
    const { id, offers } = desk.addRfq(1001, [700, 800, 900])
    await desk.poll()
    await award(desk, id, offers[1] ?? '')
    expect(await claimsOf(desk)).toEqual(['1001 awarded 800 2025-12-31'])
    for (const [status, claims] of [
      ['accepted', ['1001 accepted 800 2025-12-31']],
      ['paused', []],
      ['rejected', []],
    ] as const) {
      desk.world.changeResponse(offers[1] ?? '', { status: status as 'rejected' })
      await desk.poll()
      expect(await claimsOf(desk)).toEqual(claims)
    }
    const why = { by: 'ana', because: 'rejected', asOf: desk.now().toISOString(), programVersion: '1' }
    await desk.store.withdrawAward({ award: 1, at: desk.now().toISOString(), ...why })
    expect(await claimsOf(desk)).toEqual(['1001 recommended 700 2025-12-31'])
  })

  it('of closed RFQs are awards on record that are not accepted yet, and the recommended one while nobody decided', async () => {
    const desk = await openDesk()
    const own = desk.addRfq(1001, [500])
    const [awarded, , accepted] = [desk.addRfq(1002, [700]), desk.addRfq(1003, [800]), desk.addRfq(1004, [900])]
    await desk.poll()
    await award(desk, awarded.id, awarded.offers[0] ?? '')
    await award(desk, accepted.id, accepted.offers[0] ?? '')
    desk.world.changeResponse(accepted.offers[0] ?? '', { status: 'accepted' })
    for (const { id } of desk.world.channel(CHANNEL)?.rfqs.map(({ terms }) => terms) ?? [])
      if (id !== own.id) desk.world.closeRfq(id)
    await desk.poll()
    expect(await claimsOf(desk)).toEqual([
      '1001 recommended 500 2025-12-31',
      '1002 awarded 700 2025-12-31',
      '1003 recommended 800 2025-12-31',
    ])
  })
})

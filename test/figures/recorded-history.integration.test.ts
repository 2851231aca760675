import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/decision/settings.js'
import { settingsAt } from '../../src/figures/exchange-rates.js'
import { rfqStateAt } from '../../src/figures/rfq-state.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { shareOf } from '../helpers/long-tests.js'
import { ASKS_FOR_ANYTHING, figuresWith, offerOf, refreshFigures } from '../helpers/store/figures.js'

const TIME_ZONE = 'America/New_York'
const SETTINGS: readonly Settings[] = [
  DEFAULT_SETTINGS,
  { ...DEFAULT_SETTINGS, awardTolerance: 0 },
  { ...DEFAULT_SETTINGS, awardTolerance: 'unlimited', priceBasis: 'present-value' },
  {
    ...DEFAULT_SETTINGS,
    currency: 'USD',
    exchangeRates: { EUR: { rate: 1.1, date: null, source: null } },
    requirements: { ...DEFAULT_SETTINGS.requirements, notExpired: 'off' },
  },
  { ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: 'rates.csv' },
]

const offerAt = (price: number) => ({ ...offerOf(price, 150), currency: price % 2 === 0 ? 'USD' : 'EUR' })
const LISTING_FACTS = [
  { country: '', registry: '', methodologies: [] },
  { country: 'Kenya', registry: 'Verra', methodologies: ['VM0042'] },
]
const oneOf = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

type Desk = ReturnType<typeof openDesk>

/** What happens to one of the offers, RFQs or listings, with a random number. */
const ON_THE_MARKETPLACE: Record<string, (desk: Desk, of: number, n: number) => unknown> = {
  price: ({ world, offers }, of, n) => world.changeResponse(oneOf(offers, of), { offer: offerAt(1 + (n % 40)) }),
  status: ({ world, offers }, of, n) =>
    world.changeResponse(oneOf(offers, of), { status: oneOf(['submitted', 'rejected', 'accepted'] as const, n) }),
  expiry: ({ world, offers }, of, n) =>
    world.changeResponse(oneOf(offers, of), { offer: { expiryDate: `2026-11-${20 + (n % 9)}` } }),
  currency: ({ world, offers }, of, n) =>
    world.changeResponse(oneOf(offers, of), { offer: { currency: oneOf(['USD', 'EUR', 'CHF'], n) } }),
  offer: ({ rfqs, addOffer }, of) => addOffer(oneOf(rfqs, of)),
  remove: ({ world, rfqs, offers, addOffer }, of) => {
    world.removeResponse(oneOf(offers, of))
    offers.splice(of % offers.length, 1)
    if (offers.length === 0) addOffer(oneOf(rfqs, of))
  },
  volume: ({ world, rfqs }, of, n) => world.changeRfq(oneOf(rfqs, of), { minVolume: 1 + 5 * n }),
  title: ({ world, rfqs }, of, n) => world.changeRfq(oneOf(rfqs, of), { title: `Title ${n}` }),
  listing: ({ world, listings }, of, n) => world.changeListing(oneOf(listings, of), oneOf(LISTING_FACTS, n)),
}
/** What no poll follows. */
const ELSEWHERE: typeof ON_THE_MARKETPLACE = {
  pass: ({ fixture }, _, n) => fixture.advanceSeconds(oneOf([1, 5, 9, 30, 60], n) * 3600),
  record: ({ refresh }) => refresh(),
  settings: (desk, _, n) => {
    desk.settings = oneOf(SETTINGS, n)
    return desk.refresh()
  },
  rates: ({ fixture: { store, now } }, _, n) => {
    const date = now().toISOString().slice(0, 10)
    const rates = Object.entries({ USD: 0.5 + n / 40, CHF: 1 }).map(([currency, rate]) => ({ currency, date, rate }))
    return store.recordRates('rates.csv', rates, now())
  },
}
const acts = fc.constantFrom(...Object.keys(ON_THE_MARKETPLACE), ...Object.keys(ELSEWHERE))
const steps = fc.array(fc.tuple(acts, fc.nat(59), fc.nat(59)), { minLength: 4, maxLength: 18 })

/** Two RFQs, and the process that writes figures with these settings at first. */
function openDesk(fixture: ChannelFixture, first: Settings) {
  const { world } = fixture.sandbox
  const asked = { ...ASKS_FOR_ANYTHING, minVolume: 100, maxVolume: 400 }
  const rfqs = [0, 1].map(() => world.addRfq(CHANNEL, asked).id)
  const listings = [0, 1].map(() => world.addListing(CHANNEL).id)
  const offers: string[] = []
  const desk = {
    ...{ fixture, world, rfqs, listings, offers, settings: first },
    addOffer: (rfqId: string) => {
      const offer = offerAt(10 + offers.length)
      const listingId = oneOf(listings, offers.length)
      offers.push(world.addResponse(rfqId, { status: 'submitted', offer, listingId }).id)
    },
    refresh: () => refreshFigures(fixture, figuresWith(desk.settings, TIME_ZONE)),
  }
  return desk
}

/** Three offers for each RFQ, and then the steps; a process that is started with other settings takes over. */
async function play(fixture: ChannelFixture, settings: Settings, all: readonly [string, number, number][]) {
  const desk = openDesk(fixture, settings)
  const poll = async () => {
    fixture.advanceSeconds(60)
    await fixture.pollListings()
    await fixture.pollRfqs({ recheckClosedHours: 0 })
  }
  for (const rfq of desk.rfqs) for (let n = 0; n < 3; n++) desk.addOffer(rfq)
  await poll()
  await desk.refresh()
  for (const [act, of, n] of all) {
    await ELSEWHERE[act]?.(desk, of, n)
    if (act in ON_THE_MARKETPLACE) {
      ON_THE_MARKETPLACE[act]?.(desk, of, n)
      await poll()
    }
    fixture.advanceSeconds(17)
  }
  fixture.advanceSeconds(60)
  await desk.refresh()
}

/** What is computed from all documents. */
async function figuresNow({ store, now }: ChannelFixture, rfqId: string) {
  const at = now()
  const settings = await settingsAt(store, (await store.recordedSettings()) ?? DEFAULT_SETTINGS, at)
  const state = await rfqStateAt(store, { channel: KEY, id: rfqId }, { timeZone: TIME_ZONE, at, settings })
  if (state === null) throw new Error('the RFQ is not stored')
  const { offers, currency, ...figures } = state.recommendation
  // A name has the number while another offer has the same one; without an award, no currency matters.
  const named = { ...figures, offers: offers.map(({ name: _name, ...offer }) => offer) }
  return offers.length === 0 ? named : { ...named, currency }
}

async function expectPresent(fixture: ChannelFixture): Promise<number> {
  const { store } = fixture
  for (const { rfq } of await store.rfqs({ withoutResponses: true })) {
    const [recorded] = await store.newestRecommendations(KEY, [rfq.id])
    expect(recorded).toMatchObject(await figuresNow(fixture, rfq.id))
  }
  return (await store.events({ after: 0, kinds: ['recommendation.changed'], limit: 1000 })).items.length
}

describe('recorded recommendations', () => {
  it('equal what is computed anew, after random histories with other settings, rates and midnights', async () => {
    let changes = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SETTINGS), steps, async (settings, all) => {
        const fixture = await openChannelFixture()
        await play(fixture, settings, all)
        changes += await expectPresent(fixture)
      }),
      { numRuns: process.env.QUOTEKEEPER_TEST_ENGINE === 'postgres' ? 8 : shareOf(80) },
    )
    expect(changes).toBeGreaterThan(0)
  }, 180_000)
})

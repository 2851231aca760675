import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { figuresOfRecommendation, type RecommendationFigures } from '../../src/core/decision/recommendation.js'
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/decision/settings.js'
import { readDocuments, rfqStateOf } from '../../src/figures/rfq-state.js'
import { settingsAt } from '../../src/figures/settings-at.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { shareOf } from '../helpers/long-tests.js'
import { ASKS_FOR_ANYTHING, figuresWith, offerOf, refreshFigures } from '../helpers/store/figures.js'
import { testFolder } from '../helpers/test-folder.js'

/** A backup of PostgreSQL is none that could be opened. */
const canBackUp = process.env.QUOTEKEEPER_TEST_ENGINE !== 'postgres'
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

/** What happens on the marketplace, to the clock and to the processes. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('price' as const), of: fc.nat(5), price: fc.integer({ min: 1, max: 40 }) }),
    fc.record({
      do: fc.constant('status' as const),
      of: fc.nat(5),
      status: fc.constantFrom('submitted', 'rejected', 'accepted'),
    }),
    fc.record({ do: fc.constant('expiry' as const), of: fc.nat(5), day: fc.integer({ min: 20, max: 28 }) }),
    fc.record({ do: fc.constant('currency' as const), of: fc.nat(5), currency: fc.constantFrom('USD', 'EUR', 'CHF') }),
    fc.record({ do: fc.constant('offer' as const), of: fc.nat(1) }),
    fc.record({ do: fc.constant('remove' as const), of: fc.nat(5) }),
    fc.record({ do: fc.constant('volume' as const), of: fc.nat(1), min: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ do: fc.constant('listing' as const), of: fc.nat(3) }),
    fc.record({ do: fc.constant('hide' as const), of: fc.nat(1) }),
    fc.record({ do: fc.constant('record' as const) }),
    fc.record({ do: fc.constant('settings' as const), settings: fc.nat(SETTINGS.length - 1) }),
    fc.record({ do: fc.constant('rates' as const), rate: fc.integer({ min: 5, max: 20 }) }),
    fc.record({ do: fc.constant('backup' as const) }),
    fc.record({ do: fc.constant('restore' as const) }),
    fc.record({ do: fc.constant('pass' as const), hours: fc.constantFrom(1, 5, 9, 30, 60) }),
  ),
  { minLength: 4, maxLength: 18 },
)
type Step = (typeof steps extends fc.Arbitrary<infer T> ? T : never)[number]

/** Plays steps, with a poll after each change; a process that is started with other settings takes over. */
async function play(fixture: ChannelFixture, first: number, all: readonly Step[]): Promise<void> {
  const { world } = fixture.sandbox
  const offers: string[] = []
  const rfqs = [0, 1].map(() => world.addRfq(CHANNEL, { ...ASKS_FOR_ANYTHING, minVolume: 100, maxVolume: 400 }).id)
  const listings = [0, 1].map(() => world.addListing(CHANNEL).id)
  const addOffer = (rfqId: string) => {
    const price = 10 + offers.length
    offers.push(
      world.addResponse(rfqId, {
        status: 'submitted',
        offer: offerAt(price),
        listingId: listings[offers.length % 2] as string,
      }).id,
    )
  }
  for (const rfq of rfqs) for (let n = 0; n < 3; n++) addOffer(rfq)
  let settings = SETTINGS[first]
  const refresh = () => refreshFigures(fixture, figuresWith(settings, TIME_ZONE))
  let backup: string | null = null
  const poll = async () => {
    fixture.advanceSeconds(60)
    await fixture.pollListings()
    await fixture.pollRfqs({ recheckClosedHours: 0 })
  }
  await poll()
  await refresh()
  for (const step of all) {
    const offer = 'of' in step ? (offers[step.of % offers.length] as string) : ''
    const rfq = 'of' in step ? (rfqs[step.of % 2] as string) : ''
    if (step.do === 'pass') fixture.advanceSeconds(step.hours * 3600)
    else if (step.do === 'record') await refresh()
    else if (step.do === 'rates') {
      const date = fixture.now().toISOString().slice(0, 10)
      const dated = Object.entries({ USD: step.rate / 10, CHF: 1 }).map(([currency, rate]) => ({
        currency,
        date,
        rate,
      }))
      await fixture.store.recordRates('rates.csv', dated, fixture.now())
    } else if (step.do === 'settings') {
      settings = SETTINGS[step.settings]
      await refresh()
    } else if (step.do === 'backup') {
      backup = canBackUp ? join(testFolder(), 'backup.db') : null
      if (backup !== null) await fixture.store.backup(backup)
    } else if (step.do === 'restore') {
      if (backup === null) continue
      const restored = join(testFolder(), 'restored.db')
      copyFileSync(backup, restored)
      await fixture.reopenStore(restored)
    } else {
      const listing = listings['of' in step ? step.of % 2 : 0] as string
      change(fixture, step, { offer, rfq, listing, offers, addOffer })
      await poll()
    }
    fixture.advanceSeconds(17)
  }
  fixture.advanceSeconds(60)
  await refresh()
}

interface Subjects {
  offer: string
  rfq: string
  listing: string
  offers: string[]
  addOffer: (rfqId: string) => unknown
}

function change({ sandbox: { world } }: ChannelFixture, step: Step, subjects: Subjects): void {
  const { offer, rfq, listing, offers, addOffer } = subjects
  switch (step.do) {
    case 'price':
      return void world.changeResponse(offer, { offer: offerAt(step.price) })
    case 'status':
      return void world.changeResponse(offer, { status: step.status })
    case 'expiry':
      return void world.changeResponse(offer, { offer: { expiryDate: `2026-11-${step.day}` } })
    case 'currency':
      return void world.changeResponse(offer, { offer: { currency: step.currency } })
    case 'offer':
      return void addOffer(rfq)
    case 'remove':
      world.removeResponse(offer)
      offers.splice(offers.indexOf(offer), 1)
      if (offers.length === 0) addOffer(rfq)
      return
    case 'volume':
      return void world.changeRfq(rfq, { minVolume: step.min })
    case 'listing':
      return void world.changeListing(listing, LISTING_FACTS[step.of >> 1] ?? {})
    default:
      return void world.changeRfq(rfq, { title: `Title ${offers.length}` })
  }
}

const LISTING_FACTS = [
  { country: '', registry: '', methodologies: [] },
  { country: 'Kenya', registry: 'Verra', methodologies: ['VM0042'] },
]

const offerAt = (price: number) => ({ ...offerOf(price, 150), currency: price % 2 === 0 ? 'USD' : 'EUR' })

/** What is computed from all documents. */
async function figuresNow({ store, now }: ChannelFixture, rfqId: string): Promise<RecommendationFigures | undefined> {
  const [found] = await readDocuments(store, { channel: KEY, ids: [rfqId] })
  const at = now()
  const settings = await settingsAt(store, (await store.recordedSettings()) ?? DEFAULT_SETTINGS, at)
  return found && (await rfqStateOf(store, found, { timeZone: TIME_ZONE, at, settings })).recommendation
}

async function expectPresent(fixture: ChannelFixture): Promise<number> {
  const { store } = fixture
  for (const { rfq } of await store.rfqs({ withoutResponses: true })) {
    const [recorded] = await store.newestRecommendations(KEY, [rfq.id])
    expect(recorded && figuresOfRecommendation(recorded)).toEqual(await figuresNow(fixture, rfq.id))
  }
  return (await store.events({ after: 0, kinds: ['recommendation.changed'], limit: 1000 })).items.length
}

describe('recorded recommendations', () => {
  it('equal what is computed anew, after random histories with other settings, rates, midnights and restores', async () => {
    let changes = 0
    await fc.assert(
      fc.asyncProperty(fc.nat(SETTINGS.length - 1), steps, async (first, all) => {
        const fixture = await openChannelFixture()
        await play(fixture, first, all)
        changes += await expectPresent(fixture)
      }),
      { numRuns: process.env.QUOTEKEEPER_TEST_ENGINE === 'postgres' ? 8 : shareOf(80) },
    )
    expect(changes).toBeGreaterThan(0)
  }, 180_000)
})

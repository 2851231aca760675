import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../src/core/decision/settings.js'
import type { Store } from '../../src/store/contract.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'
import { ROUNDS } from '../helpers/long-tests.js'
import { plannedPoll } from '../helpers/planned-poll.js'
import { ASKS_FOR_ANYTHING, figuresWith, offerOf, refreshFigures } from '../helpers/store/figures.js'
import { openAgain, rowsOf } from '../helpers/store/store-engine.js'

/** 100 tonnes at a price. */
const offerAt = (price: number) => offerOf(price, 100)

type Desk = Awaited<ReturnType<typeof openDesk>>

/** An RFQ with the offers of Katari at 20 and of Lumen at 22 USD/t. */
async function openDesk(rfq: object = { minVolume: 100, maxVolume: 150 }) {
  const fixture = await openChannelFixture({ figures: figuresWith() })
  const { world } = fixture.sandbox
  const { id: rfqId } = world.addRfq(CHANNEL, { ...ASKS_FOR_ANYTHING, ...rfq })
  const addOffer = (projectDeveloperName: string, price: number) =>
    world.addResponse(rfqId, { status: 'submitted', projectDeveloperName, offer: offerAt(price) }).id
  /** Ids of the offers by developer. */
  const offers = { Katari: addOffer('Katari', 20), Lumen: addOffer('Lumen', 22) }
  const change = (developer: keyof typeof offers, changes: Parameters<typeof world.changeResponse>[1]) =>
    void world.changeResponse(offers[developer], changes)
  let read = 0
  /**
   * Polls five minutes later, and returns the reasons of what was recorded since the last call, oldest first.
   * @param settings of another process that is started after the poll
   */
  const reasons = async (settings?: Settings): Promise<string[]> => {
    fixture.advanceSeconds(300)
    await fixture.pollListings()
    await fixture.pollRfqs({ recheckClosedHours: 0 })
    if (settings === undefined) await fixture.store.refreshFigures(KEY, fixture.now())
    else await refreshFigures(fixture, figuresWith(settings))
    const changes = await fixture.store.events({ after: read, kinds: ['recommendation.changed'], limit: 100 })
    read = changes.next
    return changes.items.map(({ data: { reason = '' } }) => reason)
  }
  expect(await reasons()).toEqual([])
  /** The price of an offer, for 100 tonnes. */
  const reprice = (developer: keyof typeof offers, price: number) => change(developer, { offer: offerAt(price) })
  return { fixture, world, rfqId, offers, addOffer, change, reprice, reasons }
}

const events = async ({ fixture: { store } }: Desk) =>
  (await store.events({ after: 0, kinds: ['recommendation.changed'], limit: 100 })).items

const SAME = 'the same award for another total, because '

describe('the reason of a changed recommendation', () => {
  const [LUMEN, NUBE] = [/^Lumen$/, /^Nube$/]
  const BOTH = /^(Katari and Lumen|Lumen and Katari)$/
  const cases: [because: string, award: RegExp, (desk: Desk) => void][] = [
    ['the offer of Katari was rejected', LUMEN, ({ change }) => change('Katari', { status: 'rejected' })],
    [
      'the offer of Katari has the status “paused”',
      LUMEN,
      ({ change }) => change('Katari', { status: 'paused' as never }),
    ],
    ['the offer of Katari is no longer visible', LUMEN, ({ world, offers }) => world.removeResponse(offers.Katari)],
    ['the offer of Katari changed: price 20.00 → 23.00', LUMEN, ({ reprice }) => reprice('Katari', 23)],
    ['the offer of Lumen changed: price 22.00 → 18.00', LUMEN, ({ reprice }) => reprice('Lumen', 18)],
    [
      // Not that the offer it replaces became cheaper.
      'the offer of Nube is new',
      NUBE,
      ({ reprice, addOffer }) => {
        reprice('Katari', 19)
        addOffer('Nube', 15)
      },
    ],
    [
      'Minimum volume 100 → 150 t (+50 %); Maximum volume 150 → 250 t (+66.7 %)',
      // Not that an offer joined which is in neither award.
      BOTH,
      ({ world, rfqId, addOffer }) => {
        addOffer('Nube', 40)
        world.changeRfq(rfqId, { minVolume: 150, maxVolume: 250 })
      },
    ],
    [
      'the offer of Katari changed: volume 100 t → 50 t',
      BOTH,
      ({ change, addOffer }) => {
        addOffer('Nube', 40)
        change('Katari', { offer: offerOf(20, 50) })
      },
    ],
    [
      'the offer of Katari has expired',
      LUMEN,
      ({ fixture, change }) => {
        change('Katari', { offer: { ...offerAt(20), expiryDate: '2026-11-21' } })
        fixture.advanceSeconds(13 * 3600)
      },
    ],
    ['the offer of Lumen is accepted', /^no further award$/, ({ change }) => change('Lumen', { status: 'accepted' })],
    [
      // Not what the RFQ asks for, which decides nothing any more.
      'the offer of Katari is accepted',
      /^no further award$/,
      ({ change, world, rfqId }) => {
        change('Katari', { status: 'accepted' })
        world.changeRfq(rfqId, { maxVolume: 250 })
      },
    ],
  ]
  it.each(cases)('names %s', async (because, award, act) => {
    const desk = await openDesk()
    act(desk)
    const found = await desk.reasons()
    expect(found).toHaveLength(1)
    const [, after, causes] = /^Katari → (.+), because (.+)$/.exec(found[0] ?? '') ?? []
    expect(after).toMatch(award)
    expect(causes).toBe(because)
    expect((await events(desk)).map(({ data }) => data.reason)).toEqual(found)
  })

  it('names what is recommended beside an accepted offer', async () => {
    const desk = await openDesk({ minVolume: 150, maxVolume: 250 })
    desk.change('Katari', { status: 'accepted' })
    const [reason] = await desk.reasons()
    expect(reason).toMatch(/^(Katari and Lumen|Lumen and Katari) → Lumen, because the offer of Katari is accepted$/)
    desk.change('Lumen', { status: 'rejected' })
    expect(await desk.reasons()).toEqual(['Lumen → no further award, because the offer of Lumen was rejected'])
    // What is accepted is not lost.
    expect((await events(desk)).map(({ data }) => data.moved)).toEqual([undefined, undefined])
  })

  it('names the maximum price of the RFQ if it decides', async () => {
    const pricing = { currency: 'USD', minUnitPrice: 1, maxUnitPrice: 20 }
    const desk = await openDesk({ minVolume: 100, maxVolume: 150, pricing })
    const { world } = desk.fixture.sandbox
    world.changeRfq(desk.rfqId, { pricing: { ...pricing, maxUnitPrice: 19 } })
    expect(await desk.reasons()).toEqual([
      'Katari → no award, because the offer of Katari is above the maximum price; Maximum unit price 20.00 → 19.00 USD (−5 %)',
    ])
    world.changeRfq(desk.rfqId, { pricing: { ...pricing, maxUnitPrice: 18 } })
    expect(await desk.reasons()).toEqual([])
  })

  it('names an exchange rate only if nothing else changed', async () => {
    const desk = await openDesk()
    const inEuros = (rate: number): Settings => ({
      ...DEFAULT_SETTINGS,
      ...{ currency: 'EUR', exchangeRates: { USD: { rate, date: null, source: null } } },
    })
    expect(await desk.reasons(inEuros(0.9))).toEqual([`${SAME}setting currency: none → EUR`])
    expect(await desk.reasons(inEuros(0.8))).toEqual([`${SAME}rate USD: 0.9 → 0.8`])
    const offer = { ...offerAt(15), currency: 'EUR' }
    desk.world.addResponse(desk.rfqId, { status: 'submitted', projectDeveloperName: 'Nube', offer })
    expect(await desk.reasons(inEuros(0.8))).toEqual(['Katari → Nube, because the offer of Nube is new'])
    expect(await desk.reasons(inEuros(0.7))).toEqual(['Nube → Katari, because rate USD: 0.8 → 0.7'])
  })

  it('names a rate that is too old, and no settings', async () => {
    const desk = await openDesk()
    const { store, now } = desk.fixture
    const rates = [
      { currency: 'USD', date: '2026-11-20', rate: 1.2 },
      { currency: 'NOK', date: '2026-11-20', rate: 11 },
    ]
    await store.recordRates('rates.csv', rates, now())
    const settings: Settings = { ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: 'rates.csv' }
    await desk.reasons(settings)
    desk.change('Katari', { offer: { ...offerAt(15), currency: 'EUR' } })
    expect(await desk.reasons(settings)).toEqual([`${SAME}the offer of Katari changed: price 20.00 → 15.00`])
    desk.fixture.setTime('2026-12-01T12:00:00.000Z')
    const [reason] = await desk.reasons(settings)
    expect(reason).toBe('Katari → Lumen, because the offer of Katari is in EUR without an exchange rate')
  })

  it('names other terms of an offer if neither price nor volume changed', async () => {
    const desk = await openDesk()
    const settings: Settings = { ...DEFAULT_SETTINGS, priceBasis: 'present-value' }
    expect(await desk.reasons(settings)).toEqual([])
    const { scheduledDeliveries, ...terms } = offerAt(22)
    const later = scheduledDeliveries.map((delivery) => ({ ...delivery, fulfilmentDueDate: '2027-12-31' }))
    desk.reprice('Katari', 21.9)
    expect(await desk.reasons(settings)).toEqual([`${SAME}the offer of Katari changed: price 20.00 → 21.90`])
    desk.change('Lumen', { offer: { ...terms, scheduledDeliveries: later } })
    expect(await desk.reasons(settings)).toEqual(['Katari → Lumen, because the offer of Lumen changed: other terms'])
  })
})

describe('figures', () => {
  it('waits until every listed offer was requested: to read them is no change, and one that cannot be read keeps nobody waiting', async () => {
    const fixture = await openChannelFixture({ figures: figuresWith() })
    const { sandbox, store } = fixture
    const rfqs = [0, 1].map(() => sandbox.world.addRfq(CHANNEL, ASKS_FOR_ANYTHING).id)
    const [refused] = rfqs.flatMap((id) =>
      [20, 22, 24, 26].map((price) => sandbox.world.addResponse(id, { status: 'submitted', offer: offerAt(price) }).id),
    )
    const effect = { kind: 'status', status: 500 } as const
    fixture.always({ operation: 'readResponse', responseId: refused }, effect)
    const recorded: number[] = []
    while (recorded.at(-1) !== rfqs.length) {
      expect(recorded.length).toBeLessThan(20)
      await plannedPoll(fixture, { budget: 4, offersMaxAgeMinutes: 600, urgentHours: 0 })
      recorded.push((await store.newestRecommendations(KEY, rfqs)).length)
    }
    expect(recorded[0]).toBe(0)
    const newest = await store.newestRecommendations(KEY, rfqs)
    const prices = newest.map(({ offers }) => Math.min(...offers.map(({ pricePerTonne }) => pricePerTonne)))
    expect(prices.sort()).toEqual([20, 22])
    expect((await store.events({ after: 0, kinds: ['recommendation.changed'], limit: 10 })).items).toEqual([])
  })

  it('are written with the documents, and what changed is told once and after it: no first recommendation, and no price of an offer that is not recommended', async () => {
    const desk = await openDesk()
    const { store, pollRfqs, advanceSeconds } = desk.fixture
    for (let round = 1; round <= ROUNDS; round++) {
      const { sequence: before } = (await store.events({ after: 0, limit: 1000 })).items.at(-1) ?? { sequence: 0 }
      desk.reprice('Katari', round % 2 === 0 ? 20 : 25)
      advanceSeconds(60)
      await pollRfqs()
      const [newest] = await store.newestRecommendations(KEY, [desk.rfqId])
      expect(newest?.pricePerTonne).toBe(round % 2 === 0 ? 20 : 22 + (round - 1) / 100)
      expect(await keys(store)).not.toContain('')
      const { items } = await store.events({ after: before, limit: 10 })
      expect(items.map(({ kind }) => kind)).toEqual(['offer.changed', 'recommendation.changed'])
      expect(await desk.reasons()).toHaveLength(1)
      // Lumen is recommended in one round of two.
      desk.reprice('Lumen', 22 + round / 100)
      const because = expect.stringMatching(`^${SAME}the offer of Lumen changed: price .+`)
      expect(await desk.reasons()).toEqual(round % 2 === 0 ? [] : [because])
    }
  })

  it('have the settings of the process that was started last; a command leaves those of one that runs', async () => {
    const desk = await openDesk()
    const { store, now, pollRfqs } = desk.fixture
    const other = await openAgain(store.name, {
      ...{ clock: now, command: 'quotekeeper sync' },
      figures: figuresWith({ ...DEFAULT_SETTINGS, awardTolerance: 0 }),
    })
    const tolerance = async () => (await store.recordedSettings())?.awardTolerance
    expect(await other.claimFigures('command')).toBe('quotekeeper')
    expect([await other.refreshFigures(KEY, now()), await tolerance()]).toEqual([null, 0.02])
    expect(await other.claimFigures('process')).toBe(null)
    expect([await other.refreshFigures(KEY, now()), await tolerance()]).toEqual([0, 0])
    // The first process only says that figures are outdated.
    desk.reprice('Katari', 30)
    await pollRfqs()
    expect([await store.refreshFigures(KEY, now()), await keys(store)]).toEqual([null, ['']])
    expect(await other.refreshFigures(KEY, now())).toBe(0)
    expect((await store.newestRecommendations(KEY, [desk.rfqId]))[0]?.pricePerTonne).toBe(22)
  })

  it('are written anew on another day, for new rates or another listing, and those of a closed and decided RFQ stay', async () => {
    const desk = await openDesk()
    const { store, now, advanceSeconds, sandbox, pollListings, pollRfqs } = desk.fixture
    const { id: closed } = sandbox.world.addRfq(CHANNEL, { ...ASKS_FOR_ANYTHING, state: 'closed' })
    await pollRfqs()
    expect((await keys(store)).filter((key) => key === 'settled')).toHaveLength(1)
    const settings: Settings = { ...DEFAULT_SETTINGS, currency: 'USD', ratesFrom: 'rates.csv' }
    const process = await openAgain(store.name, { clock: now, figures: figuresWith(settings) })
    await process.claimFigures('process')
    const computedAt = async () => {
      expect(await process.refreshFigures(KEY, now())).toBe(0)
      const rows = await rowsOf(store, 'select rfq_id, computed_at from figures')
      return new Map((rows as { rfq_id: string; computed_at: string }[]).map((row) => [row.rfq_id, row.computed_at]))
    }
    const first = await computedAt()
    const happenings: [() => unknown, boolean][] = [
      [() => undefined, false],
      [() => advanceSeconds(24 * 3600), true],
      [() => store.recordRates('rates.csv', [{ currency: 'USD', date: '2026-11-20', rate: 1.2 }], now()), true],
      [
        () =>
          sandbox.world.changeListing(sandbox.world.response(desk.offers.Katari).listingId as string, {
            country: 'Peru',
          }),
        true,
      ],
    ]
    for (const [happen, isAnew] of happenings) {
      const before = (await computedAt()).get(desk.rfqId)
      advanceSeconds(60)
      await happen()
      await pollListings()
      const after = await computedAt()
      expect(after.get(desk.rfqId) !== before).toBe(isAnew)
      expect(after.get(closed)).toBe(first.get(closed))
    }
  })

  it('of the other RFQs are written if one cannot be computed, which stays outdated until it changes', async () => {
    const failing = new Set<string>()
    const computer = figuresWith()
    const fixture = await openChannelFixture({
      figures: {
        ...computer,
        compute: async (...query) => (await computer.compute(...query)).filter(({ row }) => !failing.has(row.rfqId)),
      },
    })
    const { store, now, sandbox, pollRfqs } = fixture
    const rfqs = [1, 2].map(() => sandbox.world.addRfq(CHANNEL, ASKS_FOR_ANYTHING).id)
    await pollRfqs()
    failing.add(rfqs[0] as string)
    for (const id of rfqs) sandbox.world.changeRfq(id, { title: 'Other' })
    await pollRfqs()
    for (let round = 0; round < 3; round++) expect(await store.refreshFigures(KEY, now())).toBe(0)
    expect((await keys(store)).filter((key) => key === '')).toHaveLength(1)
    failing.clear()
    sandbox.world.changeRfq(rfqs[0] as string, { title: 'Another' })
    await pollRfqs()
    expect(await keys(store)).not.toContain('')
  })
})

const keys = async (store: Store): Promise<string[]> =>
  ((await rowsOf(store, 'select key from figures')) as { key: string }[]).map(({ key }) => key)

import { expect, it } from 'vitest'
import { type RfqView, rfqViewSchema } from '../../src/views/rfq/rfq-view.js'
import { driveHostile, fillHostile, HOSTILE_CHANNEL, HOSTILE_START } from '../golden/hostile-marketplace.js'
import { openScenario, type Scenario } from '../golden/scenario.js'
import { anRfq, aResponse } from '../helpers/data/sample-documents.js'
import { labelledCases, runsLongTests } from '../helpers/long-tests.js'
import { openMcp } from '../mcp/mcp-fixture.js'
import { differencesOf, offerFigures, plainText, rfqFigures } from './shown-figures.js'
import { listsOfRfqs } from './surfaces-of-lists.js'
import { readComparison, type Surface, surfacesOfRfq } from './surfaces-of-rfq.js'

const CHANNEL = { org: 'acme', channel: 'forest', theme: 'forest', listings: 4, rfqs: 5, responsesPerRfq: 4 } as const
const rate = (value: number) => ({ rate: value, date: '2026-03-01', source: 'ECB' })
const SETTINGS = { currency: 'USD', exchangeRates: { EUR: rate(1.0837), CHF: rate(1.1) } }

interface Marketplace {
  scenario: Scenario
  /** A moment at which something else was known than now. */
  before: string
}

/**
 * The sample marketplace, a day after one RFQ disappeared, offers of another were withdrawn and put on hold, those of a third got
 * currencies with and without a rate, a fourth asks for no volume, and the list no longer has the offers of a fifth, which cannot be read.
 */
async function openSample(seed: number): Promise<Marketplace & { changed: Record<string, string> }> {
  const now = new Date('2026-03-10T09:30:00.000Z')
  const scenario = await openScenario({
    now,
    channels: [CHANNEL],
    still: true,
    seed,
    reports: JSON.stringify(SETTINGS),
  })
  const { world, faults } = scenario.sandbox
  const rfqs = (world.channel(CHANNEL)?.rfqs ?? []).filter(({ responses }) => responses.length > 1)
  const [gone, reduced, foreign, withoutVolume, unreadable] = rfqs
  if (!gone || !reduced || !foreign || !withoutVolume || !unreadable) throw new Error('the sample is too small')
  await scenario.pollAfter(0)
  const [withdrawn = '', onHold = ''] = reduced.responses.map(({ id }) => id)
  const [inEuro = '', inPounds = ''] = foreign.responses.map(({ id }) => id)
  world.removeRfq(gone.terms.id)
  world.removeResponse(withdrawn)
  world.changeResponse(onHold, { status: 'on-hold' as never })
  world.changeResponse(inEuro, { offer: { currency: foreign.terms.pricing?.currency === 'EUR' ? 'CHF' : 'EUR' } })
  world.changeResponse(inPounds, { offer: { currency: 'GBP' } })
  world.changeRfq(withoutVolume.terms.id, { minVolume: null as never, maxVolume: null as never })
  for (const { id } of [...unreadable.responses]) world.removeResponse(id)
  const effect = { kind: 'status', status: 500 } as const
  faults.add({ rfqId: unreadable.terms.id, operation: 'readRfq', times: Number.POSITIVE_INFINITY, effect })
  await scenario.pollAfter(1)
  const changed = { gone: gone.terms.id, reduced: reduced.terms.id, foreign: foreign.terms.id }
  return {
    scenario,
    before: '2026-03-10T12:00:00.000Z',
    changed: { ...changed, withdrawn, onHold, inEuro, inPounds },
  }
}

/** The hostile marketplace, with an RFQ whose offers have many digits, several currencies, and figures half-way between two. */
async function openHostile(): Promise<Marketplace> {
  const channels = [{ ...HOSTILE_CHANNEL, listings: 0, rfqs: 0 }]
  const scenario = await openScenario({
    now: new Date(HOSTILE_START),
    channels,
    still: true,
    reports: JSON.stringify(SETTINGS),
  })
  fillHostile(scenario)
  const offer = (id: string, currency: string | null, volume: number, unitPrice: number, totalPrice: number) => {
    const { offer } = aResponse()
    const [delivery] = offer.scheduledDeliveries
    const [vintage] = delivery?.vintages ?? []
    const scheduledDeliveries = [{ ...delivery, vintages: [{ ...vintage, volume, unitPrice }] }]
    return aResponse(id, { offer: { ...offer, currency, totalVolume: volume, totalPrice, scheduledDeliveries } })
  }
  const responses = [
    offer('many-digits', 'EUR', 333.333, 12.345678, 4115.22),
    offer('half-way', 'USD', 1000.005, 13.00005, 13_000.5),
    offer('without-rate', 'GBP', 700, 9.99995, 6999.97),
    offer('no-code', 'Dollars & <b>cents</b>', 500, 14, 7000),
    offer('no-currency', null, 500, 14, 7000),
    offer('tiny', 'CHF', 0.0004, 0.00009, 0.000000036),
    offer('other-total', 'EUR', 800, 11.5, 8000),
  ]
  const rfq = anRfq('many-currencies', { number: 1013, reference: '=1013', responses, responseDueDate: '2026-12-24' })
  scenario.sandbox.world.addRfq(HOSTILE_CHANNEL, rfq as never)
  await driveHostile(scenario)
  return { scenario, before: '2026-11-23T12:00:00.000Z' }
}

const MARKETPLACES = labelledCases<() => Promise<Marketplace>>(
  {
    ...Object.fromEntries([1, 2, 3, 4, 5].map((seed) => [`sample marketplace, seed ${seed}`, () => openSample(seed)])),
    'hostile marketplace': openHostile,
  },
  ['hostile marketplace'],
)

it.each(MARKETPLACES)(
  'all surfaces show the same figures and sentences of each RFQ: %s',
  async (_title, open) => {
    const { scenario, before } = await open()
    const mcp = await openMcp(scenario, { channels: scenario.channels, settings: SETTINGS })
    const differences: string[] = []
    for (const asOf of runsLongTests ? [undefined, before] : [undefined]) {
      const lists = asOf === undefined ? await listsOfRfqs(scenario, mcp) : []
      for (const { rfq } of await scenario.store.rfqs(asOf === undefined ? {} : { asOf: new Date(asOf) })) {
        const named = { channel: rfq.channel, id: rfq.id, asOf }
        const view = await readComparison(scenario, named)
        expect(rfqViewSchema.parse(view)).toEqual(view)
        expectOrder(view)
        for (const { name, rfqs } of lists) {
          const shown = rfqs.get(rfq.id) ?? { id: null }
          differences.push(...differencesOf(`${name} of RFQ ${rfq.id}`, shown, { id: rfq.id, ...rfqFigures(view) }))
        }
        if (view.offers.length === 0 && !runsLongTests) continue
        for await (const surface of surfacesOfRfq(scenario, mcp, named)) differences.push(...compare(surface, view))
      }
    }
    expect(differences).toEqual([])
  },
  300_000,
)

it('a missing RFQ, a withdrawn offer, one with an unknown status and one without a rate are never awarded', async () => {
  const { scenario, changed } = await openSample(1)
  const read = (id = '') => readComparison(scenario, { channel: 'acme/forest', id, asOf: undefined })
  const missing = await read(changed.gone)
  expect(missing.decision.recommendation).toMatchObject({ status: 'none', award: null })
  expect(missing.decision.recommendation.headline).toMatch(
    /^No award is recommended, because the RFQ has been missing from the channel since 2026-03-11/,
  )
  const reduced = await read(changed.reduced)
  expect(reduced.decision.recommendation.headline).toMatch(/1 is no longer visible/)
  expect(reduced.decision.recommendation.headline).toMatch(/1 has the status “on-hold”/)
  expect(reduced.summary).toMatchObject({ missing: 1, offers: reduced.offers.length - 1 })
  const foreign = await read(changed.foreign)
  expect(foreign.decision.recommendation.headline).toMatch(/1 is in GBP without an exchange rate \(\d/)
  for (const id of [changed.withdrawn, changed.onHold, changed.inPounds]) {
    const offer = [...reduced.offers, ...foreign.offers].find((each) => each.id === id)
    expect(offer).toMatchObject({ rank: null, awardedTonnes: 0, why: expect.any(String) })
  }
  const converted = foreign.offers.find(({ id }) => id === changed.inEuro)
  expect(converted?.compared.total).toBeCloseTo((converted?.own.total ?? 0) * 1.0837, 6)
})

it('Today recommends the same as the comparison', async () => {
  const { scenario } = await openSample(1)
  const rows = JSON.parse(await scenario.out('rfqs', '--json', '--state', 'open'))
  const today = plainText(await scenario.out('today', '--due-within', '3650'))
  expect(rows.length).toBeGreaterThan(2)
  for (const { figures, daysToDue, missingSince } of rows)
    if (daysToDue >= 0 && missingSince === null) expect(today).toContain(plainText(figures.award.message))
})

it('`--volume N` is the same as `--set volume=N`, and a number that makes no sense is refused', async () => {
  const { scenario, changed } = await openSample(1)
  const args = ['compare', changed.foreign ?? '', '--channel', 'acme/forest', '--json']
  const plain = JSON.parse(await scenario.out(...args)) as RfqView
  const volume = (plain.rfq.window.lower ?? 0) + 1
  const raised = JSON.parse(await scenario.out(...args, '--volume', String(volume))) as RfqView
  expect(raised).toEqual(JSON.parse(await scenario.out(...args, '--set', `volume=${volume}`)))
  expect(raised.rfq.window.lower).toBe(volume)
  expect(raised.settings.volume).toBe(volume)
  for (const wrong of ['0', '-5', 'many', '5,000', '1e30', '']) {
    const printed = await scenario.quotekeeper('compare', changed.foreign ?? '', `--volume=${wrong}`)
    expect([wrong, printed]).toEqual([wrong, expect.stringMatching(/--volume.*Expected a number of tonnes above 0/)])
    expect(printed).toContain('(exit status 2)')
  }
})

/** What differs on a surface from the comparison: offers, their figures, and the sentences of the recommendation. */
function compare({ name, offers: shown, isPart, text }: Surface, { rfq, offers, decision }: RfqView): string[] {
  const surface = `${name} of RFQ ${rfq.id}`
  const { headline, reasons, conditions } = decision.recommendation
  const missing = [headline, ...reasons, ...conditions].filter(
    (sentence) => text !== undefined && !plainText(text).includes(plainText(sentence)),
  )
  const found = shown?.map(({ id, number }) => offers.find((offer) => offer.id === id || offer.number === number)) ?? []
  const isComplete =
    shown === undefined || isPart || (found.length === offers.length && new Set(found).size === offers.length)
  return [
    ...missing.map((sentence) => `${surface} does not say: ${sentence}`),
    ...(isComplete ? [] : [`${surface} shows ${found.length} of ${offers.length} offers`]),
    ...(shown ?? []).flatMap((figures, at) => {
      const offer = found[at]
      if (offer === undefined) return [`${surface} shows another offer`]
      return differencesOf(`${surface}, offer ${offer.id}`, figures, { id: offer.id, ...offerFigures(offer) })
    }),
  ]
}

/** Ranks come first and have no gaps; every other offer says why it has none; awarded tonnes are those of the award. */
function expectOrder({ offers, decision }: RfqView): void {
  const ranks = offers.flatMap(({ rank }) => rank ?? [])
  expect(ranks).toEqual(ranks.map((_, at) => at + 1))
  for (const { rank, why } of offers) expect(rank === null).toBe(why !== null)
  const { award, accepted, headline } = decision.recommendation
  for (const { id, tonnes } of award?.offers ?? []) expect(decision.awardedTonnes[id]).toBe(tonnes)
  const awarded = [...(award?.offers ?? []), ...(accepted?.offers ?? [])].map(({ id }) => id)
  const shown = offers.filter(({ awardedTonnes }) => awardedTonnes > 0).map(({ id }) => id)
  expect(new Set(shown)).toEqual(new Set(awarded))
  const compared = offers.filter(({ standing }) => standing === 'ranked').length
  const all = `All ${compared} offers compared.`
  const counted = compared === offers.length ? all : ` of ${offers.length} offers compared; `
  if (offers.length > 1) expect(headline).toContain(counted)
}

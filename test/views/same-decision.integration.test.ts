import { expect, it } from 'vitest'
import { type RfqView, rfqViewSchema } from '../../src/views/rfq/rfq-view.js'
import { visibleText } from '../golden/readable.js'
import { openScenario, type Scenario } from '../golden/scenario.js'
import { labelledCases } from '../helpers/long-tests.js'
import { openMcp } from '../mcp/mcp-fixture.js'

const CHANNEL = { org: 'acme', channel: 'forest', theme: 'forest', listings: 4, rfqs: 8, responsesPerRfq: 4 } as const
const KEY = 'acme/forest'
/** After the first poll, when nothing was missing yet. */
const BEFORE = '2026-03-10T12:00:00.000Z'

/**
 * The sample marketplace, a day after one RFQ disappeared, offers of another were withdrawn and put on hold, one of a third changed its
 * currency, a fourth asks for no volume, and the list no longer has the offers of a fifth, which cannot be read.
 */
async function openChangedMarketplace() {
  const scenario = await openScenario({ now: new Date('2026-03-10T09:30:00.000Z'), channels: [CHANNEL], still: true })
  const { world, faults } = scenario.sandbox
  const [gone, reduced, foreign, ...others] = (world.channel(CHANNEL)?.rfqs ?? []).filter(
    ({ terms, responses }) => terms.state === 'open' && responses.length > 2,
  )
  const [withoutVolume] = others
  const unreadable = others.at(-1)
  if (
    gone === undefined ||
    reduced === undefined ||
    foreign === undefined ||
    withoutVolume === undefined ||
    unreadable === undefined
  )
    throw new Error('the sample is too small')
  await scenario.pollAfter(0)
  const [withdrawn, onHold] = reduced.responses.map(({ id }) => id) as [string, string]
  const inEuro = foreign.responses[0]?.id ?? ''
  world.removeRfq(gone.terms.id)
  world.removeResponse(withdrawn)
  world.changeResponse(onHold, { status: 'on-hold' as never })
  world.changeResponse(inEuro, { offer: { currency: foreign.terms.pricing?.currency === 'EUR' ? 'USD' : 'EUR' } })
  world.changeRfq(withoutVolume.terms.id, { minVolume: null as never, maxVolume: null as never })
  for (const { id } of [...unreadable.responses]) world.removeResponse(id)
  const effect = { kind: 'status', status: 500 } as const
  faults.add({ rfqId: unreadable.terms.id, operation: 'readRfq', times: Number.POSITIVE_INFINITY, effect })
  await scenario.pollAfter(1)
  const names = [gone, reduced, foreign, ...others].map(({ terms }) => terms.id)
  return { scenario, names, gone: gone.terms.id, reduced: reduced.terms.id, withdrawn, onHold, inEuro }
}

/** The report has every digit. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'number' ? Number(each.toPrecision(12)) : each)))

const message = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** What each surface shows of an RFQ, brought into one form. */
async function surfacesOf({ out, get, store, now }: Scenario, name: string, asOf: string | undefined) {
  const [option, query] = asOf === undefined ? [[], ''] : [['--as-of', asOf], `as_of=${asOf}&`]
  const args = [name, '--channel', KEY, ...option]
  const { call } = await openMcp({ store, now }, { channels: [KEY] })
  const page = `/rfqs/${KEY}/${encodeURIComponent(name)}?${query}`
  const [header = [], ...lines] = (await out('compare', ...args, '--tsv'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  const cell = (line: string[], column: string) => line[header.indexOf(column)] || null
  return {
    view: JSON.parse(await out('compare', ...args, '--json')) as RfqView,
    api: JSON.parse(await get(`/api/v1/rfqs/${KEY}/${encodeURIComponent(name)}/comparison?${query}`)) as RfqView,
    report: JSON.parse(await out('report', ...args, '--json')),
    assistant: await call('compare_offers', { rfq: name, channel: KEY, limit: 100, ...(asOf && { as_of: asOf }) }),
    texts: {
      compare: message(await out('compare', ...args)),
      page: message(visibleText(await get(page))),
    },
    table: lines.map((line) => ({
      rank: Number(cell(line, 'rank')) || null,
      number: Number(cell(line, 'no')),
      awardedTonnes: Number(cell(line, 'award')),
    })),
    pageRows: JSON.parse(await get(`${page}format=json`)) as { rank: number | null; awardedTonnes: number }[],
  }
}

it.each(labelledCases<string | undefined>({ now: undefined, 'as of a moment before': BEFORE }, ['now']))(
  'every surface shows the same award, order and headline, and counts every offer: %s',
  async (_title, asOf) => {
    const { scenario, names } = await openChangedMarketplace()
    for (const name of names) {
      const { view, api, report, assistant, texts, table, pageRows } = await surfacesOf(scenario, name, asOf)
      const { decision, offers } = view
      const { headline, award, accepted } = decision.recommendation
      expect(api).toEqual(view)
      expect(rfqViewSchema.parse(api)).toEqual(api)
      expect(rounded(report.decision)).toEqual(rounded(decision))
      expect(report.offers.map(({ id }: { id: string }) => id)).toEqual(offers.map(({ id }) => id))
      expect(assistant.decision).toEqual(decision)
      expect(assistant.offers.items.map(({ id }: { id: string }) => id)).toEqual(offers.map(({ id }) => id))
      for (const [surface, text] of Object.entries(texts))
        expect([surface, text]).toEqual([surface, expect.stringContaining(message(headline))])
      const order = offers.map(({ rank, number, awardedTonnes }) => ({ rank, number, awardedTonnes }))
      expect(table).toEqual(order)
      expect(pageRows).toMatchObject(order.map(({ rank, awardedTonnes }) => ({ rank, awardedTonnes })))
      // Ranks come first and have no gaps; every other offer says why it has none.
      const ranks = offers.flatMap(({ rank }) => rank ?? [])
      expect(ranks).toEqual(ranks.map((_, at) => at + 1))
      for (const { rank, why } of offers) expect(rank === null).toBe(why !== null)
      for (const { id, tonnes } of award?.offers ?? []) expect(decision.awardedTonnes[id]).toBe(tonnes)
      const awarded = [...(award?.offers ?? []), ...(accepted?.offers ?? [])].map(({ id }) => id)
      expect(new Set(offers.filter(({ awardedTonnes }) => awardedTonnes > 0).map(({ id }) => id))).toEqual(
        new Set(awarded),
      )
      const compared = offers.filter(({ standing }) => standing === 'ranked').length
      expect(headline).toContain(
        compared === offers.length ? `All ${compared} offers compared.` : ` of ${offers.length} offers compared; `,
      )
    }
  },
)

it('a missing RFQ, a withdrawn offer, one with an unknown status and one without a rate are never awarded, and every surface says why', async () => {
  const { scenario, names, gone, reduced, withdrawn, onHold, inEuro } = await openChangedMarketplace()
  const expectInAll = (texts: object, pattern: RegExp) => {
    for (const [surface, text] of Object.entries(texts))
      expect([surface, text]).toEqual([surface, expect.stringMatching(pattern)])
  }
  const missing = await surfacesOf(scenario, gone, undefined)
  expect(missing.view.decision.recommendation).toMatchObject({ status: 'none', award: null })
  expectInAll(
    missing.texts,
    /No award is recommended, because the RFQ has been missing from the channel since 2026-03-11/,
  )
  for (const name of [reduced, names[2] ?? '']) {
    const { view, texts } = await surfacesOf(scenario, name, undefined)
    const excluded = view.offers.filter(({ id }) => [withdrawn, onHold, inEuro].includes(id))
    expect(excluded.length).toBeGreaterThan(0)
    for (const { id, rank, awardedTonnes, why } of excluded) {
      expect([id, rank, awardedTonnes]).toEqual([id, null, 0])
      for (const [surface, text] of Object.entries(texts))
        expect([surface, text]).toEqual([surface, expect.stringContaining(message(why ?? ''))])
    }
  }
  const { texts } = await surfacesOf(scenario, reduced, undefined)
  expectInAll(texts, /1 is no longer visible/)
  expectInAll(texts, /1 has the status “on-hold”/)
  expectInAll(
    (await surfacesOf(scenario, names[2] ?? '', undefined)).texts,
    /1 is in (EUR|USD) without an exchange rate \(\d/,
  )
})

it('lists, pages and Today recommend the same as the comparison', async () => {
  const { scenario } = await openChangedMarketplace()
  const rows = JSON.parse(await scenario.out('rfqs', '--json')) as {
    id: string
    state: string
    figures: { award: { offers: string[]; message: string } | null }
  }[]
  const today = message(await scenario.out('today', '--due-within', '3650'))
  const open = rows.filter(({ state }) => state === 'open')
  expect(open.length).toBeGreaterThan(2)
  for (const { id, figures } of open) {
    const { award } = figures
    const view = JSON.parse(await scenario.out('compare', id, '--json')) as RfqView
    const labels = new Map(view.offers.map((offer) => [offer.id, offer.label]))
    expect(award?.offers).toEqual(
      (view.decision.recommendation.award?.offers ?? []).map((offer) => labels.get(offer.id)),
    )
    if ((view.rfq.daysToDue ?? -1) >= 0 && view.rfq.missingSince === null) expect(today).toContain(award?.message)
  }
})

it('`--volume N` is the same as `--set volume=N`, and a number that makes no sense is refused', async () => {
  const { scenario, names } = await openChangedMarketplace()
  const name = names[3] ?? names[1] ?? ''
  const args = ['compare', name, '--channel', KEY, '--json']
  const plain = JSON.parse(await scenario.out(...args)) as RfqView
  const volume = (plain.rfq.window.lower ?? 0) + 1
  const raised = JSON.parse(await scenario.out(...args, '--volume', String(volume))) as RfqView
  expect(raised).toEqual(JSON.parse(await scenario.out(...args, '--set', `volume=${volume}`)))
  expect(raised.rfq.window.lower).toBe(volume)
  expect(raised.settings.volume).toBe(volume)
  const report = JSON.parse(await scenario.out('report', name, '--channel', KEY, '--json', '--volume', String(volume)))
  expect(report.decision.recommendation).toEqual(raised.decision.recommendation)
  for (const wrong of ['0', '-5', 'many', '5,000', '1e30', '']) {
    const said = await scenario.quotekeeper('compare', name, '--channel', KEY, `--volume=${wrong}`)
    expect([wrong, said]).toEqual([wrong, expect.stringMatching(/--volume.*Expected a number of tonnes above 0/)])
    expect(said).toContain('(exit status 2)')
  }
})

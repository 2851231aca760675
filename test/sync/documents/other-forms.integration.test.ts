import { describe, expect, it } from 'vitest'
import { viewConfigOf } from '../../../src/tables/source.js'
import { createViews } from '../../../src/tables/views.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { refreshFigures } from '../../helpers/store/figures.js'
import { testConfig } from '../../helpers/test-config.js'
import { rfqRows } from '../../helpers/view-source.js'

const RFQ = 'ABCDEF00-0000-4000-8000-000000000001'
// biome-ignore lint/suspicious/noExplicitAny: bodies of the marketplace.
type Body = any
type Operation = 'listListings' | 'listRfqs' | 'readRfq' | 'readResponse'

/** Changes every reply of an operation until the function that it returns is called. */
function change({ sandbox }: ChannelFixture, operation: Operation, to: (body: Body) => unknown): () => void {
  const fault = sandbox.faults.add({
    ...{ operation, times: Number.POSITIVE_INFINITY },
    effect: { kind: 'transform', change: to },
  })
  return () => fault.remove()
}

const upper = (all: readonly Body[]) => all.map((each) => ({ ...each, id: each.id.toUpperCase() }))
const lower = (all: readonly Body[]) => all.map((each) => ({ ...each, id: each.id.toLowerCase() }))
const viewsOf = ({ store }: ChannelFixture) => createViews(store, viewConfigOf(testConfig()))
const named = ({ now }: ChannelFixture, name: string) => ({ channel: KEY, name, now: now() })

describe('identifiers in two spellings', () => {
  it('are one RFQ, offer and listing, stored and requested as they were listed, and the RFQ is closed', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    world.addRfq(CHANNEL, { id: RFQ, responseDueDate: '2026-11-20' })
    const offer = world.addResponse(RFQ).id as string
    const stopList = change(fixture, 'listRfqs', ({ items }) => ({
      items: items.map((each: Body) => ({ ...each, responses: upper(each.responses) })),
    }))
    change(fixture, 'listListings', ({ items }) => ({ items: upper(items) }))
    change(fixture, 'readRfq', (body) => ({ ...body, id: body.id.toLowerCase() }))
    await fixture.pollListings()
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', inserted: 2, invalid: 0 })
    // The marketplace spells all of them otherwise.
    stopList()
    for (const list of ['listListings', 'listRfqs'] as const)
      change(fixture, list, ({ items }) => ({ items: lower(items) }))
    change(fixture, 'readRfq', (body) => ({ ...body, responses: upper(body.responses) }))
    for (const { run } of [await fixture.pollListings(), await fixture.pollRfqs()])
      expect(run).toMatchObject({ outcome: 'complete', inserted: 0, changed: 0, missing: 0 })
    const [{ rfq, responses } = {}, ...others] = await fixture.store.rfqs({ channel: KEY })
    expect([rfq?.id, responses?.map(({ id }) => id), others]).toEqual([RFQ, [offer], []])
    const found = await viewsOf(fixture).offer({ ...named(fixture, RFQ.toLowerCase()), offer: offer.toUpperCase() })
    expect(found).toMatchObject({ id: offer, rfqId: RFQ, late: true })
    const { listingId } = found
    const [listing] = await fixture.store.listings({ channel: KEY, ids: [listingId ?? ''] })
    expect(listing?.id).toBe(listingId?.toUpperCase())
    expect(found.unmet.map(({ message }) => message).join()).not.toMatch(/listing/i)
    const list = await viewsOf(fixture).list('rfqs', { now: fixture.now(), parameters: {} })
    expect(list).toMatchObject({ rows: [{ id: RFQ, readState: 'read' }] })
    await fixture.closeExpired()
    expect(fixture.posts()).toMatchObject([{ path: expect.stringContaining(RFQ) }])
    expect(fixture.sandbox.world.rfq(RFQ).state).toBe('closed')
  })
})

describe('composed and decomposed characters', () => {
  const [composed, decomposed] = ['M\u00fcller', 'Mu\u0308ller']

  it('are found and named alike, are no change, and stay in the body as sent', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const { id } = world.addRfq(CHANNEL, { title: `Peat of ${decomposed}`, reference: `${decomposed}-7` })
    world.addResponse(id, { projectDeveloperName: decomposed })
    await fixture.pollRfqs()
    const views = viewsOf(fixture)
    await refreshFigures(fixture)
    const search = async (q: string) => (await rfqRows(fixture.store, fixture.now(), { parameters: { q } })).length
    for (const text of [composed, decomposed]) {
      expect(await search(text.toUpperCase())).toBe(1)
      expect(await views.findRfq({ ...named(fixture, `${text}-7`) })).toMatchObject({ id })
    }
    expect(await views.comparison(named(fixture, id))).toMatchObject({
      view: { offers: [{ developer: composed }] },
    })
    const [known] = await fixture.store.rfqs({ channel: KEY })
    expect(known?.rfq.body).toMatchObject({ title: `Peat of ${decomposed}` })
    change(fixture, 'readRfq', (body) => ({ ...body, title: body.title.normalize('NFC') }))
    fixture.advanceSeconds(60)
    expect((await fixture.pollRfqs()).run).toMatchObject({ changed: 0 })
  })
})

describe('numbers of offers', () => {
  it('never change: not by another submission, a further or a missing offer, or a clock that was set back', async () => {
    const fixture = await openChannelFixture()
    const { world } = fixture.sandbox
    const { id } = world.addRfq(CHANNEL)
    const offers = [1, 2, 3].map(
      (n) => world.addResponse(id, { submittedAt: `2026-11-2${n}T10:00:00.000Z` }).id as string,
    )
    await fixture.pollRfqs()
    const byNumber = async () => {
      const { view } = await viewsOf(fixture).comparison(named(fixture, id))
      return view.offers.toSorted((a, b) => a.sequence - b.sequence).map((offer) => offer.id)
    }
    const before = await byNumber()
    expect(before).toEqual([...offers].sort())
    world.changeResponse(before[0] as string, { submittedAt: '2026-11-23T10:00:00.000Z' })
    world.removeResponse(before[1] as string)
    world.addResponse(id, { id: '00000000-0000-4000-8000-000000000000', submittedAt: '2026-11-01T10:00:00.000Z' })
    fixture.setTime('2026-11-20T12:00:00.000Z')
    await fixture.pollRfqs()
    fixture.setTime('2026-11-22T12:00:00.000Z')
    await fixture.pollRfqs()
    expect(await byNumber()).toEqual([...before, '00000000-0000-4000-8000-000000000000'])
  })
})

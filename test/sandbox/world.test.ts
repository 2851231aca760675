import { describe, expect, it } from 'vitest'
import { listingDocument, responseDocument, rfqDocument, rfqListDocument } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { createWorld, describeWorld, type World } from '../../src/sandbox/index.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const forest = { org: 'acme', channel: 'forest' }
const spec = { ...forest, apiKey: 'k', listings: 5, rfqs: 12, responsesPerRfq: 3 }

const everything = (world: World) =>
  world.channels.map((channel) => ({
    listings: channel.listings,
    rfqs: channel.rfqs.map((record) => ({ rfq: record.singleShape(), responses: record.responses })),
  }))

describe('a seeded world', () => {
  it.each([1, 2, 3, 4, 5])('contains only documents that match the schemas strictly (seed %i)', (seed) => {
    for (const { listings, rfqs } of createWorld({ seed, now }).channels) {
      for (const listing of listings) expect(parseLeniently(listingDocument, listing).problems).toEqual([])
      for (const record of rfqs) {
        expect(parseLeniently(rfqListDocument, record.listShape()).problems).toEqual([])
        expect(parseLeniently(rfqDocument, record.singleShape()).problems).toEqual([])
        for (const response of record.responses) expect(parseLeniently(responseDocument, response).problems).toEqual([])
      }
    }
  })

  it('is the same for the same seed and time, ids included, and differs for another seed', () => {
    const one = createWorld({ seed: 42, now })
    const same = createWorld({ seed: 42, now })
    const other = createWorld({ seed: 43, now })
    expect(everything(same)).toEqual(everything(one))
    expect(same.keys).toEqual(one.keys)
    expect(everything(other)).not.toEqual(everything(one))
    expect(other.keys).not.toEqual(one.keys)
  })

  it('has open RFQs past due, due today and due later, and closed ones', () => {
    const terms = createWorld({ seed: 1, now, channels: [spec] }).channels[0]?.rfqs.map((record) => record.terms) ?? []
    const open = terms.filter(({ state }) => state === 'open').map(({ responseDueDate }) => responseDueDate)
    expect(open.some((due) => due < '2025-06-11')).toBe(true)
    expect(open).toContain('2025-06-11')
    expect(open.some((due) => due > '2025-06-11')).toBe(true)
    for (const { state, closedAt } of terms) expect(closedAt === null).toBe(state === 'open')
    expect(terms.some(({ state }) => state === 'closed')).toBe(true)
  })

  it('has a plausible history: nothing in the future, responses between opening and due date', () => {
    for (const { rfqs } of createWorld({ seed: 9, now }).channels) {
      for (const { terms, responses } of rfqs) {
        expect(terms.createdAt <= (terms.openedAt ?? '')).toBe(true)
        expect(terms.updatedAt <= now.toISOString()).toBe(true)
        for (const { submittedAt, offer } of responses) {
          expect(submittedAt > (terms.openedAt ?? '') && submittedAt.slice(0, 10) <= terms.responseDueDate).toBe(true)
          expect(submittedAt < now.toISOString()).toBe(true)
          expect((offer.review?.updatedAt ?? '') <= now.toISOString()).toBe(true)
        }
      }
    }
  })

  it('contains varied offers: spot and forward, pre-payments, several deliveries, reviews, flaws', () => {
    const world = createWorld({ seed: 1, now, channels: [{ ...spec, listings: 20, rfqs: 60, responsesPerRfq: 5 }] })
    const offers = world.channels.flatMap(({ rfqs }) =>
      rfqs.flatMap(({ responses }) => responses.map(({ offer }) => offer)),
    )
    const some = (test: (offer: (typeof offers)[number]) => boolean) =>
      expect(offers.filter(test).length).toBeGreaterThan(3)
    some((offer) => offer.contractType === 'spot')
    some((offer) => offer.scheduledDeliveries.length > 1)
    some((offer) => offer.scheduledDeliveries.some(({ vintages }) => vintages.length > 1))
    some((offer) => offer.prePayments.length > 0)
    some((offer) => offer.currency === 'EUR')
    some((offer) => offer.expiryDate === null)
    for (const status of ['pending', 'accepted', 'rejected']) some((offer) => offer.review?.status === status)
    some((offer) => Math.abs(statedTotal(offer) - offer.totalPrice) > 1)
    expect(offers.filter((offer) => Math.abs(statedTotal(offer) - offer.totalPrice) < 0.01).length).toBeGreaterThan(
      offers.length * 0.7,
    )
  })
})

const statedTotal = ({
  scheduledDeliveries,
}: {
  scheduledDeliveries: { vintages: { volume: number; unitPrice: number }[] }[]
}) =>
  scheduledDeliveries
    .flatMap(({ vintages }) => vintages)
    .reduce((total, { volume, unitPrice }) => total + volume * unitPrice, 0)

describe('changes to a world', () => {
  const still = () => createWorld({ seed: 1, now, channels: [{ ...spec, rfqs: 0 }] })

  it('add an open, valid RFQ with the given members', () => {
    const world = still()
    const rfq = world.addRfq(forest, { responseDueDate: '2025-06-01', title: 'Mine' })
    expect(rfq).toMatchObject({ state: 'open', responseDueDate: '2025-06-01', title: 'Mine', responses: [] })
    expect(parseLeniently(rfqDocument, rfq).problems).toEqual([])
    expect(world.addRfq(forest).id).not.toBe(rfq.id)
  })

  it('add, change and remove a response in all three shapes', () => {
    const world = still()
    const { id } = world.addRfq(forest)
    const response = world.addResponse(id, { status: 'submitted', offer: { totalPrice: 5 } })
    expect(parseLeniently(responseDocument, response).problems).toEqual([])
    const record = world.findRfq(id)?.record
    expect(record?.listShape().responses).toEqual([{ id: response.id, listingId: response.listingId }])
    world.changeResponse(response.id, { status: 'accepted', offer: { totalPrice: 6 } })
    expect(record?.singleShape().responses).toMatchObject([{ status: 'accepted', totalPrice: 6 }])
    expect(world.response(response.id)).toMatchObject({ status: 'accepted', offer: { totalPrice: 6 } })
    world.removeResponse(response.id)
    expect(record?.response(response.id)).toBeUndefined()
    expect(world.rfq(id).responses).toEqual([])
  })

  it('set updatedAt to the current time unless the change sets it', () => {
    const world = still()
    const { id } = world.addRfq(forest)
    world.now = () => new Date('2025-07-01T00:00:00.000Z')
    expect(world.changeRfq(id, { title: 'New' })).toMatchObject({ title: 'New', updatedAt: '2025-07-01T00:00:00.000Z' })
    expect(world.changeRfq(id, (rfq) => ({ ...rfq, updatedAt: '2020-01-01T00:00:00.000Z' })).updatedAt).toMatch('2020')
  })

  it('change and remove listings and RFQs', () => {
    const world = still()
    const listing = world.addListing(forest, { projectName: 'Here' })
    expect(world.changeListing(listing.id, { projectName: 'There' }).projectName).toBe('There')
    expect(world.channel(forest)?.listings).toContainEqual(expect.objectContaining({ projectName: 'There' }))
    world.removeListing(listing.id)
    expect(JSON.stringify(world.channel(forest)?.listings)).not.toContain('There')
    const { id } = world.addRfq(forest)
    world.removeRfq(id)
    expect(world.findRfq(id)).toBeUndefined()
  })

  it('throw an error that names what does not exist', () => {
    const world = still()
    expect(() => world.rfq('nobody')).toThrow('no RFQ nobody')
    expect(() => world.changeResponse('nobody', {})).toThrow('no response nobody')
    expect(() => world.removeListing('nobody')).toThrow('no listing nobody')
    expect(() => world.addRfq({ org: 'a', channel: 'b' })).toThrow('no channel a/b')
  })
})

it('describeWorld › summarizes each channel on one line', () => {
  const channels = [{ ...forest, apiKey: 'k', listings: 3, rfqs: 5, responsesPerRfq: 2 }]
  expect(describeWorld(createWorld({ seed: 2, now, channels }))).toMatch(
    /^Marketplace with seed 2, 2025-06-11 09:30 UTC\n {2}acme\/forest: 3 listings; 4 RFQs open \(1 past due, 1 due today\), 1 closed; 10 offers \(\d accepted, \d rejected\)$/,
  )
})

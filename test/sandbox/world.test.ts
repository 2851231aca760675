import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SCHEMAS } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { advanceWorld, createWorld, type World } from '../../src/sandbox/index.js'
import { shareOf } from '../helpers/long-tests.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const DAY = 24 * 3_600_000
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds)
const forest = { org: 'acme', channel: 'forest' }
const spec = { ...forest, apiKey: 'k', listings: 5, rfqs: 12, responsesPerRfq: 3 }
const channels = [{ ...forest, apiKey: 'k', rfqs: 4 }]

const everything = (world: World) =>
  world.channels.map((channel) => ({
    listings: channel.listings,
    rfqs: channel.rfqs.map((record) => ({ rfq: record.singleShape(), responses: record.responses })),
  }))

describe('a world', () => {
  it.each([...[1, 2, 3, 4, 5].map((seed) => ({ seed, days: 0 })), { seed: 8, days: 30 }])(
    'has only documents that match the schemas strictly, and a plausible history: %j',
    ({ seed, days }) => {
      const world = createWorld({ seed, now })
      advanceWorld(world, at(days * DAY))
      const time = at(days * DAY).toISOString()
      for (const { listings, rfqs } of world.channels) {
        for (const listing of listings) expect(parseLeniently(SCHEMAS.listing, listing).problems).toEqual([])
        for (const record of rfqs) {
          const { terms, responses } = record
          expect(parseLeniently(SCHEMAS['rfq-entry'], record.listShape()).problems).toEqual([])
          expect(parseLeniently(SCHEMAS.rfq, record.singleShape()).problems).toEqual([])
          expect(terms.createdAt <= (terms.openedAt ?? '') && terms.updatedAt <= time).toBe(true)
          expect(responses.filter(({ status }) => status === 'accepted').length).toBeLessThanOrEqual(1)
          for (const response of responses) {
            const { submittedAt, offer } = response
            expect(parseLeniently(SCHEMAS.response, response).problems).toEqual([])
            expect(submittedAt > (terms.openedAt ?? '') && submittedAt.slice(0, 10) <= terms.responseDueDate).toBe(true)
            expect(submittedAt <= time && (offer.review?.updatedAt ?? '') <= time).toBe(true)
          }
        }
      }
    },
  )

  it('is the same for the same seed and time, ids included, and differs for another seed', () => {
    const [one, same, other] = [42, 42, 43].map((seed) => createWorld({ seed, now })) as [World, World, World]
    expect([everything(same), same.keys]).toEqual([everything(one), one.keys])
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

  it('contains varied offers: spot and forward, pre-payments, several deliveries, reviews, flaws', () => {
    const world = createWorld({ seed: 1, now, channels: [{ ...spec, listings: 20, rfqs: 60, responsesPerRfq: 5 }] })
    const offers = world.channels.flatMap(({ rfqs }) => rfqs.flatMap(({ responses }) => responses.map((r) => r.offer)))
    type Offer = (typeof offers)[number]
    const some = (test: (offer: Offer) => boolean) => expect(offers.filter(test).length).toBeGreaterThan(3)
    some((offer) => offer.contractType === 'spot')
    some((offer) => offer.scheduledDeliveries.length > 1)
    some((offer) => offer.scheduledDeliveries.some(({ vintages }) => vintages.length > 1))
    some((offer) => offer.prePayments.length > 0)
    some((offer) => offer.currency === 'EUR')
    some((offer) => offer.expiryDate === null)
    for (const status of ['pending', 'accepted', 'rejected']) some((offer) => offer.review?.status === status)
    const difference = ({ scheduledDeliveries, totalPrice }: Offer) => {
      const lines = scheduledDeliveries.flatMap(({ vintages }) => vintages)
      return Math.abs(lines.reduce((total, { volume, unitPrice }) => total + volume * unitPrice, 0) - totalPrice)
    }
    some((offer) => difference(offer) > 1)
    expect(offers.filter((offer) => difference(offer) < 0.01).length).toBeGreaterThan(offers.length * 0.7)
  })
})

describe('the events of a world', () => {
  it('lead to the same world in one step or in many', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.nat({ max: 9 * DAY }), { maxLength: 8 }), (seed, steps) => {
        const one = createWorld({ seed, now, channels })
        const other = createWorld({ seed, now, channels })
        const stepwise = [...steps.sort((a, b) => a - b), 10 * DAY].flatMap((step) => advanceWorld(other, at(step)))
        expect(advanceWorld(one, at(10 * DAY))).toEqual(stepwise)
        expect(everything(one)).toEqual(everything(other))
        expect(one.planned.length).toBe(other.planned.length)
      }),
      { numRuns: shareOf(15) },
    )
  })

  it('leave other RFQs unchanged when one is closed', () => {
    const one = createWorld({ seed: 5, now, channels })
    const other = createWorld({ seed: 5, now, channels })
    const id = other.channels[0]?.rfqs[0]?.terms.id ?? ''
    other.closeRfq(id)
    advanceWorld(one, at(6 * DAY))
    advanceWorld(other, at(6 * DAY))
    const rest = (world: World) =>
      world.channels[0]?.rfqs.filter(({ terms }) => terms.id !== id).map((each) => each.singleShape())
    expect(rest(other)).toEqual(rest(one))
  })

  it.each([
    ['time is set back', {}, DAY],
    ['it was created with still: true', { still: true }, 30 * DAY],
  ])('change nothing when %s', (_when, options, until) => {
    const world = createWorld({ seed: 8, now, channels, ...options })
    advanceWorld(world, at(2 * DAY))
    const before = everything(world)
    expect(advanceWorld(world, at(until))).toEqual([])
    expect(everything(world)).toEqual(before)
  })
})

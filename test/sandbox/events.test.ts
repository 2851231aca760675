import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listingDocument, responseDocument, rfqDocument } from '../../src/core/documents/documents.js'
import { parseLeniently } from '../../src/core/documents/lenient-parser.js'
import { advanceWorld, createWorld, type World } from '../../src/sandbox/index.js'
import { shareOf } from '../helpers/long-tests.js'

const now = new Date('2025-06-11T09:30:00.000Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds)
const channels = [{ org: 'acme', channel: 'forest', apiKey: 'k', rfqs: 4 }]

const everything = (world: World) =>
  world.channels.map((channel) => ({
    listings: channel.listings,
    rfqs: channel.rfqs.map((record) => ({ rfq: record.singleShape(), responses: record.responses })),
  }))

describe('world events', () => {
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

  it('include offers, revisions, reviews, decisions, amendments, new RFQs and prices', () => {
    const events = advanceWorld(createWorld({ seed: 3, now }), at(20 * DAY)).map(({ text }) => text)
    for (const sign of [
      ': offer from',
      'revised offer',
      'reviewed:',
      ' accepted',
      ' rejected',
      'amended',
      'opened',
      'now asks',
    ]) {
      expect(events.filter((text) => text.includes(sign)).length, sign).toBeGreaterThan(0)
    }
  })

  it('produce only valid documents, with no timestamps in the future', () => {
    const world = createWorld({ seed: 8, now })
    advanceWorld(world, at(30 * DAY))
    for (const { listings, rfqs } of world.channels) {
      for (const listing of listings) expect(parseLeniently(listingDocument, listing).problems).toEqual([])
      for (const record of rfqs) {
        expect(parseLeniently(rfqDocument, record.singleShape()).problems).toEqual([])
        expect(record.terms.updatedAt <= at(30 * DAY).toISOString()).toBe(true)
        for (const response of record.responses) expect(parseLeniently(responseDocument, response).problems).toEqual([])
      }
    }
  })

  it('accept at most one offer per RFQ, and add none after the due date', () => {
    const world = createWorld({ seed: 8, now })
    advanceWorld(world, at(40 * DAY))
    for (const { rfqs } of world.channels) {
      for (const { terms, responses } of rfqs) {
        expect(responses.filter(({ status }) => status === 'accepted').length).toBeLessThanOrEqual(1)
        for (const { submittedAt } of responses) expect(submittedAt.slice(0, 10) <= terms.responseDueDate).toBe(true)
      }
    }
  })

  it('change nothing when time is set back', () => {
    const world = createWorld({ seed: 8, now, channels })
    advanceWorld(world, at(2 * DAY))
    const before = everything(world)
    expect(advanceWorld(world, at(DAY))).toEqual([])
    expect(everything(world)).toEqual(before)
  })

  it('do not happen in a world created with still: true', () => {
    const world = createWorld({ seed: 8, now, channels, still: true })
    const before = everything(world)
    expect(advanceWorld(world, at(30 * DAY))).toEqual([])
    expect(everything(world)).toEqual(before)
  })
})

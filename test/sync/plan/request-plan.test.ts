import { describe, expect, it } from 'vitest'
import { RequestWorld } from '../../helpers/data/request-world.js'

const RULES = { offersMaxAgeMinutes: 60, urgentHours: 24, recheckClosedHours: 24 }
const POLLS_PER_DAY = 288

/** After a first poll that read everything. */
async function polledWorld(size: { rfqs: number; offers: number }): Promise<RequestWorld> {
  const world = new RequestWorld(RULES, size)
  await world.poll(1_000)
  return world
}

describe('a plan with enough requests', () => {
  it('reads every open RFQ at every poll and no offer again before it is old, over a day', async () => {
    const world = new RequestWorld(RULES, { rfqs: 5, offers: 4 })
    expect(await world.poll(1_000)).toMatchObject({ sent: 5 * 5, postponed: 0 })
    const sent = await world.polls(POLLS_PER_DAY, 1_000)
    // Each of 20 offers once in 55 minutes, an equal part at each poll: an age of 60 minutes is not exceeded while the next poll reads.
    const offers = sent.map((requests) => requests - 5)
    expect(Math.max(...offers)).toBeLessThan(20)
    expect(offers.reduce((sum, requests) => sum + requests, 0)).toBeLessThanOrEqual((20 * POLLS_PER_DAY) / 10)
    expect(world.oldestMinutes()).toBeLessThanOrEqual(60)
  })

  it('reads an offer in the poll in which its summary changed, and a new one', async () => {
    const world = await polledWorld({ rfqs: 3, offers: 3 })
    world.changeSummary(1, 2)
    expect(await world.poll(1_000)).toMatchObject({ sent: 3 + 1, read: ['rfq-1 offer-2'] })
    world.addOffer(0)
    expect(await world.poll(1_000)).toMatchObject({ sent: 3 + 1, read: ['rfq-0 offer-3'] })
    expect((await world.poll(1_000)).sent).toBe(3)
  })

  it('reads everything of an RFQ that is due soon or was due lately at every poll, and of a maximum age of 0', async () => {
    const soon = await polledWorld({ rfqs: 3, offers: 3 })
    soon.setDue(1, 20)
    expect((await soon.poll(1_000)).sent).toBe(3 + 3)
    soon.setDue(1, -20)
    expect((await soon.poll(1_000)).sent).toBe(3 + 3)
    soon.setDue(1, -25)
    expect((await soon.poll(1_000)).sent).toBe(3)
    const always = new RequestWorld({ ...RULES, offersMaxAgeMinutes: 0 }, { rfqs: 3, offers: 3 })
    for (let poll = 0; poll < 6; poll++) expect((await always.poll(1_000)).sent).toBe(12)
  })

  it('reads a closed RFQ once with all its offers, then not before it is to be checked again', async () => {
    const world = await polledWorld({ rfqs: 2, offers: 3 })
    world.close(0)
    expect((await world.poll(1_000)).sent).toBe(4 + 1)
    const sent = await world.polls(POLLS_PER_DAY - 1, 1_000)
    expect(sent.every((requests) => requests <= 4)).toBe(true)
    expect((await world.poll(1_000)).sent).toBe(4 + 1)
  })
})

describe('a plan with too few requests', () => {
  it('says what rate is needed, and reads everything in turn', async () => {
    const world = new RequestWorld(RULES, { rfqs: 20, offers: 49 })
    const { rates } = await world.poll(31)
    // The list, 20 RFQs, and 980 offers within 55 minutes of polls every five.
    expect(rates.required).toBeCloseTo((1 + 20 + 980 / 11) / 300)
    expect(rates.allowed).toBeCloseTo((31 + 1) / 300)
    // Half of the requests read RFQs.
    const cycleMinutes = Math.ceil(1_000 / (31 / 2)) * 5
    for (let poll = 0; poll < 75; poll++) expect((await world.poll(31)).sent).toBeLessThanOrEqual(31)
    for (let poll = 0; poll < 75; poll++) {
      await world.poll(31)
      expect(world.oldestMinutes()).toBeLessThanOrEqual(1.5 * cycleMinutes)
    }
  })

  it('reads the highest priority first: due soonest, never read, changed, oldest', async () => {
    const world = await polledWorld({ rfqs: 40, offers: 0 })
    world.setDue(7, 10)
    world.setDue(8, 5)
    await world.poll(1_000)
    world.changeEntry(5)
    world.addRfq()
    expect((await world.poll(10)).order.slice(0, 4)).toEqual(['rfq-8', 'rfq-7', 'rfq-5', 'rfq-40'])
  })

  it('reads open RFQs before closed ones at first, however long the closed ones are past due, and all in the end', async () => {
    const world = new RequestWorld(RULES, { rfqs: 60, offers: 1 })
    for (let rfq = 0; rfq < 60; rfq++) {
      world.setDue(rfq, rfq < 50 ? -100 - rfq : 400 - rfq)
      if (rfq < 50) world.close(rfq)
    }
    const read: string[] = []
    for (let poll = 0; poll < 3; poll++) read.push(...(await world.poll(20)).order)
    expect(read.slice(0, 7)).toEqual([59, 58, 57, 56, 55, 54, 53].map((rfq) => `rfq-${rfq}`))
    expect(read).toEqual(expect.arrayContaining([52, 51, 50].map((rfq) => `rfq-${rfq}`)))
    await world.polls(12, 20)
    expect(world.unread()).toEqual([])
  })

  it('reads an offer at the latest in the poll after the one that sees its summary changed', async () => {
    // All RFQs are read at every poll, but few of the offers that are due.
    const world = new RequestWorld(RULES, { rfqs: 5, offers: 40 })
    await world.polls(30, 15)
    for (let round = 0; round < 6; round++) {
      world.changeSummary(round, 7 * round)
      const polls = [await world.poll(15), await world.poll(15)]
      expect(polls.flatMap(({ read }) => read)).toContain(`rfq-${round % 5} offer-${(7 * round) % 40}`)
      for (const { postponed, sent } of polls) {
        expect(postponed).toBeGreaterThan(0)
        expect(sent).toBeLessThanOrEqual(15)
      }
    }
  })
})

describe('documents that always fail', () => {
  const FAILING = ['rfq-1', 'rfq-2 offer-0', 'rfq-2 offer-1']

  it('are requested once in each poll that has enough requests, after all others, and read as soon as they can be', async () => {
    const world = new RequestWorld(RULES, { rfqs: 5, offers: 3 })
    world.fail(...FAILING)
    await world.poll(1_000)
    for (let poll = 0; poll < 6; poll++) {
      const { sent, failed, order } = await world.poll(1_000)
      expect({ failed: failed.sort(), last: order.at(-1) }).toEqual({ failed: FAILING, last: 'rfq-1' })
      // One offer that is not due yet is read in turn.
      expect(sent).toBeLessThanOrEqual(7 + 1)
    }
    world.recover()
    const { read, failed } = await world.poll(1_000)
    expect(failed).toEqual([])
    expect(read).toEqual(expect.arrayContaining(['rfq-1 offer-2', 'rfq-2 offer-0', 'rfq-2 offer-1']))
    expect(world.unread()).toEqual([])
    expect((await world.poll(1_000)).sent).toBeLessThanOrEqual(5 + 1)
  })
})

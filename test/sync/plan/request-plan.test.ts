import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestWorld } from '../../helpers/data/request-world.js'
import { shareOf } from '../../helpers/long-tests.js'

const RULES = { offersMaxAgeMinutes: 60, urgentHours: 24, recheckClosedHours: 24 }
const POLLS_PER_DAY = 288

/** After a first poll that read everything. */
async function polledWorld(size: { rfqs: number; offers: number }): Promise<RequestWorld> {
  const world = new RequestWorld(RULES, size)
  await world.poll(1_000)
  return world
}

describe('every plan', () => {
  const action = fc.record({
    what: fc.constantFrom('summary', 'entry', 'offer', 'rfq', 'due', 'close', 'nothing', 'nothing'),
    rfq: fc.nat(30),
    offer: fc.nat(10),
  })
  const apply = (world: RequestWorld, { what, rfq, offer }: { what: string; rfq: number; offer: number }) => {
    if (what === 'summary') world.changeSummary(rfq, offer)
    if (what === 'entry') world.changeEntry(rfq)
    if (what === 'offer') world.addOffer(rfq)
    if (what === 'rfq') world.addRfq()
    if (what === 'due') world.setDue(rfq, offer - 5)
    if (what === 'close') world.close(rfq)
  }
  const size = fc.record({ rfqs: fc.integer({ min: 1, max: 12 }), offers: fc.integer({ min: 0, max: 8 }) })

  it('never sends more requests than the budget, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.array(fc.tuple(action, fc.nat(60)), { maxLength: 40 }), async (shape, steps) => {
        const world = new RequestWorld(RULES, shape)
        for (const [step, budget] of steps) {
          apply(world, step)
          expect((await world.poll(budget)).sent).toBeLessThanOrEqual(budget)
        }
      }),
      { numRuns: shareOf(40) },
    )
  })

  it('reads every offer within its maximum age, if the budget allows it', async () => {
    await fc.assert(
      fc.asyncProperty(
        size,
        fc.array(action, { maxLength: 30 }),
        fc.integer({ min: 15, max: 120 }),
        async (shape, steps, age) => {
          const world = new RequestWorld({ ...RULES, offersMaxAgeMinutes: age }, shape)
          await world.poll(10_000)
          for (let poll = 0; poll < 80; poll++) {
            const step = steps[poll]
            if (step) apply(world, step)
            const { sent, rates } = await world.poll(world.sufficientBudget())
            expect(sent).toBeLessThanOrEqual(world.sufficientBudget())
            expect(rates.required).toBeLessThanOrEqual(rates.allowed)
            expect(world.oldestMinutes()).toBeLessThanOrEqual(Math.max(age, 5))
          }
        },
      ),
      { numRuns: shareOf(10) },
    )
  })

  /** A closed RFQ with offers never read, beside an open one that is overdue. */
  const OVERDUE_BESIDE_CLOSED = [
    { what: 'close', rfq: 0, offer: 0 },
    { what: 'rfq', rfq: 0, offer: 0 },
    { what: 'due', rfq: 21, offer: 0 },
  ]

  it('leaves nothing unread for ever, however few requests there are and whatever else is more valuable', async () => {
    await fc.assert(
      fc.asyncProperty(
        size,
        fc.array(action, { maxLength: 80 }),
        fc.integer({ min: 4, max: 12 }),
        async (shape, steps, budget) => {
          const world = new RequestWorld(RULES, shape)
          const polls = POLLS_PER_DAY + 3 * (shape.rfqs * (shape.offers + 2) + steps.length)
          for (let poll = 0; poll < polls; poll++) {
            const step = steps[poll]
            if (step) apply(world, step)
            await world.poll(budget)
          }
          expect(world.unread()).toEqual([])
        },
      ),
      { numRuns: shareOf(10), examples: [[{ rfqs: 1, offers: 2 }, OVERDUE_BESIDE_CLOSED, 4]] },
    )
  })
})

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
})

describe('a plan with too few requests', () => {
  it('says what rate is needed', async () => {
    const world = new RequestWorld(RULES, { rfqs: 20, offers: 49 })
    const { rates } = await world.poll(31)
    // The list, 20 RFQs, and 980 offers within 55 minutes of polls every five.
    expect(rates.required).toBeCloseTo((1 + 20 + 980 / 11) / 300)
    expect(rates.allowed).toBeCloseTo((31 + 1) / 300)
  })

  it.each([4, 7, 9])(
    'reads an RFQ due today first, by half of the requests, then it and all others in turn, over a day of polls of %i documents',
    async (budget) => {
      const world = new RequestWorld(RULES, { rfqs: 12, offers: 5 })
      for (let rfq = 0; rfq < 12; rfq++) world.setDue(rfq, rfq === 3 ? 20 : 120)
      const offersOf = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, offer) => `rfq-3 offer-${from + offer}`)
      /** The offers of that RFQ by half of the requests, one of which is for the RFQ. */
      const expectFirst = async (offers: string[]) => {
        const polls = Math.ceil(offers.length / (Math.floor(budget / 2) - 1))
        const read: string[] = []
        for (let poll = 0; poll < polls; poll++) read.push(...(await world.poll(budget)).read)
        expect(read).toEqual(expect.arrayContaining(offers))
      }
      await expectFirst(offersOf(0, 5))
      for (let poll = 0; poll < POLLS_PER_DAY; poll++) {
        // Also while everything else has waited for long.
        if (poll === 150) {
          for (let offer = 0; offer < 3; offer++) world.addOffer(3)
          await expectFirst(offersOf(5, 8))
        }
        expect((await world.poll(budget)).sent).toBeLessThanOrEqual(budget)
        if (poll > 80) expect(world.oldestMinutes()).toBeLessThanOrEqual(5 * world.pollsForAll(budget) + 60)
      }
      expect(world.unread()).toEqual([])
    },
  )

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

  it.each([4, 9])(
    'take few of too few requests (%i), are not forgotten, and let nothing starve over a day',
    async (budget) => {
      const world = new RequestWorld(RULES, { rfqs: 10, offers: 4 })
      world.fail(...FAILING)
      const times = new Map<string, number>()
      for (let poll = 0; poll < POLLS_PER_DAY; poll++) {
        if (poll === 100) world.fail('rfq-9')
        const { sent, failed } = await world.poll(budget)
        expect(sent).toBeLessThanOrEqual(budget)
        for (const document of failed) times.set(document, (times.get(document) ?? 0) + 1)
      }
      expect(world.unread()).toEqual(expect.arrayContaining(FAILING))
      expect(world.unread().filter((id) => !id.startsWith('rfq-1') && !FAILING.includes(id))).toEqual([])
      for (const document of FAILING) {
        expect(times.get(document)).toBeGreaterThanOrEqual(3)
        expect(times.get(document)).toBeLessThanOrEqual(POLLS_PER_DAY / 6)
      }
      // What can never be read does not keep others from being read first.
      world.addRfq()
      world.setDue(10, 20)
      for (let offer = 0; offer < 3; offer++) world.addOffer(10)
      const read: string[] = []
      for (let poll = 0; poll < 3; poll++) read.push(...(await world.poll(budget)).read)
      expect(read).toEqual(expect.arrayContaining([0, 1, 2].map((offer) => `rfq-10 offer-${offer}`)))
      world.recover()
      await world.polls(80, budget)
      expect(world.unread()).toEqual([])
    },
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestWorld } from '../helpers/request-world.js'

const RULES = { offersMaxAgeMinutes: 60, urgentHours: 24, recheckClosedHours: 24 }
const POLLS_PER_DAY = 288

describe('a plan with enough requests', () => {
  it('reads every open RFQ at every poll and no offer again before it is old, over a day', () => {
    const world = new RequestWorld(RULES, { rfqs: 5, offers: 4 })
    expect(world.poll(1_000)).toMatchObject({ sent: 5 * 5, postponed: 0 })
    const sent = Array.from({ length: POLLS_PER_DAY }, () => world.poll(1_000).sent)
    // Each offer every 55 minutes: an age of 60 minutes is not exceeded while the next poll reads.
    expect(sent.filter((requests) => requests === 5)).toHaveLength(POLLS_PER_DAY - 26)
    expect(sent.filter((requests) => requests === 25)).toHaveLength(26)
    expect(world.oldestMinutes()).toBeLessThanOrEqual(60)
  })

  it('reads an offer in the poll in which its summary changed, and a new one', () => {
    const world = new RequestWorld(RULES, { rfqs: 3, offers: 3 })
    world.poll(1_000)
    world.changeSummary(1, 2)
    expect(world.poll(1_000)).toMatchObject({ sent: 3 + 1, read: ['rfq-1 offer-2'] })
    world.addOffer(0)
    expect(world.poll(1_000)).toMatchObject({ sent: 3 + 1, read: ['rfq-0 offer-3'] })
    expect(world.poll(1_000).sent).toBe(3)
  })

  it('reads everything of an RFQ that is due soon or was due lately at every poll, and of a maximum age of 0', () => {
    const soon = new RequestWorld(RULES, { rfqs: 3, offers: 3 })
    soon.poll(1_000)
    soon.setDue(1, 20)
    expect(soon.poll(1_000).sent).toBe(3 + 3)
    soon.setDue(1, -20)
    expect(soon.poll(1_000).sent).toBe(3 + 3)
    soon.setDue(1, -25)
    expect(soon.poll(1_000).sent).toBe(3)
    const always = new RequestWorld({ ...RULES, offersMaxAgeMinutes: 0 }, { rfqs: 3, offers: 3 })
    for (let poll = 0; poll < 6; poll++) expect(always.poll(1_000).sent).toBe(12)
  })

  it('reads a closed RFQ once with all its offers, then not before it is to be checked again', () => {
    const world = new RequestWorld(RULES, { rfqs: 2, offers: 3 })
    world.poll(1_000)
    world.close(0)
    expect(world.poll(1_000).sent).toBe(4 + 1)
    const sent = Array.from({ length: POLLS_PER_DAY - 1 }, () => world.poll(1_000).sent)
    expect(sent.every((requests) => requests <= 4)).toBe(true)
    expect(world.poll(1_000).sent).toBe(4 + 1)
  })
})

describe('a plan with too few requests', () => {
  it('says what rate is needed, and how old documents become', () => {
    const world = new RequestWorld(RULES, { rfqs: 20, offers: 49 })
    const { rates } = world.poll(31)
    // 1,000 documents within 55 minutes of polls every five, and the list: 92 requests per poll. 28 of 31 are planned, half
    // of them for offers.
    expect(rates.required).toBeCloseTo((20 + 980 / 11 + 1) / 300)
    expect(rates.allowed).toBeCloseTo((28 + 1) / 300)
    expect(rates.ageMinutes).toBe((Math.ceil(1_000 / (28 - 11 - 2)) + 1) * 5)
    for (let poll = 0; poll < 75; poll++) {
      expect(world.poll(31).sent).toBeLessThanOrEqual(31)
      expect(world.oldestMinutes()).toBeLessThanOrEqual(rates.ageMinutes)
    }
    expect(world.oldestMinutes()).toBeGreaterThan(0.6 * rates.ageMinutes)
  })

  it('says the same of a poll that begins just before the next one', () => {
    const world = new RequestWorld(RULES, { rfqs: 20, offers: 49 })
    const usual = world.poll(31).rates
    for (let poll = 0; poll < 6; poll++) expect(world.poll(4, 31).rates).toEqual(usual)
  })

  it('reads the most valuable first: never read, changed, due soonest, summary changed, oldest', () => {
    const world = new RequestWorld(RULES, { rfqs: 40, offers: 0 })
    world.poll(1_000)
    world.setDue(7, 10)
    world.setDue(8, 5)
    world.poll(1_000)
    world.changeEntry(5)
    world.addRfq()
    expect(world.poll(10).order.slice(0, 4)).toEqual(['rfq-40', 'rfq-5', 'rfq-8', 'rfq-7'])
  })
})

describe('every plan', () => {
  it('reads every document again, never later than it says, over hours, however few requests there are', () => {
    const shape = fc.record({ rfqs: fc.integer({ min: 1, max: 12 }), offers: fc.integer({ min: 0, max: 8 }) })
    const budgets = fc.oneof(fc.integer({ min: 4, max: 12 }), fc.integer({ min: 4, max: 120 }))
    fc.assert(
      fc.property(shape, budgets, fc.nat(3), fc.constantFrom(15, 60), (size, budget, urgent, age) => {
        const world = new RequestWorld({ ...RULES, offersMaxAgeMinutes: age }, size)
        for (let rfq = 0; rfq < urgent; rfq++) world.setDue(rfq, 20)
        for (let poll = 0; poll < 150; poll++) {
          const { rates } = world.poll(budget)
          // While everything is new, new documents are read first.
          if (poll > 70) expect(world.oldestMinutes()).toBeLessThanOrEqual(rates.ageMinutes)
        }
        expect(world.unread()).toEqual([])
      }),
      { numRuns: 8 },
    )
  })

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

  it('never sends more requests than the budget, whatever happens', () => {
    fc.assert(
      fc.property(size, fc.array(fc.tuple(action, fc.nat(60)), { maxLength: 40 }), (shape, steps) => {
        const world = new RequestWorld(RULES, shape)
        for (const [step, budget] of steps) {
          apply(world, step)
          expect(world.poll(budget).sent).toBeLessThanOrEqual(budget)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('reads every offer within its maximum age, where the budget suffices', () => {
    fc.assert(
      fc.property(size, fc.array(action, { maxLength: 30 }), fc.integer({ min: 15, max: 120 }), (shape, steps, age) => {
        const world = new RequestWorld({ ...RULES, offersMaxAgeMinutes: age }, shape)
        world.poll(10_000)
        for (let poll = 0; poll < 80; poll++) {
          const step = steps[poll]
          if (step) apply(world, step)
          const { sent, rates } = world.poll(world.sufficientBudget())
          expect(sent).toBeLessThanOrEqual(world.sufficientBudget())
          expect(rates.required).toBeLessThanOrEqual(rates.allowed)
          expect(world.oldestMinutes()).toBeLessThanOrEqual(Math.max(age, 5))
        }
      }),
      { numRuns: 10 },
    )
  })

  it('leaves nothing unread for ever, however few requests there are and whatever else is more valuable', () => {
    fc.assert(
      fc.property(
        size,
        fc.array(action, { maxLength: 200 }),
        fc.integer({ min: 2, max: 12 }),
        (shape, steps, budget) => {
          const world = new RequestWorld(RULES, shape)
          const polls = 3 * (shape.rfqs * (shape.offers + 2) + steps.length)
          for (let poll = 0; poll < polls; poll++) {
            const step = steps[poll]
            if (step) apply(world, step)
            world.poll(budget)
          }
          expect(world.unread()).toEqual([])
        },
      ),
      { numRuns: 10 },
    )
  })
})

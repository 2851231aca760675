import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestWorld } from '../helpers/request-world.js'

const RULES = { offersMaxAgeMinutes: 60, urgentHours: 24, recheckClosedHours: 24 }

describe('every plan', () => {
  it('reads every document again, never later than it says, over hours, however few requests there are', async () => {
    const shape = fc.record({ rfqs: fc.integer({ min: 1, max: 12 }), offers: fc.integer({ min: 0, max: 8 }) })
    const budgets = fc.oneof(fc.integer({ min: 4, max: 12 }), fc.integer({ min: 4, max: 120 }))
    await fc.assert(
      fc.asyncProperty(shape, budgets, fc.nat(3), fc.constantFrom(15, 60), async (size, budget, urgent, age) => {
        const world = new RequestWorld({ ...RULES, offersMaxAgeMinutes: age }, size)
        for (let rfq = 0; rfq < urgent; rfq++) world.setDue(rfq, 20)
        for (let poll = 0; poll < 150; poll++) {
          const { rates } = await world.poll(budget)
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

  it('never sends more requests than the budget, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.array(fc.tuple(action, fc.nat(60)), { maxLength: 40 }), async (shape, steps) => {
        const world = new RequestWorld(RULES, shape)
        for (const [step, budget] of steps) {
          apply(world, step)
          expect((await world.poll(budget)).sent).toBeLessThanOrEqual(budget)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('reads every offer within its maximum age, where the budget suffices', async () => {
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
      { numRuns: 10 },
    )
  })

  it('leaves nothing unread for ever, however few requests there are and whatever else is more valuable', async () => {
    await fc.assert(
      fc.asyncProperty(
        size,
        fc.array(action, { maxLength: 80 }),
        fc.integer({ min: 2, max: 12 }),
        async (shape, steps, budget) => {
          const world = new RequestWorld(RULES, shape)
          const polls = 3 * (shape.rfqs * (shape.offers + 2) + steps.length)
          for (let poll = 0; poll < polls; poll++) {
            const step = steps[poll]
            if (step) apply(world, step)
            await world.poll(budget)
          }
          expect(world.unread()).toEqual([])
        },
      ),
      { numRuns: 10 },
    )
  })
})

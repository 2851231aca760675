import { describe, expect } from 'vitest'
import { type Decision, decide, lowestTotalWithin, type Rule } from './brute-force.js'
import { Desk, LONG, netIt } from './desk.js'
import { type Document, day, id, response, rfq, vintage } from './documents.js'
import { ACME, Marketplace } from './marketplace.js'
import { random } from './random.js'

const RFQS = LONG ? 30 : 12

interface Recommendation {
  status: Decision['status']
  award: {
    offers: { id: string; tonnes: number; total: number }[]
    tonnes: number
    total: number
    pricePerTonne: number
  } | null
}

/** What can be wrong with an offer, and what is only said of it. */
const PECULIARITIES: ((response: Document) => void)[] = [
  (each) => Object.assign(each, { status: 'rejected' }),
  (each) => Object.assign(each, { status: 'withdrawn' }),
  (each) => Object.assign(each, { offer: null }),
  (each) => Object.assign(each.offer as object, { expiryDate: day(-2) }),
  (each) => Object.assign(each.offer as object, { contractType: 'forward' }),
  (each) => Object.assign(each.offer as object, { currency: 'EUR' }),
  (each) => Object.assign(each.offer as object, { review: { status: 'rejected' } }),
  (each) => Object.assign(deliveryOf(each), { fulfilmentDueDate: day(120) }),
  (each) => deliveryOf(each).vintages.push(vintage(2018, 100, 5)),
  (each) => deliveryOf(each).vintages.push(vintage(2023, 200, 90)),
  (each) => Object.assign(each, { submittedAt: new Date(Date.now() + 1).toISOString() }),
  (each) => Object.assign(each, { listingId: id(3) }),
  (each) => Object.assign(each.offer as object, { prePayments: [{ amount: 500, paymentDueDate: day(5) }] }),
]

type Delivery = { vintages: unknown[] }
const deliveryOf = ({ offer }: Document) =>
  (offer as { scheduledDeliveries: Delivery[] }).scheduledDeliveries[0] as Delivery

/** Adds RFQs with up to nine offers of whole hundreds of tonnes. */
function addRandomRfqs(market: Marketplace): void {
  const chance = random(2026)
  const upTo = (limit: number) => Math.floor(chance() * limit)
  // In cents; half of the RFQs have prices that lie close together.
  const line = (spread: number) => vintage(2021 + upTo(4), 100 * (1 + upTo(14)), (850 + upTo(spread)) / 100)
  for (let number = 1; number <= RFQS; number++) {
    const responses = Array.from({ length: upTo(10) }, (_, at) => {
      const lines = Array.from({ length: 1 + upTo(3) }, () => line(number % 2 === 0 ? 40 : 650))
      const submittedAt = `2026-10-${String(1 + upTo(28)).padStart(2, '0')}T10:00:00.000Z`
      const one = response(number * 100 + at, lines, { submittedAt })
      if (chance() < 0.35) PECULIARITIES[upTo(PECULIARITIES.length)]?.(one)
      return one
    })
    const first = responses[0]
    if (first !== undefined && first.offer !== null && chance() < 0.25) Object.assign(first, { status: 'accepted' })
    const minVolume = 500 * (1 + upTo(8))
    const maxVolume = chance() < 0.2 ? null : minVolume + 200 * upTo(12)
    market.add(rfq(number, { minVolume, maxVolume }), responses)
  }
}

/** Compares what the program recommends with what trying every set of offers finds. */
async function compareWith(rule: Rule): Promise<void> {
  const market = await Marketplace.open()
  addRandomRfqs(market)
  const desk = await Desk.open(market)
  await desk.run('sync')
  const service = await desk.startService()
  const statuses = new Set<string>()
  for (let number = 1; number <= RFQS; number++) {
    const reply = await fetch(`${service.url}/api/v1/rfqs/${ACME}/${number}/comparison`)
    const { decision } = (await reply.json()) as { decision: { recommendation: Recommendation } }
    const { status, award } = decision.recommendation
    const expected = decide(market.rfq(number), market.responses(number), rule)
    expect(essence(status, award), `RFQ ${number}`).toEqual({
      ...essence(expected.status, expected.award),
      total: expected.award === null ? null : expect.closeTo(expected.award.total, 4),
    })
    if (award !== null) expect(award.pricePerTonne).toBeCloseTo(award.total / award.tonnes, 6)
    statuses.add(status)
  }
  expect(statuses.size).toBeGreaterThanOrEqual(3)
}

/** What decides, without the order of the offers. */
const essence = (status: string, award: { offers: { id: string }[]; tonnes: number; total: number } | null) => ({
  status,
  offers: award?.offers.map(({ id }) => id).toSorted() ?? null,
  tonnes: award?.tonnes ?? null,
  total: award?.total ?? null,
})

describe('the recommended award of random RFQs', () => {
  netIt('has the lowest total of all sets within 2 % of the lowest price per tonne', () =>
    compareWith(lowestTotalWithin(0.02)),
  )
})

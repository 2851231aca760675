import { describe, expect, it } from 'vitest'
import { notMetBy } from '../../../src/compare/decision/not-met.js'
import { recommendationLines } from '../../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, delivery, response, vintage } from '../../helpers/comparison-inputs.js'

type Body = Record<string, unknown>
const compared = (offers: Body[], rfq: Body = {}, of: Body = {}) =>
  compareOffers(comparisonInput({ responses: offers.map((offer, at) => response(at + 1, { ...of, offer })), rfq }))
const without = (of: Body): Body => ({ scheduledDeliveries: [], ...of })

describe('an offer whose price cannot be compared', () => {
  const cases: [name: string, offer: Body, words: string][] = [
    ['no volume', without({ totalVolume: null, totalPrice: 100_000 }), 'states no volume above 0'],
    ['a volume of 0', without({ totalVolume: 0, totalPrice: 100_000 }), 'states no volume above 0'],
    ['no price', without({ totalVolume: 10_000, totalPrice: null }), 'states no price above 0'],
    ['neither', without({ totalVolume: null, totalPrice: null }), 'states neither a volume nor a price above 0'],
    [
      'a price per tonne, but no volume',
      {
        scheduledDeliveries: [delivery({ vintages: [vintage({ volume: null })] })],
        totalVolume: null,
        totalPrice: null,
      },
      'states no volume above 0',
    ],
    ['no currency', { currency: null }, 'states no currency'],
  ]

  it.each(cases)('says what is missing, once, and nothing of exchange rates: %s', (_, offer, words) => {
    const report = compared([offer])
    const lines = recommendationLines(report.decision)
    expect(lines[0]).toBe(`Recommendation: The only offer cannot be awarded: it ${words}.`)
    const sentences = report.offers.flatMap((one) => notMetBy(one, report)).map((one) => one.words)
    expect(sentences.filter((sentence) => sentence.includes(words))).toEqual([`Not ranked: The offer ${words}.`])
    expect(sentences.join()).not.toMatch(/Not determinable: .*(price|currency|above 0)/)
    expect(JSON.stringify(report)).not.toMatch(/cannot be converted|of the 1 offer /)
  })

  it('says the same of an accepted one, and of each of several', () => {
    const offer = without({ totalVolume: null, totalPrice: 100_000 })
    const accepted = compared([offer], {}, { status: 'accepted' }).decision.accepted
    expect(accepted?.headline).toBe(
      'Accepted: Developer 1 · Project 1 (offer 1), which cannot be compared: it states no volume above 0.',
    )
    const two = compared([offer, without({ totalVolume: 10_000, totalPrice: null })]).decision.recommendation
    expect(two.headline).toBe('None of the 2 offers can be awarded: no volume and price that can be compared.')
    expect(two.reasons).toEqual([
      'Developer 1 · Project 1 (offer 1) is not considered. The offer states no volume above 0.',
      'Developer 2 · Project 2 (offer 2) is not considered. The offer states no price above 0.',
    ])
  })

  it('names the exchange rate where that is what is missing, and the currency of the RFQ where that is', () => {
    const euros = compared([{ currency: 'EUR' }])
    const sentences = euros.offers.flatMap((one) => notMetBy(one, euros)).map(({ words }) => words)
    expect(sentences.join()).toContain("the price cannot be converted into the RFQ's currency")
    const noCurrency = compared([{}], { pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: null } })
    expect(noCurrency.decision.offers[0]?.why).toBe('Not determinable: the RFQ states no currency.')
    expect(noCurrency.decision.negotiation.offers[0]?.enterAward.words).toBe(
      'Not determinable: the RFQ states no currency.',
    )
  })
})

import { describe, expect, it } from 'vitest'
import { recommendationLines } from '../../../src/compare/decision/recommendation-lines.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, delivery, response, vintage } from '../../helpers/comparison-inputs.js'

type Body = Record<string, unknown>
const sized = (at: number, volume: number, status: string, offer: Body = {}) =>
  response(at, {
    status,
    offer: { scheduledDeliveries: [delivery({ vintages: [vintage({ volume, unitPrice: 12 })] })], ...offer },
  })
const decided = (responses: Body[], rfq: Body = { maxVolume: 14_000 }) =>
  compareOffers(comparisonInput({ responses, rfq })).decision

describe('an accepted award', () => {
  it('says how much of the wanted volume it covers, and what is missing', () => {
    const half = decided([sized(1, 5_000, 'accepted'), sized(2, 10_000, 'submitted')])
    expect(half.accepted).toMatchObject({ missingTonnes: 5_000, award: { coverage: 0.5, reached: false } })
    expect(recommendationLines(half).slice(0, 2)).toEqual([
      'Accepted: Developer 1 · Project 1 (offer 1): 5,000 t at 12.00 USD/t, 60,000 USD in total. It covers 50 % of the wanted 10,000 t: 5,000 t are missing.',
      'Compared: It costs 60,000 USD less (−50 %), for 5,000 t less, than what the rule “Cheapest compliant” chooses: Developer 2 · Project 2 (offer 2), 10,000 t at 12.00 USD/t, 120,000 USD in total.',
    ])
    const both = decided([sized(1, 5_000, 'accepted'), sized(2, 5_000, 'accepted')])
    expect(both.accepted).toMatchObject({ missingTonnes: 0, isRecommended: true })
    expect(both.accepted?.headline).toMatch(/ It covers 100 % of the wanted 10,000 t\.$/)
    const unknown = decided([sized(1, 5_000, 'accepted')], { minVolume: null, maxVolume: null })
    expect(unknown.accepted).toMatchObject({ missingTonnes: null, headline: expect.stringMatching(/in total\.$/) })
    const unpriced = decided([sized(1, 5_000, 'accepted', { currency: 'EUR' })])
    expect(unpriced.accepted).toMatchObject({ award: null, missingTonnes: 5_000 })
    expect(unpriced.accepted?.headline).toMatch(/cannot be converted into USD\. It covers 50 % .* missing\.$/)
  })

  it('is what is awarded, while the figures of the rule are kept', () => {
    const { offers, recommendation } = decided([sized(1, 5_000, 'accepted'), sized(2, 10_000, 'submitted')])
    expect(offers.map(({ sequence, tonnes, awardedTonnes }) => [sequence, tonnes, awardedTonnes]).sort()).toEqual([
      [1, 0, 5_000],
      [2, 10_000, 0],
    ])
    expect(recommendation.award?.offers.map(({ sequence }) => sequence)).toEqual([2])
    const open = decided([sized(1, 5_000, 'submitted'), sized(2, 10_000, 'submitted')])
    expect(open.offers.map(({ tonnes, awardedTonnes }) => [tonnes, awardedTonnes]).sort()).toEqual([
      [0, 0],
      [10_000, 10_000],
    ])
  })

  it('is nowhere called the runner-up, and the award of the rule nowhere recommended', () => {
    const statuses = ['accepted', 'accepted']
    const accepted = decided(statuses.map((status, at) => sized(at + 1, 10_000 + at, status)))
    expect(accepted.recommendation.runnerUp?.award.offers.map(({ sequence }) => sequence)).toEqual([2])
    expect(accepted.recommendation.runnerUp?.words).toMatch(/^Next best by the award rule, Developer 2/)
    expect(JSON.stringify(accepted)).not.toMatch(/runner-up,|Runner-up/)
    expect(accepted.scenarios.map(({ title }) => title)).not.toContain('Recommended')
    expect(accepted.scenarios[0]).toMatchObject({ scenario: 'recommended', title: 'By the award rule' })
    expect(accepted.savings?.baselines.at(-1)).toMatchObject({ title: 'Next best by the award rule' })
  })

  it('has its high flags in the last line', () => {
    const flagged = decided([sized(1, 10_000, 'accepted', { totalPrice: 1 }), sized(2, 10_000, 'submitted')])
    expect(recommendationLines(flagged).at(-1)).toBe(
      'Check: The stated total is 1 USD, but the delivery lines add up to 120,000 USD.',
    )
    expect(recommendationLines(decided([sized(1, 10_000, 'accepted')])).join()).not.toContain('Check:')
  })
})

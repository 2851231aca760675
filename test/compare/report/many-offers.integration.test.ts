import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses } from '../../helpers/data/comparison-inputs.js'
import { runsLongTests } from '../../helpers/long-tests.js'

describe('compareOffers', () => {
  it('covers many offers: 300 of 12 lines, and 5,000 of 10 lines in the long tests', () => {
    for (const [offers, lines] of [[300, 12], ...(runsLongTests ? [[5_000, 10] as const] : [])] as const) {
      const responses = manyResponses(offers, lines)
      const report = compareOffers(
        comparisonInput({ responses, rfq: { minVolume: 100_000, maxVolume: 2_000_000, minVintageYear: 2020 } }),
      )
      expect(report.summary.offers).toBe(offers)
      expect(report.offers.flatMap((offer) => offer.lines)).toHaveLength(offers * lines)
      const { recommendation, choices, excluded } = report.decision
      expect(recommendation.status).toBe('award')
      expect(recommendation.award?.tonnes).toBeGreaterThanOrEqual(100_000)
      expect(report.summary.ranked + excluded.length).toBe(offers)
      expect(recommendation.reasons.length).toBeGreaterThan(0)
      const efficient = choices.filter(({ kind }) => kind === 'efficient')
      expect(efficient).toHaveLength(8)
      expect(efficient.filter(({ isRecommended }) => isRecommended)).toHaveLength(1)
    }
  })
})

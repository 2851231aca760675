import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../../src/domain/comparison/report/compare-offers.js'
import { comparisonInput, manyResponses } from '../../../helpers/comparison-inputs.js'

describe('compareOffers', () => {
  it('covers 300 offers, and 5,000 offers with 50,000 lines', () => {
    for (const [offers, lines] of [
      [300, 12],
      [5_000, 10],
    ] as const) {
      const responses = manyResponses(offers, lines)
      const report = compareOffers(comparisonInput({ responses, rfq: { minVolume: 100_000, maxVolume: 2_000_000 } }))
      expect(report.summary).toMatchObject({ offers, ranked: offers })
      expect(report.offers.flatMap((offer) => offer.lines)).toHaveLength(offers * lines)
      expect(report.checks.master.figures.fails).toBe(0)
      expect(report.awards.map(({ reached }) => reached)).toEqual([
        false,
        true,
        true,
        expect.any(Boolean),
        false,
        true,
        true,
      ])
      expect(report.sensitivity.contenders).toHaveLength(30)
    }
  })
})

import { describe, expect, it } from 'vitest'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { comparisonInput, manyResponses } from '../../helpers/comparison-inputs.js'
import { runsLongTests } from '../../helpers/long-tests.js'

describe('compareOffers', () => {
  it('covers many offers: 300 of 12 lines, and 5,000 of 10 lines in the long tests', () => {
    for (const [offers, lines] of [[300, 12], ...(runsLongTests ? [[5_000, 10] as const] : [])] as const) {
      const responses = manyResponses(offers, lines)
      const report = compareOffers(
        comparisonInput({ responses, rfq: { minVolume: 100_000, maxVolume: 2_000_000, minVintageYear: 2020 } }),
      )
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
      const { recommendation, offers: decided, switches, negotiation } = report.decision
      expect(recommendation).toMatchObject({ status: 'award', award: { reached: true, compliant: true } })
      expect(decided).toHaveLength(offers)
      expect(switches).toMatchObject({ complete: true, currentKey: switches.entries[0]?.key })
      const priced = negotiation.offers.filter(({ rankFirst }) => !rankFirst.words.startsWith('Computed for some'))
      expect(priced).toHaveLength(negotiation.limit)
    }
  })
})

import { describe, expect, it } from 'vitest'
import { candidatesOf } from '../../../src/compare/awards/award-figures.js'
import { efficientAwards } from '../../../src/compare/awards/efficient-awards.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../../../src/compare/input/stored-documents.js'
import { compareOffers, type RfqReport } from '../../../src/compare/report/compare-offers.js'
import { settingsSchema } from '../../../src/core/decision/settings.js'
import { createWorld } from '../../../src/sandbox/index.js'
import { storedDocument } from '../../helpers/data/comparison-inputs.js'

const NOW = new Date('2026-03-16T12:00:00.000Z')
const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1)

/** A report on every RFQ of the sample marketplace of a seed. */
function reportsOf(seed: number): RfqReport[] {
  return createWorld({ seed, now: NOW }).channels.flatMap((channel) => {
    const listings = channel.listings.map((listing) => parseStoredListing(storedDocument(listing)))
    return channel.rfqs.map((record) =>
      compareOffers({
        ...{
          channel: `${channel.org}/${channel.channel}`,
          timeZone: 'UTC',
          asOf: NOW,
          generatedAt: NOW,
          programVersion: 'test',
          settings: settingsSchema.parse({}),
        },
        rfq: parseStoredRfq(storedDocument(record.singleShape())),
        responses: record.responses.map((response) => parseStoredResponse(storedDocument(response))),
        ...{ listings, problems: [], decisions: [] },
      }),
    )
  })
}

/** The lowest cost per tonne of sets of offers that compete, within the window of an RFQ, found by trying every set. */
function lowestPrice({ offers, rfq: { window } }: RfqReport): number {
  const lots = candidatesOf(offers).filter(({ offer }) => offer.standing === 'ranked')
  let lowest = Number.POSITIVE_INFINITY
  for (let mask = 1; mask < 2 ** lots.length; mask++) {
    const members = lots.filter((_, at) => (mask >> at) & 1)
    const tonnes = members.reduce((sum, one) => sum + one.tonnes, 0)
    if (tonnes < (window.lower ?? 0) || tonnes > (window.upper ?? 0)) continue
    lowest = Math.min(lowest, members.reduce((sum, one) => sum + one.cost, 0) / tonnes)
  }
  return lowest
}

describe.each(SEEDS)('the sample marketplace of seed %i', (seed) => {
  const reports = reportsOf(seed)

  it('has no recommended award for which a compliant one within the window costs clearly less per tonne', () => {
    for (const report of reports) {
      const { award, status } = report.decision.recommendation
      const lowest = lowestPrice(report)
      if (status === 'award') expect(award?.pricePerTonne).toBeLessThanOrEqual(lowest * 1.02 * (1 + 1e-9))
      else if (report.decision.recommendation.accepted === null) expect(lowest).toBe(Number.POSITIVE_INFINITY)
    }
  })

  it('has a headline for every RFQ that accounts for every offer', () => {
    for (const { decision, offers } of reports) {
      const { headline } = decision.recommendation
      const compared = offers.filter(({ rank }) => rank !== null).length
      expect(decision.excluded.length + compared).toBe(offers.length)
      if (offers.length < 2) continue
      if (compared === offers.length) {
        expect(headline).toContain(`All ${offers.length} offers compared.`)
        continue
      }
      const [, , rest = ''] = headline.match(/(\d+ of \d+) offers? compared; (.*)\.$/) ?? []
      expect(headline).toContain(`${compared} of ${offers.length} offer`)
      const counts = [...rest.matchAll(/(?:^|, )(\d+) [a-z]/g)].map(([, count]) => Number(count))
      // An offer counts for each of its reasons.
      expect(Math.max(...counts)).toBeLessThanOrEqual(offers.length - compared)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(offers.length - compared)
    }
  })

  it('has one order: ranks without gaps by cost per tonne, and a reason for every other offer', () => {
    for (const { offers } of reports) {
      const ranked = offers.filter(({ rank }) => rank !== null)
      expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, at) => at + 1))
      const costs = ranked.map(({ compared }) => compared.costPerTonne ?? 0)
      expect(costs).toEqual([...costs].sort((a, b) => a - b))
      for (const { rank, why } of offers) expect(why === null).toBe(rank !== null)
    }
  })

  it('has choices that are efficient, by tonnes, within the window, the recommended award among them', () => {
    for (const report of reports) {
      const { choices, recommendation } = report.decision
      const efficient = choices.filter(({ kind }) => kind === 'efficient')
      if (recommendation.award !== null) expect(efficient.filter(({ isRecommended }) => isRecommended)).toHaveLength(1)
      const lots = candidatesOf(report.offers).filter(({ offer }) => offer.standing === 'ranked')
      const known = efficientAwards(lots, report.rfq.window.upper ?? Number.POSITIVE_INFINITY).awards
      for (const [at, { award, extra }] of efficient.entries()) {
        if (recommendation.accepted === null)
          expect(known.some(({ tonnes, cost }) => tonnes === award.tonnes && Math.abs(cost - award.total) < 1e-6)).toBe(
            true,
          )
        const before = efficient[at - 1]?.award
        if (before === undefined) expect(extra).toBeNull()
        else expect(extra?.tonnes).toBeCloseTo(award.tonnes - before.tonnes, 6)
      }
    }
  })
})

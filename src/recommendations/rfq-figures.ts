import { z } from 'zod'
import { summariseAwards } from '../compare/awards/award-summary.js'
import type { Outcome } from '../compare/decision/recommendation.js'
import { coverageOf } from '../compare/offer/metrics.js'
import { summariseOffers } from '../compare/report/rfq-statistics.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import { sum } from '../core/numbers.js'
import { decidedAward, decidedAwardOf, stake, stakesOf } from './decided-award.js'

const number = z.number().nullable()
const count = z.int().min(0)

/** Figures of the offers for an RFQ: what is recorded of them, and what every list shows. */
export const rfqFigures = z
  .strictObject({
    ranked: count.describe('Offers that compete: open, comparable, and meeting every hard requirement.'),
    summaryOnly: count.describe('Offers of which only the summary is known: they were not read yet, or cannot be.'),
    withoutRate: count.describe('Offers in another currency of which no exchange rate is known.'),
    wanted: number.describe('The requested tonnes, which an award must have at least; null if no volume is requested.'),
    volume: z.number().describe('Tonnes of the ranked offers.'),
    coverage: number.describe(
      'The share of the requested tonnes that the ranked offers cover, at most 1; null also if the offers were not read yet.',
    ),
    currency: z.string().nullable().describe('The currency in which offers are compared.'),
    bestPricePerTonne: number.describe('The lowest price per tonne of the ranked offers.'),
    bestPriceOffer: z.string().nullable().describe('The label of the offer with the lowest price.'),
    award: z
      .strictObject({
        status: z.enum(['award', 'partial', 'accepted', 'none', 'no-volume', 'no-offers']),
        offers: z.array(z.string()).describe('Labels of the awarded offers.'),
        tonnes: z.number(),
        pricePerTonne: number,
        coverage: number.describe('Share of the requested tonnes, at most 1.'),
        loud: count.describe('Loud doubts about the award.'),
        message: z.string(),
      })
      .nullable()
      .describe('The recommended award; null if the offers were not read yet.'),
    accepted: z
      .strictObject({
        offers: z.array(z.string()).describe('Their labels.'),
        tonnes: z.number().describe('Tonnes that are known.'),
        pricePerTonne: number.describe('Null unless all can be compared.'),
        message: z.string(),
      })
      .nullable()
      .describe('The accepted offers; null if there are none.'),
    decision: decidedAward.nullable().describe('Null if nothing is awarded, accepted or recommended.'),
    stakes: z.array(stake),
    covered: number.describe('The share of the requested tonnes that is accepted, awarded or recommended, at most 1.'),
    limit: number.describe("The RFQ's maximum price in the currency of the comparison; null without one, or a rate."),
    loud: count.describe('Loud doubts about the recommended award.'),
    noAward: z.string().nullable().describe('Why nothing is recommended, in one sentence.'),
    undecided: z
      .boolean()
      .describe(
        'Whether it closed with an offer that could be awarded, and nobody has awarded one, or decided to award none.',
      ),
  })
  .meta({ id: 'RfqFigures' })
export type RfqFigures = z.infer<typeof rfqFigures>

/** The figures of an RFQ without offers. */
export const NO_FIGURES: RfqFigures = {
  ranked: 0,
  summaryOnly: 0,
  withoutRate: 0,
  wanted: null,
  volume: 0,
  coverage: null,
  currency: null,
  bestPricePerTonne: null,
  bestPriceOffer: null,
  award: null,
  accepted: null,
  decision: null,
  stakes: [],
  covered: null,
  limit: null,
  loud: 0,
  noAward: null,
  undecided: false,
}

/**
 * The figures of an RFQ whose offers were assessed.
 * @param outcome the recommendation
 * @param standing the desk's award on record
 */
export function figuresOf(assessed: RfqAssessment, outcome: Outcome, standing?: AwardFacts): RfqFigures {
  const { rfq, currency, offers } = assessed
  const summary = summariseOffers(offers, rfq)
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === summary.price.lowest)
  const { accepted, award } = summariseAwards(assessed, outcome)
  const loud = outcome.conditions.filter((condition) => condition.loud).length
  const decision = decidedAwardOf(assessed, outcome, standing)
  const stakes = stakesOf(assessed, outcome, standing)
  return {
    ranked: summary.ranked,
    summaryOnly: offers.filter(({ shape, missingSince }) => shape === 'summary' && missingSince === null).length,
    withoutRate: offers.filter(({ exclusions }) => exclusions.some(({ code }) => code === 'no-exchange-rate')).length,
    wanted: rfq.window.lower,
    volume: summary.volume,
    coverage: summary.coverage,
    currency: currency.comparison,
    bestPricePerTonne: summary.price.lowest,
    bestPriceOffer: best?.label ?? null,
    award: rfq.unreadOffers > 0 ? null : { ...award, loud },
    accepted,
    ...{ decision, stakes, loud, limit: rfq.comparedMaxUnitPrice },
    covered: rfq.unreadOffers > 0 ? null : coverageOf(sum(stakes.map(({ tonnes }) => tonnes)), rfq.window.lower),
    noAward: decision === null ? outcome.message() : null,
    undecided: false,
  }
}

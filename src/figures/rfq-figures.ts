import type { Outcome } from '../compare/decision/recommendation.js'
import { coverageOf } from '../compare/offer/metrics.js'
import { summariseOffers } from '../compare/report/rfq-statistics.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import { sum } from '../core/numbers.js'
import { type DecidedAward, decidedAwardOf, type Stake, stakesOf } from './decided-award.js'

/** Figures of an RFQ and its offers: what is recorded, and what lists show. */
export interface RfqFigures {
  /** Offers that compete: open, comparable, and meeting every hard requirement. */
  ranked: number
  /** Offers of which only the summary is known: they were not read yet, or cannot be. */
  summaryOnly: number
  /** Offers in another currency of which no exchange rate is known. */
  withoutRate: number
  /** The requested tonnes, which an award must have at least; null if no volume is requested. */
  wanted: number | null
  /** The currency in which offers are compared. */
  currency: string | null
  /** The lowest price per tonne of the ranked offers, and the label of its offer. */
  bestPricePerTonne: number | null
  bestPriceOffer: string | null
  /** The RFQ's maximum price in the currency of the comparison; null without one, or a rate. */
  limit: number | null
  /** Null if nothing is awarded, accepted or recommended. */
  decision: DecidedAward | null
  stakes: Stake[]
  /** The share of the requested tonnes that is accepted, awarded or recommended, at most 1; null also if offers were not read yet. */
  coverage: number | null
  /** Loud doubts about the award on record, or else about the recommended one. */
  loud: number
  /** Why nothing is recommended, in one sentence. */
  noAward: string | null
  /** Whether it closed with an offer that could be awarded, and nobody has awarded one, or decided to award none. */
  undecided: boolean
}

/** The figures of an RFQ without offers. */
export const NO_FIGURES: RfqFigures = {
  ranked: 0,
  summaryOnly: 0,
  withoutRate: 0,
  wanted: null,
  currency: null,
  bestPricePerTonne: null,
  bestPriceOffer: null,
  limit: null,
  decision: null,
  stakes: [],
  coverage: null,
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
  const { ranked, price } = summariseOffers(offers, rfq)
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === price.lowest)
  const decision = decidedAwardOf(assessed, outcome, standing)
  const stakes = stakesOf(assessed, outcome, standing)
  const tonnes = sum(stakes.map((each) => each.tonnes))
  return {
    ranked,
    summaryOnly: offers.filter(({ shape, missingSince }) => shape === 'summary' && missingSince === null).length,
    withoutRate: offers.filter(({ exclusions }) => exclusions.some(({ code }) => code === 'no-exchange-rate')).length,
    wanted: rfq.window.lower,
    currency: currency.comparison,
    bestPricePerTonne: price.lowest,
    bestPriceOffer: best?.label ?? null,
    limit: rfq.comparedMaxUnitPrice,
    ...{ decision, stakes },
    coverage: rfq.unreadOffers > 0 ? null : coverageOf(tonnes, rfq.window.lower),
    loud: (standing === undefined ? outcome.conditions : flagsOf(standing, offers)).filter(({ loud }) => loud).length,
    noAward: decision === null ? outcome.message() : null,
    undecided: false,
  }
}

const flagsOf = (standing: AwardFacts, offers: RfqAssessment['offers']) =>
  offers.flatMap(({ id, flags }) => (standing.offers.some((one) => one.id === id) ? flags : []))

import { type AcceptedSummary, type AwardSummary, summariseAwards } from '../compare/awards/award-summary.js'
import type { Outcome } from '../compare/decision/recommendation.js'
import { hasOtherTerms } from '../compare/offer/newer-summary.js'
import { summariseOffers } from '../compare/report/rfq-statistics.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'

/** Figures of the offers for an RFQ. */
export interface RfqFigures {
  /** Offers that compete: open, comparable, and meeting every hard requirement. */
  ranked: number
  /** Offers that are not missing and of which only the summary is known, because they were not read yet or cannot be read. */
  summaryOnly: number
  /** Offers whose summary in the RFQ is newer and shows another volume, total, currency, expiry date or contract type. */
  newerTerms: number
  /** Offers within the limits that the RFQ states and not rejected by their review, whatever their status. */
  meetRequirements: number
  /** The requested tonnes, which is the minimum of an award; null if no volume is requested. */
  wanted: number | null
  /** Tonnes of the ranked offers. */
  volume: number
  /** The share of the requested tonnes that the ranked offers cover, at most 1; null also if the offers were not read yet. */
  coverage: number | null
  /** The currency in which offers are compared. */
  currency: string | null
  /** The lowest price per tonne of the ranked offers. */
  bestPricePerTonne: number | null
  /** The label of the offer with the lowest price. */
  bestPriceOffer: string | null
  /** The recommended award; null if the offers were not read yet. */
  award: AwardSummary | null
  /** The accepted offers; null if there are none. */
  accepted: AcceptedSummary | null
}

/** The figures of an RFQ without offers. */
export const NO_FIGURES: RfqFigures = {
  ranked: 0,
  summaryOnly: 0,
  newerTerms: 0,
  meetRequirements: 0,
  wanted: null,
  volume: 0,
  coverage: null,
  currency: null,
  bestPricePerTonne: null,
  bestPriceOffer: null,
  award: null,
  accepted: null,
}

/**
 * The figures of an RFQ whose offers were assessed.
 * @param outcome the recommendation
 */
export function figuresOf(assessed: RfqAssessment, outcome: Outcome): RfqFigures {
  const { rfq, currency, offers } = assessed
  const summary = summariseOffers(offers, rfq, { changes: 0, problems: 0 })
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === summary.price.lowest)
  const { accepted, award } = summariseAwards(assessed, outcome)
  return {
    ranked: summary.ranked,
    summaryOnly: offers.filter(({ shape, missingSince }) => shape === 'summary' && missingSince === null).length,
    newerTerms: offers.filter(({ newerSummary, status }) => status !== 'rejected' && hasOtherTerms(newerSummary))
      .length,
    meetRequirements: summary.meetRequirements,
    wanted: rfq.window.lower,
    volume: summary.volume,
    coverage: summary.coverage,
    currency: currency.comparison,
    bestPricePerTonne: summary.price.lowest,
    bestPriceOffer: best?.label ?? null,
    award: rfq.unreadOffers > 0 ? null : award,
    accepted,
  }
}

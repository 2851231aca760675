import type { Criterion } from '../../core/settings.js'

/**
 * 0 to 100. An unknown value scores 0; a criterion that the RFQ does not limit scores 100 for every offer.
 * - price: 100 × lowest `compared.price` of the ranked offers / the offer's own
 * - coverage: 100 × metrics.coverage; 100 if no volume is wanted
 * - delivery: 100 × metrics.onTimeShare; 100 if the RFQ states no fulfilmentDueDate
 * - promptness: 100 / (1 + MAX(0, metrics.meanWaitDays) / settings.waitDays)
 * - vintage: MAX(0, 100 − settings.vintagePointsPerYear × MAX(0, year of asOfDate − metrics.meanVintageYear))
 * - payment: 100 × (1 − MIN(1, metrics.prepaidShare))
 * - evidence: 100 × listing.factsStated / 6
 */
export type Scores = Record<Criterion, number> & {
  /** ROUND(SUMPRODUCT(weights, scores) / SUM(weights), 6): determines the rank. */
  total: number
}

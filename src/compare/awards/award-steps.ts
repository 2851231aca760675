import { round6 } from '../../core/numbers.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqReport } from '../report/rfq-report-model.js'
import { reachedFrom } from './cheapest-combination.js'

/** Figures of the steps of award-model.ts, rounded as there, for formulas that retrace them. */

/** Volume and total of an offer; 0 if one of them cannot be compared. */
export const awardable = ({ metrics, compared }: OfferReport): { volume: number; total: number } => ({
  volume: compared.total === null ? 0 : (metrics.volume ?? 0),
  total: metrics.volume === null ? 0 : (compared.total ?? 0),
})

/** The rank of offers by price per tonne, by ID; ties go to the lower number. */
export function priceOrder(offers: readonly OfferReport[]): ReadonlyMap<string, number> {
  const priceOf = ({ compared, metrics }: OfferReport) => round6((compared.total ?? 0) / (metrics.volume ?? 1))
  const ranked = offers.filter(({ eligibility }) => eligibility.eligible)
  ranked.sort((a, b) => priceOf(a) - priceOf(b) || a.sequence - b.sequence)
  return new Map(ranked.map(({ id }, index) => [id, index + 1]))
}

/** The cheapest single offer, and how many ranked offers cover the wanted volume alone. */
export function singleOfferSteps({ offers, rfq, awards }: RfqReport) {
  const least = reachedFrom(rfq.wanted.volume ?? Number.POSITIVE_INFINITY)
  const covers = ({ eligibility, metrics }: OfferReport) => eligibility.eligible && (metrics.volume ?? 0) >= least
  const single = awards.find(({ scenario }) => scenario === 'cheapest-single')?.winners[0]
  const winner = offers.find(({ id }) => id === single?.offerId)
  const [total, volume] = [round6(winner?.compared.total ?? 0), round6(winner?.metrics.volume ?? 0)]
  return { enough: offers.filter(covers).length, total, volume, offer: winner?.sequence ?? 0 }
}

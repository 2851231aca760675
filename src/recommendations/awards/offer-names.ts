import type { OfferReport } from '../../compare/offer/offer-report-model.js'

/**
 * The ids of the offers that a person names: by their number in the comparison, or by their id. What names no offer stays as it is, so
 * that `checkAward` refuses it.
 */
export function offerIds(offers: readonly Pick<OfferReport, 'id' | 'sequence'>[], names: readonly string[]): string[] {
  const byNumber = new Map(offers.map(({ id, sequence }) => [String(sequence), id]))
  return names.map((name) => byNumber.get(name) ?? name)
}

import type { OfferReport } from '../../compare/offer/offer-report-model.js'

/**
 * Converts the offers that a person names, by number in the comparison or by id, to ids. Unknown names are kept, so that `checkAward` refuses
 * them.
 */
export function offerIds(offers: readonly Pick<OfferReport, 'id' | 'sequence'>[], names: readonly string[]): string[] {
  const byNumber = new Map(offers.map(({ id, sequence }) => [String(sequence), id]))
  return names.map((name) => byNumber.get(name) ?? name)
}

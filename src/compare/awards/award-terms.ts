import { hash } from 'node:crypto'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { OfferReport } from '../offer/offer-report-model.js'

/** What an award of an offer is about: its terms, deliveries and pre-payments as received, without its status, review and any computed figure. */
type AwardedTerms = Pick<OfferReport, 'listingId' | 'terms' | 'lines' | 'prepayments'>

/** Identifies the terms of an offer: two versions that differ in its status only have the same. SHA-256 in hexadecimal digits. */
export function termsHash({ listingId, terms, lines, prepayments }: AwardedTerms): string {
  const { contractType, currency, statedVolume, statedTotal, expiryDate, notes } = terms
  const content = {
    ...{ listingId, contractType, currency, statedVolume, statedTotal, expiryDate, notes },
    lines: lines.map(({ days: _days, discountFactor: _factor, ...line }) => line),
    prepayments: prepayments.map(({ days: _days, discountFactor: _factor, ...payment }) => payment),
  }
  return hash('sha256', canonicalJson(content))
}

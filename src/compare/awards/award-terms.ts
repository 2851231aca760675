import { hash } from 'node:crypto'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { OfferReport } from '../offer/offer-report-model.js'

/** The terms, deliveries and pre-payments of an offer as received, without its status, its review and computed figures. */
type AwardedTerms = Pick<OfferReport, 'listingId' | 'terms' | 'lines' | 'prepayments'>

/** Identifies the terms of an offer: versions that differ only in status have the same hash. SHA-256 in hexadecimal digits. */
export function termsHash({ listingId, terms, lines, prepayments }: AwardedTerms): string {
  const { contractType, currency, statedVolume, statedTotal, expiryDate, notes } = terms
  const content = {
    ...{ listingId, contractType, currency, statedVolume, statedTotal, expiryDate, notes },
    lines: lines.map(({ days: _days, discountFactor: _factor, ...line }) => line),
    prepayments: prepayments.map(({ days: _days, discountFactor: _factor, ...payment }) => payment),
  }
  return hash('sha256', canonicalJson(content))
}

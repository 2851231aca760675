import type { ResponseSummary } from '../../core/documents/observation.js'
import { nonBlank } from '../../core/numbers.js'
import { truncate } from '../../core/text/clean-text.js'
import { formatMoney, formatTonnes } from '../../core/text/number-format.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { OfferFacts } from './offer-terms.js'

/** What the summary of an offer in its RFQ says otherwise than the offer itself. */
export interface SummaryDifference {
  /** More differs than the status. */
  hasOtherTerms: boolean
  /** When the RFQ was first read so. */
  observedAt: Timestamp
  /** Both values of each member, in one sentence. */
  message: string
}

/** Members of a summary, as it and the offer itself state them, and how they are named in a sentence. */
const MEMBERS: readonly {
  name: string
  listed: (summary: ResponseSummary) => string | number | null
  own: (offer: OfferFacts) => string | number | null
  text: (value: string | number, currency: string | null) => string
}[] = [
  {
    name: 'status',
    listed: ({ status }) => nonBlank(status),
    own: ({ status }) => status,
    text: (value) => truncate(String(value), 40),
  },
  {
    name: 'totalPrice',
    listed: ({ totalPrice }) => totalPrice,
    own: ({ terms }) => terms.statedTotal,
    text: (value, currency) => `total ${formatMoney(Number(value), currency)}`,
  },
  {
    name: 'totalVolume',
    listed: ({ totalVolume }) => totalVolume,
    own: ({ terms }) => terms.statedVolume,
    text: (value) => `volume ${formatTonnes(Number(value))}`,
  },
  {
    name: 'currency',
    listed: ({ currency }) => nonBlank(currency),
    own: ({ terms }) => terms.currency,
    text: (value) => `currency ${truncate(String(value), 40)}`,
  },
  {
    name: 'expiryDate',
    listed: ({ expiryDate }) => expiryDate ?? null,
    own: ({ terms }) => terms.expiryDate,
    text: (value) => `expiry ${value}`,
  },
  {
    name: 'contractType',
    listed: ({ contractType }) => nonBlank(contractType),
    own: ({ terms }) => terms.contractType,
    text: (value) => truncate(String(value), 40),
  },
]

/**
 * Compares the summary of an offer in the newest read of its RFQ with the terms that were read of the offer itself (docs/POLLING.md, "The
 * summary and the offer"). Absent and null members are not compared.
 * @param observedAt when the RFQ was first read so
 * @returns null if they say the same
 */
export function summaryDifference(
  summary: ResponseSummary,
  own: OfferFacts,
  observedAt: Timestamp,
): SummaryDifference | null {
  const differing = MEMBERS.flatMap(({ name, text, ...of }) => {
    const [listed, offered] = [of.listed(summary), of.own(own)]
    return listed === null || offered === null || listed === offered ? [] : [{ name, text, listed, offered }]
  })
  if (differing.length === 0) return null
  const listed = differing.map((one) => one.text(one.listed, summary.currency))
  const offered = differing.map((one) => one.text(one.offered, own.terms.currency))
  return {
    hasOtherTerms: differing.some(({ name }) => name !== 'status'),
    observedAt,
    message: `The RFQ says ${listed.join(', ')}; the offer itself says ${offered.join(', ')}.`,
  }
}

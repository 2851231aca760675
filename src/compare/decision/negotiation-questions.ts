import { truncate } from '../../core/number-format.js'
import type { OfferFlagCode } from '../flag.js'
import { type FlagValue, formatFlagValue } from '../flag-value.js'
import type { ListingQuality } from '../offer/listing-quality.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

type Question = (offer: OfferReport, rfq: RfqTerms, compared: readonly FlagValue[]) => string
const asked =
  (words: string): Question =>
  () =>
    words
const value = (compared: readonly FlagValue[], at: number) =>
  formatFlagValue(compared[at] ?? { what: '', value: null, unit: null })

/** What a developer can clarify about each flag; flags that only concern the buyer or the data are left out. */
const QUESTIONS: Partial<Record<OfferFlagCode, Question>> = {
  withdrawn: asked('Is the offer still valid? It is no longer visible on the marketplace.'),
  'no-expiry': asked('Until when is the offer valid?'),
  expired: ({ terms }) => `Is the offer still valid? It expired on ${terms.expiryDate}.`,
  'late-submission': asked('Why was the offer submitted after the response due date?'),
  'price-below-min': (_offer, _rfq, of) =>
    `Is the price of ${value(of, 0)} correct, and what does it include? The RFQ expects at least ${value(of, 1)}.`,
  'vintage-too-old': (_offer, rfq) => `Can you supply vintages from ${rfq.minVintageYear} on?`,
  'vintage-too-new': (_offer, rfq) => `Can you supply vintages up to ${rfq.maxVintageYear}?`,
  'contract-type-not-asked': (_offer, rfq) => `Can you offer a ${rfq.contractTypes.join(' or ')} contract?`,
  'vintage-after-delivery': asked(
    'Which dates are right? At least one delivery is due before its reporting period ends.',
  ),
  'delivery-past': ({ metrics }) =>
    `When will you deliver? The first delivery date, ${metrics.firstDelivery}, is past.`,
  'no-currency': asked('In which currency is the offer priced?'),
  'currency-differs': (_offer, rfq) => `Can you quote in ${rfq.currency}, the currency of the RFQ?`,
  'volume-mismatch': (_offer, _rfq, of) =>
    `Which volume applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
  'total-mismatch': (_offer, _rfq, of) =>
    `Which total applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
  'no-lines': asked('When will you deliver, and which vintages?'),
  'no-volume': asked('How many tonnes do you offer?'),
  'no-prices': asked('What is the price per tonne of each delivery?'),
  'no-dates': asked('When is each delivery due?'),
  'no-vintages': asked('Which reporting period does each delivery come from?'),
  'implausible-numbers': (_offer, _rfq, of) => `Please correct the ${of[0]?.what ?? 'figures'}: ${value(of, 0)}.`,
  'prepayment-above-total': asked('Why do the pre-payments exceed the total price?'),
  'prepayment-before-delivery': asked('How is the pre-payment secured until delivery?'),
  'listing-missing': asked('Is the project still for sale? Its listing is no longer visible on the marketplace.'),
  'listing-unknown': asked('Which project do the credits come from? Its listing is not known.'),
  'listing-not-asked': asked('Why is the offer for a listing that the RFQ does not name?'),
  'listing-short': (_offer, _rfq, of) =>
    `How will you supply ${value(of, 0)}, when the listing has only ${value(of, 1)} available?`,
  'price-above-listing': (_offer, _rfq, of) =>
    `Why is the price, ${value(of, 0)}, above the maximum of the listing, ${value(of, 1)}?`,
}

/** Questions to the developer, from flags and missing facts; one sentence or two each. */
export function clarificationQuestions(offer: OfferReport, rfq: RfqTerms): string[] {
  return [
    ...reviewQuestion(offer),
    ...offer.flags.flatMap(({ code, compared }) => {
      const question = QUESTIONS[code as OfferFlagCode]
      return question === undefined ? [] : [question(offer, rfq, compared)]
    }),
    ...missingFacts(offer.listing),
  ]
}

function reviewQuestion({ terms }: OfferReport): string[] {
  const { review } = terms
  if (review === null || !isReviewRejected({ terms })) return []
  const comment = review.comment === null ? '' : `: "${truncate(review.comment, 120)}"`
  return [`What has changed since the review rejected the offer${comment}?`]
}

const FACTS: readonly [fact: keyof ListingQuality, name: string][] = [
  ['country', 'country'],
  ['registry', 'registry'],
  ['registryId', 'registry ID'],
  ['methodologies', 'methodology'],
  ['mitigationActivity', 'mitigation activity'],
  ['labels', 'certification labels'],
]

function missingFacts(listing: ListingQuality): string[] {
  if (!listing.known) return []
  const missing = FACTS.filter(([fact]) => {
    const found = listing[fact]
    return found === null || (Array.isArray(found) && found.length === 0)
  }).map(([, name]) => name)
  if (missing.length === 0) return []
  const list = missing.length === 1 ? missing[0] : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`
  return [`Please state the project's ${list}: the listing does not.`]
}

import type { CreditClaim } from '../../core/decision/recommendation.js'
import { nonBlank } from '../../core/numbers.js'
import { isLate } from '../../core/time/expiry.js'
import { type ComparisonContext, toSource } from '../input/comparison-context.js'
import { type CurrencyReport, currencyReport, rateInto } from '../input/comparison-currency.js'
import type { ParsedResponse, ParsedRfq, ReviewedOffers, ReviewedTerms } from '../input/comparison-input.js'
import { otherClaims, shortagesOf } from '../offer/availability.js'
import { convertAmounts, exclusionsOf } from '../offer/eligibility.js'
import { type ListingQuality, listingQuality } from '../offer/listing-quality.js'
import { type Metrics, metricsOf } from '../offer/metrics.js'
import { offerFlags } from '../offer/offer-flags.js'
import { byNumber, offerLabels } from '../offer/offer-labels.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { type OfferFacts, offerFacts } from '../offer/offer-terms.js'
import { rankOffers, standingOf } from '../offer/ranking.js'
import { unmetRequirements } from '../offer/requirements.js'
import { changedTermsText } from '../offer/reviewed-terms.js'
import { type SummaryDifference, summaryDifference } from '../offer/summary-difference.js'
import { currencyCode, parseRfqTerms, type RfqTerms, type StatedRfqTerms } from './rfq-terms.js'

/** An RFQ with its evaluated offers: the basis of both the RFQ report and the channel overview. */
export interface RfqAssessment {
  rfq: RfqTerms
  currency: CurrencyReport
  /** Accepted offers first, then those that compete by rank, then the others by sequence. */
  offers: OfferReport[]
}

interface RfqAssessmentInput {
  rfq: ParsedRfq
  responses: readonly ParsedResponse[]
  listings: ReadonlyMap<string, ListingQuality>
  /** Offers whose terms changed since a review accepted them; default none. */
  reviewed?: ReviewedOffers | undefined
  /** Credits of their listings that are spoken for, in the RFQs of all channels; default none. */
  claims?: readonly CreditClaim[] | undefined
}

/** Evaluates the offers of an RFQ: terms, metrics, requirements, ranks, flags. */
export function assessRfq(input: RfqAssessmentInput, context: ComparisonContext): RfqAssessment {
  const stated = parseRfqTerms(input.rfq, context)
  const facts = parseInSequence(input, context)
  const rfqCurrency = currencyCode(stated.currency)
  const codes = facts.map((one) => one.facts.terms.currencyCode)
  const currency = currencyReport(rfqCurrency, codes, context.settings)
  const rfq = withComparedLimits(stated, currency)
  const labels = offerLabels(facts.map((one) => ({ id: one.known.id, ...one.facts })))
  const offerContext = { input, rfq, currency, context }
  const offers = facts.map((one, at) => assessOffer(one, at + 1, labels[at] ?? '', offerContext))
  return { rfq, currency, offers: rankOffers(offers) }
}

interface ParsedOffer {
  known: ParsedResponse
  facts: OfferFacts
  summaryDifference: SummaryDifference | null
}

/** In the order of their numbers. An offer is `submitted` only if its summary in the RFQ does not say otherwise. */
function parseInSequence({ rfq, responses }: RfqAssessmentInput, context: ComparisonContext): ParsedOffer[] {
  const listed = rfq.shape === 'full' ? (rfq.document?.responses ?? []) : []
  const summaries = new Map(listed.map((summary) => [summary.id as string, summary]))
  return [...responses].sort(byNumber).map((known) => {
    const own = offerFacts(known, context)
    const isRead = own.shape === 'full' && own.hasOffer && known.missingSince === null
    const summary = isRead ? summaries.get(known.id) : undefined
    const status = own.status === 'submitted' ? (nonBlank(summary?.status) ?? own.status) : own.status
    const difference = summary === undefined ? null : summaryDifference(summary, own, rfq.observedAt)
    return { known, facts: { ...own, status }, summaryDifference: difference }
  })
}

function withComparedLimits({ source, ...stated }: StatedRfqTerms, currency: CurrencyReport): RfqTerms {
  const rate = rateInto(currency, currency.rfq)
  const compared = (limit: number | null) => (limit === null || rate === null ? null : limit * rate)
  return {
    source,
    ...stated,
    comparedMinUnitPrice: compared(stated.minUnitPrice),
    comparedMaxUnitPrice: compared(stated.maxUnitPrice),
  }
}

interface OfferContext {
  input: RfqAssessmentInput
  rfq: RfqTerms
  currency: CurrencyReport
  context: ComparisonContext
}

function assessOffer(
  { known, facts, summaryDifference: difference }: ParsedOffer,
  sequence: number,
  label: string,
  offerContext: OfferContext,
): OfferReport {
  const { input, rfq, currency, context } = offerContext
  const { settings } = context
  const metrics = metricsOf(facts, rfq, settings)
  const compared = convertAmounts(facts.terms.currencyCode, metrics, currency, settings.priceBasis)
  const listing = input.listings.get(facts.listingId ?? '') ?? listingQuality(undefined)
  const others = otherClaims(
    input.claims,
    { id: known.id, listingId: facts.listingId },
    { channel: context.report.channel, rfqId: rfq.id },
  )
  const { hasOffer, unreadable, shape, listingId, developer, project, status, submittedAt } = facts
  const { terms, lines, prepayments } = facts
  // One literal: objects that are put together with spreads take ten times as long.
  const offer: OfferReport = {
    source: toSource('response', known),
    id: known.id,
    sequence,
    hasOffer,
    unreadable,
    shape,
    listingId,
    developer,
    project,
    status,
    submittedAt,
    terms,
    lines,
    prepayments,
    late: isLate(submittedAt, rfq.responseDueDate, context.calendar),
    metrics,
    compared,
    missingSince: known.missingSince,
    summaryDifference: difference,
    listing,
    shortages: listing.missingSince === null ? shortagesOf(lines, listing.availability, others) : [],
    exclusions: exclusionsOf(
      { facts, missingSince: known.missingSince, metrics, compared, isLeftOut: isLeftOut(sequence, settings) },
      currency,
    ),
    label,
    flags: [],
    unmet: [],
    standing: 'excluded',
    why: null,
    rank: null,
  }
  const reviewed = input.reviewed?.get(known.id)
  const changed = reviewed === undefined ? null : changedSince(reviewed, known, metrics, offerContext)
  offer.flags = offerFlags({ offer, rfq, changed })
  offer.unmet = unmetRequirements(offer, rfq, settings.requirements)
  return Object.assign(offer, standingOf(offer))
}

const isLeftOut = (sequence: number, { without }: ComparisonContext['settings']) =>
  `${without ?? ''}`.split(',').map(Number).includes(sequence)

/** `Review accepted 2026-11-24; price 17.08 → 9.90 on 2026-11-25.` */
function changedSince(
  { reviewedAt, changedAt, document }: ReviewedTerms,
  known: ParsedResponse,
  metrics: Metrics,
  { rfq, context }: OfferContext,
): string {
  const facts = offerFacts({ ...known, shape: 'full', document, unreadable: [] }, context)
  const [reviewed, changed] = [reviewedAt, changedAt].map((at) => context.calendar.dateAt(new Date(at)))
  return `Review accepted ${reviewed}; ${changedTermsText(metricsOf(facts, rfq, context.settings), metrics)} on ${changed}.`
}

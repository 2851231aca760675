import { isLate } from '../expiry.js'
import { type Circumstances, sourceOf } from './comparison-context.js'
import { type CurrencyReport, currencyReport, rateInto } from './comparison-currency.js'
import type { KnownAs, KnownListing, KnownResponse, KnownRfq } from './comparison-input.js'
import { byCodeUnit } from './numbers.js'
import { comparedOf, eligibilityOf } from './offer/eligibility.js'
import { type ListingQuality, listingQuality } from './offer/listing-quality.js'
import { metricsOf } from './offer/metrics.js'
import { offerFlags } from './offer/offer-flags.js'
import { labelsOf } from './offer/offer-labels.js'
import type { OfferReport } from './offer/offer-report-model.js'
import { type OfferFacts, offerFacts } from './offer/offer-terms.js'
import { rankOffers } from './offer/ranking.js'
import { requirementsOf } from './offer/requirements.js'
import { rfqFlags } from './rfq/rfq-flags.js'
import { type AskedTerms, askedTerms, currencyCode, type RfqTerms } from './rfq/rfq-terms.js'
import { knownAs } from './stored-documents.js'

/** An RFQ with its offers, weighed: what both the report on it and the overview of its channel are made from. */
export interface Assessment {
  rfq: RfqTerms
  currency: CurrencyReport
  /** Ranked offers first, by rank; then the others, by sequence. */
  offers: OfferReport[]
}

export interface Assessed {
  rfq: KnownRfq
  /** Asked for once. */
  responses: Iterable<KnownResponse>
  /** By id. */
  listings: ReadonlyMap<string, KnownListing>
  /** Problems noted with a response. */
  problemsOf: (responseId: string) => number
}

/** Weighs the offers of an RFQ: terms, figures, requirements, scores, ranks, flags. */
export function assess(input: Assessed, circumstances: Circumstances): Assessment {
  const asked = askedTerms(input.rfq, circumstances)
  const facts = inSequence(input.responses, circumstances)
  const rfqCurrency = currencyCode(asked.currency)
  const codes = facts.map((one) => one.facts.terms.currencyCode)
  const currency = currencyReport(rfqCurrency, codes, circumstances.settings)
  const rfq = { ...withLimits(asked, currency), flags: [] }
  const labels = labelsOf(facts.map((one) => ({ ...one.facts, id: one.known.id })))
  const weighing = { input, rfq, currency, circumstances, projects: projectsOf(facts, input.listings) }
  const offers = facts.map((one, at) => assessOffer(one, at + 1, labels[at] ?? '', weighing))
  const ranked = rankOffers(offers, rfq, circumstances.asOfDate, circumstances.settings)
  return { rfq: { ...rfq, flags: rfqFlags(rfq, offers.length, circumstances) }, currency, offers: ranked }
}

/** What is kept of a response once its document was read. */
interface Read {
  known: KnownAs
  facts: OfferFacts
}

/** By submission (unknown last), then id. */
function inSequence(responses: Iterable<KnownResponse>, circumstances: Circumstances): Read[] {
  const read: Read[] = []
  for (const one of responses) read.push({ known: knownAs(one), facts: offerFacts(one, circumstances) })
  const time = ({ facts }: Read) =>
    facts.submittedAt === null ? Number.POSITIVE_INFINITY : Date.parse(facts.submittedAt)
  return read.sort((a, b) => {
    const [first, second] = [time(a), time(b)]
    return (first === second ? 0 : first - second) || byCodeUnit(a.known.id, b.known.id)
  })
}

function withLimits(asked: AskedTerms, currency: CurrencyReport): Omit<RfqTerms, 'flags'> {
  const rate = rateInto(currency, currency.rfq)
  const compared = (limit: number | null) => (limit === null || rate === null ? null : limit * rate)
  return {
    ...asked,
    comparedMinUnitPrice: compared(asked.minUnitPrice),
    comparedMaxUnitPrice: compared(asked.maxUnitPrice),
  }
}

/** What the listing of each offer tells, made once for all offers with it. */
function projectsOf(
  read: readonly Read[],
  listings: ReadonlyMap<string, KnownListing>,
): Map<string | null, ListingQuality> {
  const ids = new Set(read.map(({ facts }) => facts.listingId))
  return new Map([...ids].map((id) => [id, listingQuality(id === null ? undefined : listings.get(id))]))
}

interface Weighing {
  projects: ReadonlyMap<string | null, ListingQuality>
  input: Assessed
  rfq: RfqTerms
  currency: CurrencyReport
  circumstances: Circumstances
}

function assessOffer({ known, facts }: Read, sequence: number, label: string, weighing: Weighing): OfferReport {
  const { input, rfq, currency, circumstances, projects } = weighing
  const { settings, asOfDate } = circumstances
  const { hasOffer: _hasOffer, implausible, ...told } = facts
  const metrics = metricsOf(facts, rfq, settings)
  const compared = comparedOf(facts.terms.currencyCode, metrics, currency)
  const weighed = {
    ...told,
    late: isLate(facts.submittedAt, rfq.responseDueDate, circumstances.calendar),
    metrics,
    compared,
  }
  const requirements = requirementsOf(weighed, rfq, currency)
  const offer = {
    source: sourceOf('response', known),
    id: known.id,
    sequence,
    ...weighed,
    inView: known.missingSince === null,
    missingSince: known.missingSince,
    listing: projects.get(facts.listingId) ?? listingQuality(undefined),
    eligibility: eligibilityOf({ facts, missingSince: known.missingSince, metrics, compared }, currency, settings),
    requirements,
    meetsRequirements: facts.hasOffer && requirements.every(({ met }) => met === true),
  }
  const problems = input.problemsOf(known.id)
  const flags = offerFlags({ offer, rfq, asOfDate, currency, settings, problems, implausible })
  return { ...offer, label, scores: null, rank: null, priceRank: null, flags }
}

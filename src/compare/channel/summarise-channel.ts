import { byCodeUnit, countByName, sum } from '../../core/numbers.js'
import { assessedOutcome, summariseAwards } from '../awards/award-summary.js'
import { type ComparisonContext, createContext } from '../input/comparison-context.js'
import type { ChannelInput, ParsedListing, ReportedDecision } from '../input/comparison-input.js'
import { listingQuality } from '../offer/listing-quality.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { countFlags, summariseOffers } from '../report/rfq-statistics.js'
import { assessRfq, type RfqAssessment } from '../rfq/rfq-assessment.js'
import { unreadText } from '../rfq/rfq-terms.js'

/** The version increases when a member changes its meaning or is removed, not when one is added. */
export const CHANNEL_REPORT_SCHEMA = 'quotekeeper.channel-report/2'

/** An open RFQ due within this many days is due soon. */
const DUE_SOON_DAYS = 7

/**
 * The overview of a channel as known at a moment. Pure, like `compareOffers`, but with awards in one line, without reasons and
 * changes, so that a channel of thousands of RFQs stays cheap.
 * @returns plain JSON
 * @throws RangeError for an unknown time zone or an invalid date
 */
export function summariseChannel(input: ChannelInput) {
  const context = createContext(input)
  const assessments = assessAll(input, context)
  const rfqs = assessments.map((assessed) => rfqRow(assessed, context))
  const offers = assessments.flatMap(offerRows)
  const listings = listingRows(input.listings, assessments)
  const closings = closingsUntil(input.decisions, context.report.asOf)
  const problems = input.problems.filter(({ firstSeenAt }) => firstSeenAt <= context.report.asOf).length
  return {
    schema: CHANNEL_REPORT_SCHEMA,
    context: context.report,
    settings: context.settings,
    summary: summaryOfChannel({ rfqs, offers, listings, closings, problems }),
    /** Open ones first, by days to due (unknown last); then the others by number, newest first. */
    rfqs,
    /** In the order of `rfqs`, then by rank, then sequence. */
    offers,
    /** Newest first. */
    closings,
    /** By project name. */
    listings,
  }
}

/** The overview of a channel: what the overview workbook and `report --json` without an RFQ show. Conventions: compareOffers. */
export type ChannelReport = ReturnType<typeof summariseChannel>
export type RfqRow = ReturnType<typeof rfqRow>
export type OfferRow = ReturnType<typeof offerRows>[number]
export type ListingRow = ReturnType<typeof listingRows>[number]

function assessAll(input: ChannelInput, context: ComparisonContext): RfqAssessment[] {
  const listings = new Map(input.listings.map((listing) => [listing.id, listingQuality(listing)]))
  return input.rfqs.map((one) => assessRfq({ ...one, listings }, context)).sort(byUrgency)
}

/** Open ones first, by days to due (unknown last); then the others by number, newest first. */
function byUrgency({ rfq: a }: RfqAssessment, { rfq: b }: RfqAssessment): number {
  const closed = (state: string | null) => (state === 'open' ? 0 : 1)
  const due = (days: number | null) => days ?? Number.MAX_SAFE_INTEGER
  const urgency = a.state === 'open' && b.state === 'open' ? due(a.daysToDue) - due(b.daysToDue) : 0
  return closed(a.state) - closed(b.state) || urgency || (b.number ?? -1) - (a.number ?? -1) || byCodeUnit(a.id, b.id)
}

/** What was accepted, or what is recommended while the RFQ is open. */
function awardMembers(assessed: RfqAssessment, { settings }: ComparisonContext) {
  const { rfq } = assessed
  const { accepted, award } = summariseAwards(assessed, assessedOutcome(assessed, settings))
  if (accepted !== null) return { accepted, award: award.offers.length > 0 ? award : null, awardText: accepted.message }
  if (rfq.unreadOffers > 0) return { accepted, award: null, awardText: `${unreadText(rfq.unreadOffers)}.` }
  if (rfq.state !== 'open') return { accepted, award: null, awardText: 'No offer was accepted.' }
  return { accepted, award, awardText: award.message }
}

function rfqRow(assessed: RfqAssessment, context: ComparisonContext) {
  const { rfq, currency, offers } = assessed
  const { id, number, reference, title, state, responseDueDate, daysToDue, fulfilmentDueDate, minVolume } = rfq
  const { maxVolume, unreadOffers, closedAt, missingSince } = rfq
  const { price, missing: _missing, ...summary } = summariseOffers(offers, rfq)
  const { valid, version, observedAt } = rfq.source
  return {
    ...{ id, number, reference, title, state, responseDueDate, daysToDue, fulfilmentDueDate, minVolume },
    ...{ maxVolume, unreadOffers, closedAt, missingSince, valid, version, observedAt },
    ...awardMembers(assessed, context),
    ...summary,
    wanted: rfq.window.lower,
    currency: currency.comparison,
    bestPricePerTonne: price.lowest,
    medianPricePerTonne: price.median,
    maxUnitPrice: rfq.comparedMaxUnitPrice,
  }
}

function offerRows({ rfq, currency, offers }: RfqAssessment) {
  return offers.map((offer) => {
    const { id, label, developer, project, status, submittedAt, late, compared, rank, why, inView } = offer
    const { terms, metrics, flags, source } = offer
    return {
      ...{ id, label, developer, project, status, submittedAt, late, compared, rank, why, inView },
      ...{ rfqId: rfq.id, rfqNumber: rfq.number, comparisonCurrency: currency.comparison },
      ...{ contractType: terms.contractType, currency: terms.currency },
      ...{ volume: metrics.volume, total: metrics.total, pricePerTonne: metrics.pricePerTonne },
      ...{ expiryDate: terms.expiryDate, daysToExpiry: terms.daysToExpiry },
      ...{ flags: countFlags(flags), flagMessages: flags.map(({ message }) => message) },
      ...{ version: source.version, observedAt: source.observedAt },
    }
  })
}

function listingRows(listings: readonly ParsedListing[], assessments: readonly RfqAssessment[]) {
  const requests = new Map(countByName(assessments.flatMap(({ rfq }) => [...new Set(rfq.listingIds)])))
  const offers = byListing(assessments.flatMap((assessment) => assessment.offers))
  return listings
    .map((known) => {
      const { id, version, observedAt, valid } = known
      const made = offers.get(id) ?? []
      const usage = { rfqs: requests.get(id) ?? 0, offers: made.length, offeredVolume: offeredVolume(made) }
      return { id, ...listingQuality(known), ...usage, version, observedAt, valid }
    })
    .sort((a, b) => byCodeUnit(a.projectName ?? '', b.projectName ?? '') || byCodeUnit(a.id, b.id))
}

function byListing(offers: readonly OfferReport[]): Map<string | null, OfferReport[]> {
  const groups = new Map<string | null, OfferReport[]>()
  for (const offer of offers) {
    const group = groups.get(offer.listingId)
    if (group === undefined) groups.set(offer.listingId, [offer])
    else group.push(offer)
  }
  return groups
}

const offeredVolume = (offers: readonly OfferReport[]) =>
  sum(offers.filter(({ inView, status }) => inView && status !== 'rejected').map(({ metrics }) => metrics.volume ?? 0))

function closingsUntil(decisions: readonly ReportedDecision[], asOf: string): ReportedDecision[] {
  return decisions
    .filter(({ decidedAt }) => decidedAt <= asOf)
    .sort((a, b) => byCodeUnit(b.decidedAt, a.decidedAt) || b.id - a.id)
}

interface Rows {
  rfqs: readonly RfqRow[]
  offers: readonly OfferRow[]
  listings: readonly ListingRow[]
  closings: readonly ReportedDecision[]
  problems: number
}

function summaryOfChannel({ rfqs, offers, listings, closings, problems }: Rows) {
  const open = rfqs.filter(({ state }) => state === 'open')
  const visible = offers.filter(({ inView }) => inView)
  const due = open.flatMap(({ daysToDue }) => (daysToDue === null ? [] : [daysToDue]))
  return {
    rfqs: rfqs.length,
    byState: countByName(rfqs.map(({ state }) => state ?? 'unknown')).map(([state, count]) => ({ state, rfqs: count })),
    open: open.length,
    /** Due within 7 days, today included. */
    dueSoon: due.filter((days) => days >= 0 && days <= DUE_SOON_DAYS).length,
    overdue: due.filter((days) => days < 0).length,
    openWithoutOffers: open.filter(({ offers, unreadOffers }) => offers + unreadOffers === 0).length,
    missing: rfqs.filter(({ missingSince }) => missingSince !== null).length,
    invalid: rfqs.filter(({ valid }) => !valid).length,
    offers: visible.length,
    byStatus: countByName(visible.map(({ status }) => status ?? 'unknown')).map(([status, count]) => ({
      status,
      offers: count,
    })),
    lateOffers: offers.filter(({ late }) => late === true).length,
    listings: listings.length,
    missingListings: listings.filter(({ missingSince }) => missingSince !== null).length,
    closings: closingCounts(closings),
    flags: { loud: sum(rfqs.map(({ flags }) => flags.loud)), quiet: sum(rfqs.map(({ flags }) => flags.quiet)) },
    problems,
    /** What the open RFQs request, what their ranked offers have, and how much of the first they cover, RFQ by RFQ. */
    openWanted: sum(open.map(({ wanted }) => wanted ?? 0)),
    openOffered: sum(open.map(({ volume }) => volume)),
    openCovered: sum(open.map(({ wanted, volume }) => Math.min(wanted ?? 0, volume))),
  }
}

/** The newest decision on each RFQ counts. */
function closingCounts(newestFirst: readonly ReportedDecision[]) {
  const newest = new Map<string, ReportedDecision>()
  for (const decision of newestFirst) if (!newest.has(decision.rfqId)) newest.set(decision.rfqId, decision)
  const kinds = [...newest.values()].map(({ decision, outcome }) => `${decision} ${outcome ?? ''}`)
  return countByName(kinds).map(([kind, count]) => {
    const [decision = '', outcome = ''] = kind.split(' ')
    return { decision, outcome: outcome === '' ? null : outcome, count }
  })
}

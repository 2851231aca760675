import { formatAmount, formatDecimal, truncate } from '../../core/number-format.js'
import { sum } from '../../core/numbers.js'
import type { parseResponseSummary } from '../../core/observation.js'
import type { Settings } from '../../core/settings.js'
import type { ParsedRfq } from '../comparison-input.js'
import { ownStatus } from '../offer/newer-summary.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { EXACT_TOTAL, totalTolerance } from '../reconciliation.js'
import { crossedLimits } from '../rfq/rfq-flags.js'
import type { Check } from './check-model.js'
import type { ReportFigures } from './figure-checks.js'
import { agreement, type CheckParts, check, numericCheck, withinTolerance } from './numeric-check.js'

/** Checks the marketplace's data: its documents must not contradict each other. */
export function dataChecks(figures: ReportFigures): Check[] {
  const summaries = summariesOf(figures.known)
  return [
    ...rfqChecks(figures, summaries),
    ...figures.offers.flatMap((offer) => [...offerChecks(offer, figures.settings), ...summaryChecks(offer, summaries)]),
    ...listingChecks(figures.offers),
  ]
}

type SummaryDocument = NonNullable<ReturnType<typeof parseResponseSummary>['document']>

function summariesOf({ shape, document }: ParsedRfq): Map<string, SummaryDocument> | null {
  if (shape !== 'full' || document === null) return null
  return new Map(document.responses.map((summary) => [summary.id, summary]))
}

function rfqChecks({ rfq, offers }: ReportFigures, summaries: Map<string, SummaryDocument> | null): Check[] {
  const inView = offers.filter((offer) => offer.inView).length
  const shown = summaries?.size ?? null
  const crossed = crossedLimits(rfq)
  return [
    dataCheck({
      id: 'offers-shown',
      title: 'The RFQ lists as many offers as are stored and not missing',
      left: ['listed by the RFQ', shown],
      right: ['stored and not missing', inView],
      tolerance: 0,
    }),
    dataCheck({
      id: 'rfq-limits',
      title: "The RFQ's lower limits do not exceed its upper limits",
      left: ['contradictory limits', crossed.length],
      right: ['allowed', 0],
      tolerance: 0,
    }),
    dataCheck({
      id: 'documents-valid',
      title: 'Every document matches the documented format',
      left: [
        'documents that do not match',
        Number(!rfq.source.valid) + offers.filter(({ source }) => !source.valid).length,
      ],
      right: ['allowed', 0],
      tolerance: 0,
    }),
  ]
}

interface DataCheckParts {
  id: string
  title: string
  left: [what: string, value: number | null]
  right: [what: string, value: number | null]
  tolerance: number
  /** Differences above this and within the tolerance count as rounding. */
  exact?: number
}

function dataCheck({ exact, ...of }: DataCheckParts, subject = 'RFQ', offerId: string | null = null): Check {
  const allowed = { ...withinTolerance(of.tolerance), ...(exact !== undefined && { exact }) }
  return numericCheck({ ...of, about: 'data', ...allowed }, agreement, subject, offerId)
}

function offerChecks({ id, label, terms, metrics, lines }: OfferReport, settings: Settings): Check[] {
  const sumOrNull = (total: number, difference: number | null) => (difference === null ? null : total)
  const total = {
    id: 'total',
    title: 'The stated total equals the sum of the delivery lines',
    left: ['stated total', terms.statedTotal] as [string, number | null],
    right: ['Σ lines', sumOrNull(metrics.sumValue, metrics.totalDifference)] as [string, number | null],
    tolerance: totalTolerance(terms.statedTotal, settings.totalTolerance),
    exact: EXACT_TOTAL,
  }
  const volume = {
    id: 'volume',
    title: 'The stated volume equals the sum of the delivery lines',
    left: ['stated volume, t', terms.statedVolume] as [string, number | null],
    right: ['Σ lines, t', sumOrNull(metrics.sumVolume, metrics.volumeDifference)] as [string, number | null],
    tolerance: settings.volumeTolerance,
  }
  if (lines.length === 0 && terms.statedVolume === null && terms.statedTotal === null) return []
  return [dataCheck(volume, label, id), dataCheck(total, label, id)]
}

const formatPart = (part: string | number | null | undefined) => {
  if (typeof part === 'number') return formatDecimal(part)
  return truncate(part ?? 'none', 40)
}

/** The summary within the RFQ and the offer are separate reads and must agree. */
function summaryChecks(offer: OfferReport, summaries: Map<string, SummaryDocument> | null): Check[] {
  const summary = summaries?.get(offer.id)
  if (summary === undefined || offer.shape === 'summary') return []
  const { terms } = offer
  const [left, right] = [
    [summary.status, summary.contractType, summary.totalVolume, summary.totalPrice, summary.currency],
    [
      ownStatus(offer.newerSummary) ?? offer.status,
      terms.contractType,
      terms.statedVolume,
      terms.statedTotal,
      terms.currency,
    ],
  ].map((parts) => parts.map(formatPart).join(', '))
  const ok = left === right
  const parts: CheckParts = {
    id: 'summary',
    about: 'data',
    title: 'The summary within the RFQ agrees with the offer (status, contract, volume, total, currency)',
    left: ['summary', left ?? ''],
    right: ['offer', right ?? ''],
    difference: null,
    exact: null,
    tolerance: null,
    oneSided: false,
    verdict: ok ? 'ok' : 'fails',
    words: ok ? 'The two sides agree.' : 'The two sides differ.',
  }
  return [check(parts, offer.label, offer.id)]
}

/** Several offers on one listing may exceed its available volume. */
function listingChecks(offers: readonly OfferReport[]): Check[] {
  const byListing = new Map<string, OfferReport[]>()
  for (const offer of offers.filter(({ inView, status }) => inView && status !== 'rejected')) {
    if (offer.listingId === null || offer.listing.availableVolume === null) continue
    const sameListing = byListing.get(offer.listingId)
    if (sameListing === undefined) byListing.set(offer.listingId, [offer])
    else sameListing.push(offer)
  }
  return [...byListing].flatMap(([id, sameListing]) => (sameListing.length < 2 ? [] : [listingCheck(id, sameListing)]))
}

function listingCheck(id: string, offers: readonly OfferReport[]): Check {
  const listing = offers[0]?.listing
  const volume = sum(offers.map(({ metrics }) => metrics.volume ?? 0))
  const available = listing?.availableVolume ?? 0
  return numericCheck(
    {
      id: 'listing-volume',
      about: 'data',
      title: 'The offers for one listing do not exceed its available volume',
      left: [`Σ of ${offers.length} offers, t`, volume],
      right: ['available, t', available],
      ...withinTolerance(0),
      oneSided: true,
    },
    (verdict, difference) =>
      verdict === 'ok'
        ? 'The offers do not exceed the available volume.'
        : `The offers exceed the available volume by ${formatAmount(difference)} t.`,
    `Listing ${truncate(listing?.projectName ?? id, 60)}`,
  )
}

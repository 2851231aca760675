import type { parseResponseSummary } from '../../observation.js'
import type { Award } from '../awards/award-model.js'
import type { Sensitivity } from '../awards/sensitivity-model.js'
import type { ParsedRfq } from '../comparison-input.js'
import { formatAmount, formatCount, formatDecimal, truncate } from '../number-format.js'
import { sum } from '../numbers.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isRanked } from '../offer/ranking.js'
import { EXACT_TOTAL, totalTolerance, verdictOf } from '../reconciliation.js'
import { crossedLimits } from '../rfq/rfq-flags.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Settings } from '../settings.js'
import type { Check, CheckCounts, Checks } from './check-model.js'
import type { Summary } from './rfq-statistics.js'

/** The figures to check. */
export interface ReportFigures {
  known: ParsedRfq
  rfq: RfqTerms
  offers: readonly OfferReport[]
  summary: Summary
  awards: readonly Award[]
  sensitivity: Sensitivity
  settings: Settings
}

/** Runs all reconciliation checks. */
export function checksOf(figures: ReportFigures): Checks {
  const checks = [...figureChecks(figures), ...dataChecks(figures)]
  return { checks, master: masterOf(checks) }
}

function masterOf(checks: readonly Check[]): Checks['master'] {
  const figures = countsOf(checks.filter(({ about }) => about === 'figures'))
  const data = countsOf(checks.filter(({ about }) => about === 'data'))
  const verdict = figures.fails > 0 ? 'fails' : data.fails > 0 ? 'attention' : 'ok'
  const words = {
    ok: "All calculations reconcile, and so does the marketplace's data.",
    attention: `All calculations reconcile; ${formatCount(data.fails, 'check')} on the marketplace's data ${data.fails === 1 ? 'fails' : 'fail'}.`,
    fails: `${formatCount(figures.fails, 'figure')} in this report ${figures.fails === 1 ? 'does' : 'do'} not reconcile: do not rely on the report.`,
  }[verdict]
  return { verdict, figures, data, words }
}

function countsOf(checks: readonly Check[]): CheckCounts {
  const counts = { ok: 0, rounding: 0, fails: 0, unknown: 0 }
  for (const { verdict } of checks) counts[verdict]++
  return counts
}

// --- this report's own arithmetic -----------------------------------------------------------------------------------

/** Tolerance for floating-point noise between two ways of computing a sum. */
const relativeNoise = (value: number) => Math.max(1e-6, Math.abs(value) * 1e-9)

interface Sides {
  id: string
  title: string
  left: [what: string, value: number]
  right: [what: string, value: number]
}

function figureCheck({ id, title, left, right }: Sides): Check {
  return numericCheck(
    { id, about: 'figures', title, left, right, ...withinTolerance(relativeNoise(right[1])) },
    agreement,
  )
}

/** A single tolerance, beyond which a check fails. */
const withinTolerance = (tolerance: number) => ({ exact: tolerance, tolerance, oneSided: false })

type NumericCheckParts = Omit<CheckParts, 'difference' | 'verdict' | 'words'>
/** Creates a check of two numbers and derives its difference and verdict. */
function numericCheck(of: NumericCheckParts, wordsOf: VerdictText, subject?: string, offerId?: string | null): Check {
  const [left, right] = [of.left[1], of.right[1]]
  const difference = typeof left === 'number' && typeof right === 'number' ? left - right : null
  const verdict = verdictOf({ ...of, difference })
  return check({ ...of, difference, verdict, words: wordsOf(verdict, difference ?? 0) }, subject, offerId)
}

type VerdictText = (verdict: Check['verdict'], difference: number) => string
const agreement: VerdictText = (verdict, difference) =>
  ({
    unknown: 'One of the two figures is unknown.',
    ok: 'The two sides agree.',
    rounding: 'The two sides agree except for rounding.',
    fails: `The two sides differ by ${formatAmount(difference)}.`,
  })[verdict]

type CheckParts = Omit<Check, 'subject' | 'offerId' | 'left' | 'right'> & {
  left: [what: string, value: Check['left']['value']]
  right: [what: string, value: Check['right']['value']]
}
function check({ left, right, ...rest }: CheckParts, subject = 'Report', offerId: string | null = null): Check {
  const side = ([what, value]: CheckParts['left']) => ({ what, value })
  return { ...rest, subject, offerId, left: side(left), right: side(right) }
}

function figureChecks(figures: ReportFigures): Check[] {
  return [
    ...countChecks(figures),
    ...sumChecks(figures),
    ...rankChecks(figures),
    ...awardChecks(figures),
    ...discountChecks(figures),
  ]
}

function countChecks({ offers, summary }: ReportFigures): Check[] {
  return [
    figureCheck({
      id: 'offers-by-status',
      title: 'Offers by status add up to all offers',
      left: ['sum over statuses', sum(summary.byStatus.map((one) => one.offers))],
      right: ['offers', offers.length],
    }),
    figureCheck({
      id: 'offers-ranked',
      title: 'Ranked and excluded offers add up to all offers',
      left: ['ranked + excluded', summary.ranked + offers.filter(({ eligibility }) => !eligibility.eligible).length],
      right: ['offers', offers.length],
    }),
    figureCheck({
      id: 'flags-by-code',
      title: 'Flags by code add up to flags by severity',
      left: ['by code', sum(summary.flagCounts.map((one) => one.offers))],
      right: ['by severity', sum(Object.values(summary.flags))],
    }),
  ]
}

function sumChecks({ offers }: ReportFigures): Check[] {
  const lines = offers.flatMap((offer) => offer.lines)
  const ranked = offers.filter(isRanked)
  return [
    figureCheck({
      id: 'lines-volume',
      title: "Delivery line volumes add up to the offers' sums",
      left: ['Σ lines, t', sum(lines.map((line) => line.volume ?? 0))],
      right: ['Σ offers, t', sum(offers.map(({ metrics }) => metrics.sumVolume))],
    }),
    figureCheck({
      id: 'lines-value',
      title: "Delivery line totals add up to the offers' sums (mixed currencies)",
      left: ['Σ volume × price', sum(lines.map((line) => (line.volume ?? 0) * (line.unitPrice ?? 0)))],
      right: ['Σ offers', sum(offers.map(({ metrics }) => metrics.sumValue))],
    }),
    figureCheck({
      id: 'price-times-volume',
      title: 'Price per tonne × volume equals the totals of the ranked offers',
      left: [
        'Σ price × volume',
        sum(ranked.map((offer) => (offer.compared.pricePerTonne ?? 0) * (offer.metrics.volume ?? 0))),
      ],
      right: ['Σ totals', sum(ranked.map((offer) => offer.compared.total ?? 0))],
    }),
  ]
}

function rankChecks({ offers }: ReportFigures): Check[] {
  const ranked = offers.filter(isRanked)
  const all = (ranked.length * (ranked.length + 1)) / 2
  const distinct = (ranks: number[]) => sum(new Set(ranks))
  const scores = ranked.map(({ scores: { total } }) => total)
  const descending = scores.filter((score, at) => at === 0 || score <= (scores[at - 1] ?? score)).length
  return [
    figureCheck({
      id: 'ranks',
      title: 'Ranks run from 1 without gaps or ties',
      left: ['Σ distinct ranks', distinct(ranked.map(({ rank }) => rank))],
      right: ['1 + 2 + … + n', all],
    }),
    figureCheck({
      id: 'price-ranks',
      title: 'Price ranks run from 1 without gaps or ties',
      left: ['Σ distinct ranks', distinct(ranked.map(({ priceRank }) => priceRank))],
      right: ['1 + 2 + … + n', all],
    }),
    figureCheck({
      id: 'scores-descend',
      title: 'Scores descend with rank',
      left: ['offers in order', descending],
      right: ['ranked offers', ranked.length],
    }),
  ]
}

function awardChecks({ awards, offers }: ReportFigures): Check[] {
  const volumes = new Map(offers.map(({ id, metrics }) => [id, metrics.volume ?? 0]))
  const perAward = awards.map(({ scenario, title, winners, total }) =>
    figureCheck({
      id: `award-total-${scenario}`,
      title: `${title}: tonnes × price equals the total`,
      left: ['Σ tonnes × price', sum(winners.map((line) => line.tonnes * line.pricePerTonne))],
      right: ['total', total],
    }),
  )
  const excessive = awards
    .filter(({ scenario }) => scenario !== 'own')
    .flatMap(({ winners }) => winners.filter((line) => line.tonnes > (volumes.get(line.offerId) ?? 0) * (1 + 1e-9)))
  return [
    ...perAward,
    figureCheck({
      id: 'award-offered',
      title: 'No scenario awards more than is offered',
      left: ['lines above the offered volume', excessive.length],
      right: ['allowed', 0],
    }),
    ...orderChecks(awards),
  ]
}

/** A less restricted scenario never costs more than a more restricted one. */
function orderChecks(awards: readonly Award[]): Check[] {
  const reached = new Map(awards.filter((award) => award.reached).map((award) => [award.scenario, award]))
  const pairs = [
    ['cheapest-divisible', 'cheapest-combination'],
    ['cheapest-combination', 'two-developers'],
    ['two-developers', 'cheapest-single'],
    ['cheapest-combination', 'meets-requirements'],
    ['cheapest-combination', 'best-score'],
  ] as const
  return pairs.flatMap(([freer, stricter]) => {
    const [free, strict] = [reached.get(freer), reached.get(stricter)]
    return free === undefined || strict === undefined || !free.exact ? [] : [orderCheck(free, strict)]
  })
}

/** Prices per tonne are ordered at six decimals, so prices that differ by less may be swapped. */
const PRICE_STEP = 1e-6

function orderCheck(freer: Award, stricter: Award): Check {
  return numericCheck(
    {
      id: `award-order-${freer.scenario}-${stricter.scenario}`,
      about: 'figures',
      title: `${freer.title} costs no more than ${stricter.title}`,
      left: [freer.title, freer.total],
      right: [stricter.title, stricter.total],
      ...withinTolerance(relativeNoise(stricter.total) + PRICE_STEP * stricter.tonnes),
      oneSided: true,
    },
    (verdict) =>
      verdict === 'ok'
        ? 'The less restricted scenario costs no more.'
        : 'The less restricted scenario costs more, which is impossible.',
  )
}

function discountChecks({ offers, sensitivity }: ReportFigures): Check[] {
  const undiscounted = sensitivity.discountRates.find(({ rate }) => rate === 0)
  if (undiscounted === undefined) return []
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  const pairs = sensitivity.contenders.flatMap(({ offerId }, at) => {
    const offer = byId.get(offerId)
    // Pre-payments above the total are worth more than the total and cannot be compared.
    if (offer === undefined || (offer.metrics.prepaidShare ?? 0) > 1) return []
    const nominal = (offer.compared.pricePerTonne ?? 0) / (1 - offer.metrics.haircut)
    return [{ nominal, price: undiscounted.prices[at] ?? 0 }]
  })
  const nominal = sum(pairs.map((pair) => pair.nominal))
  return [
    numericCheck(
      {
        id: 'undiscounted',
        about: 'figures',
        title: 'At a discount rate of 0, present values equal nominal prices',
        left: ['Σ prices at 0 %', sum(pairs.map(({ price }) => price))],
        right: ['Σ nominal prices', nominal],
        // Each price is rounded to six decimals.
        ...withinTolerance(5e-7 * pairs.length + relativeNoise(nominal)),
      },
      agreement,
    ),
  ]
}

// --- the marketplace's data -----------------------------------------------------------------------------------------

function dataChecks(figures: ReportFigures): Check[] {
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
        [rfq.source, ...offers.map(({ source }) => source)].filter(({ valid }) => !valid).length,
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
    [offer.status, terms.contractType, terms.statedVolume, terms.statedTotal, terms.currency],
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

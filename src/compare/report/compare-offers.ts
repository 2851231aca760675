import { withRatesOf } from '../../core/decision/exchange-rates.js'
import { byCodeUnit } from '../../core/numbers.js'
import { type AwardState, awardState } from '../decision/award-state.js'
import { decisionOf } from '../decision/decide.js'
import { createContext, type ReportContext } from '../input/comparison-context.js'
import type { ComparisonInput, DocumentProblem } from '../input/comparison-input.js'
import { listingQuality } from '../offer/listing-quality.js'
import { assessRfq } from '../rfq/rfq-assessment.js'
import { REPORT_SCHEMA, type RfqReport } from './rfq-report-model.js'
import { summariseOffers } from './rfq-statistics.js'

/**
 * The report on one RFQ as known at a moment. Pure: the same input gives the same report, whatever the order of its lists.
 * Takes time n log n in offers and lines; the search for awards has its own limit (efficient-awards.ts).
 * @returns plain JSON: `report --json` prints this value
 * @throws RangeError for an unknown time zone or an invalid date
 */
export function compareOffers(input: ComparisonInput): RfqReport {
  const comparison = createContext(input)
  const { report: context } = comparison
  const problems = problemsUntil(input.problems, context.asOf)
  const listings = new Map(input.listings.map((listing) => [listing.id, listingQuality(listing)]))
  const { rfq, currency, offers } = assessRfq({ ...input, listings }, comparison)
  // A source has dozens of currencies.
  const settings = withRatesOf(
    comparison.settings,
    currency.rates.map((rate) => rate.currency),
  )
  const closings = closingsUntil(input, context.asOf)
  const decision = decisionOf({ settings, currency: currency.comparison, rfq, offers })
  return {
    schema: REPORT_SCHEMA,
    context,
    settings,
    currency,
    rfq,
    summary: summariseOffers(offers, rfq),
    award: input.award == null ? null : awardAt(awardState(input.award, offers), context),
    decision,
    offers,
    closings,
    problems,
  }
}

/** As of a past moment, there is nothing to do next. */
const awardAt = (state: AwardState, { asOf, generatedAt }: ReportContext): AwardState =>
  asOf < generatedAt ? { ...state, lines: state.lines.filter(({ title }) => title !== 'Next') } : state

function problemsUntil(problems: readonly DocumentProblem[], asOf: string): DocumentProblem[] {
  const key = ({ kind, entityId, path, code }: DocumentProblem) => `${kind} ${entityId} ${path} ${code}`
  return problems
    .filter(({ firstSeenAt }) => firstSeenAt <= asOf)
    .map(({ kind, entityId, path, code, message, firstSeenAt }) => ({
      kind,
      entityId,
      path,
      code,
      message,
      firstSeenAt,
    }))
    .sort((a, b) => byCodeUnit(key(a), key(b)))
}

function closingsUntil({ decisions, rfq }: ComparisonInput, asOf: string): RfqReport['closings'] {
  return decisions
    .filter(({ decidedAt, rfqId }) => decidedAt <= asOf && rfqId === rfq.id)
    .sort((a, b) => byCodeUnit(b.decidedAt, a.decidedAt) || b.id - a.id)
    .map(plainDecision)
}

/** The members of a decision that reports contain. */
export function plainDecision(decision: RfqReport['closings'][number]): RfqReport['closings'][number] {
  const { id, runId, rfqId, rfqNumber, dueDate, timeZone, decidedAt } = decision
  const { decision: verdict, reason, outcome, httpStatus, message, versionBefore, versionAfter } = decision
  const decided = { id, runId, rfqId, rfqNumber, dueDate, timeZone, decidedAt, decision: verdict, reason }
  return { ...decided, outcome, httpStatus, message, versionBefore, versionAfter }
}

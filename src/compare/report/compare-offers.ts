import { withRatesOf } from '../../core/decision/exchange-rates.js'
import { byCodeUnit } from '../../core/numbers.js'
import { type AwardState, awardState } from '../decision/award-state.js'
import { decisionOf } from '../decision/decide.js'
import type { Condition } from '../decision/decision-model.js'
import { createContext, type ReportContext } from '../input/comparison-context.js'
import type { ComparisonInput, DocumentProblem } from '../input/comparison-input.js'
import { listingQuality } from '../offer/listing-quality.js'
import { assessRfq } from '../rfq/rfq-assessment.js'
import { summariseOffers } from './rfq-statistics.js'

/**
 * The report on one RFQ as known at a moment: everything that the workbook shows. Pure: the same input gives the same report, whatever the
 * order of its lists. Takes time n log n in offers and lines; the search for awards has its own limit (efficient-awards.ts).
 *
 * - `null` means unknown or not computable; the reason is given beside it (`noPrice`, `reason`, `exclusions`, `why`).
 * - Numbers are as received; those with an absolute value above 10^15 count as unknown.
 * - Volumes are tonnes CO2e; shares are fractions (0.25 is 25 %); days are calendar days in the channel's time zone, counted from the
 *   as-of date.
 * - Amounts are in the offer's own currency, except under `compared` and in awards and statistics, which use `currency.comparison`.
 * @returns plain JSON: `report --json` prints this value
 * @throws RangeError for an unknown time zone or an invalid date
 */
export function compareOffers(input: ComparisonInput) {
  const comparison = createContext(input)
  const { report: context } = comparison
  const listings = new Map(input.listings.map((listing) => [listing.id, listingQuality(listing)]))
  const { rfq, currency, offers } = assessRfq({ ...input, listings }, comparison)
  // A source has dozens of currencies.
  const settings = withRatesOf(
    comparison.settings,
    currency.rates.map((rate) => rate.currency),
  )
  const closings = input.decisions.filter(({ decidedAt, rfqId }) => decidedAt <= context.asOf && rfqId === rfq.id)
  const standing = input.award ?? null
  const decision = decisionOf({ settings, currency: currency.comparison, rfq, offers, standing })
  if (input.claims === undefined) decision.recommendation.conditions.push(PAST)
  return {
    context,
    settings,
    currency,
    rfq,
    summary: summariseOffers(offers, rfq),
    /** The desk's award that stands, and what the marketplace shows of it; null if none does. */
    award: standing && awardAt(awardState(standing, offers), context),
    decision,
    /** Accepted offers first, then those that compete by rank, then the others by `sequence`. */
    offers,
    /** How many decisions to close or keep it there are. */
    closings: closings.length,
    problems: [...input.problems].sort((a, b) => byCodeUnit(placeOf(a), placeOf(b))),
  }
}

const PAST: Condition = { loud: false, message: 'As of a past moment, credits that other RFQs claim are not counted.' }

export type RfqReport = ReturnType<typeof compareOffers>

/** As of a past moment, there is nothing to do next. */
const awardAt = (state: AwardState, { asOf, generatedAt }: ReportContext): AwardState =>
  asOf < generatedAt ? { ...state, facts: state.facts.filter(({ label }) => label !== 'Next') } : state

const placeOf = ({ kind, entityId, path, code }: DocumentProblem) => `${kind} ${entityId} ${path} ${code}`

/**
 * The report on one RFQ: everything that the workbook shows. Plain JSON, without Date, Map,
 * undefined, NaN or infinity, so the model is its own JSON form; `schema` identifies it.
 *
 * Conventions
 * - `null` means unknown or not computable; the reason is given beside it (`noPrice`, `reason`, `exclusions`, `why`).
 * - Numbers are as received; those with an absolute value above 10^15 count as unknown.
 * - Volumes are tonnes CO2e; shares are fractions (0.25 is 25 %); days are calendar days in the
 *   channel's time zone, counted from the as-of date.
 * - Amounts are in the offer's own currency, except under `compared` and in awards and statistics, which use
 *   `currency.comparison`.
 * - A spreadsheet can evaluate every formula; ROUND(x, 6) rounds half away from zero.
 */

import type { Settings } from '../../core/decision/settings.js'
import type { AwardState } from '../decision/award-state.js'
import type { Decision } from '../decision/decision-model.js'
import type { ReportContext } from '../input/comparison-context.js'
import type { CurrencyReport } from '../input/comparison-currency.js'
import type { DocumentProblem, ReportedDecision } from '../input/comparison-input.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Summary } from './rfq-statistics.js'

/** The version increases when a member changes its meaning or is removed, not when one is added. */
export const REPORT_SCHEMA = 'quotekeeper.rfq-report/2'

export interface RfqReport {
  schema: typeof REPORT_SCHEMA
  context: ReportContext
  settings: Settings
  currency: CurrencyReport
  rfq: RfqTerms
  summary: Summary
  /** The desk's award that stands, and what the marketplace shows of it; null if none does. */
  award: AwardState | null
  /** Whom to award, why, and what could change that. */
  decision: Decision
  /** Accepted offers first, then those that compete by rank, then the others by `sequence`. */
  offers: OfferReport[]
  /** Newest first. */
  closings: ReportedDecision[]
  problems: DocumentProblem[]
}

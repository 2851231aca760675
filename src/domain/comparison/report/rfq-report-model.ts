/**
 * The report on one RFQ: everything the workbook, `report --json`, CSV and HTML show. Plain JSON: no Date, no Map, no
 * undefined, no NaN or infinity, so the model is its own JSON form, told apart by `schema`.
 *
 * Conventions
 * - `null` is "not known or not to be computed"; why stands beside it (`reasons`, `reason`, `exclusions`).
 * - A number the documents hold is taken as sent; beyond 10^15 either way it is taken as not known (`implausible-numbers`).
 * - Volumes are tonnes CO2e; shares are fractions (0.25 is 25 %); scores run from 0 to 100; days are calendar days in the
 *   channel's time zone, counted from the as-of date.
 * - Amounts stand in the offer's own currency, except under `compared` and in awards, statistics and sensitivity: those
 *   are in `currency.comparison`.
 * - Every formula is written so that a spreadsheet can repeat it; ROUND(x, 6) is half away from zero.
 */
import type { Award, AwardsForVolume } from '../awards/award-model.js'
import type { Sensitivity } from '../awards/sensitivity-model.js'
import type { ReportContext } from '../comparison-context.js'
import type { CurrencyReport } from '../comparison-currency.js'
import type { DocumentProblem, ReportedDecision } from '../comparison-input.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Settings } from '../settings.js'
import type { Checks } from './check-model.js'
import type { Change } from './document-changes.js'
import type { About } from './report-notes.js'
import type { Summary } from './rfq-statistics.js'

/** Raised when a member changes its meaning or goes; added members do not raise it. */
export const REPORT_SCHEMA = 'quotekeeper.rfq-report/1'

export interface RfqReport {
  schema: typeof REPORT_SCHEMA
  context: ReportContext
  settings: Settings
  currency: CurrencyReport
  rfq: RfqTerms
  summary: Summary
  /** Ranked offers first, by rank; then the others, by `sequence`. */
  offers: OfferReport[]
  /** One of each scenario, in the order of AWARD_SCENARIOS. */
  awards: Award[]
  /** One of each volume of `rfq.wanted`: min, mid, max; a volume that occurs again is left out. */
  awardsByWanted: AwardsForVolume[]
  sensitivity: Sensitivity
  /** Oldest first. */
  changes: Change[]
  checks: Checks
  /** Newest first. */
  decisions: ReportedDecision[]
  problems: DocumentProblem[]
  about: About
}

import type { Decision, DecisionAward, RequirementSwitch } from '../compare/decision/decision-model.js'
import { type NotMet, notMetBy } from '../compare/decision/not-met.js'
import type { Flag } from '../compare/flag.js'
import { hasOtherTerms } from '../compare/offer/newer-summary.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import type { RfqReport } from '../compare/report/rfq-report-model.js'
import type { RfqTerms } from '../compare/rfq/rfq-terms.js'
import type { PricesRead, TermsRead } from '../core/offer-sources.js'
import type { Criterion, Settings } from '../core/settings.js'

/** The comparison of an RFQ's offers as its page shows it: a part of the report, small enough to send to another thread. */
export interface RfqPageModel {
  channel: string
  asOf: string
  timeZone: string
  /** When the terms of the offers were read; null as of a past moment. */
  termsRead: TermsRead | null
  /** When the RFQ was read, which shows their status and prices; null as of a past moment. */
  pricesRead: PricesRead | null
  currency: string | null
  currencyReason: string
  settings: Settings
  rfq: RfqTerms
  summary: RfqReport['summary']
  banners: Decision['banners']
  requirements: RequirementSwitch[]
  recommendation: Pick<
    Decision['recommendation'],
    'status' | 'headline' | 'awards' | 'reasons' | 'conditions' | 'changes' | 'questions'
  > & {
    award: AwardSummary | null
    closest: string | null
    /** High flags of the accepted award; those of a recommended one are among its conditions. */
    flags: string[]
  }
  /** Whether an offer is accepted: `recommendation` is about the accepted award then. */
  isAccepted: boolean
  scenarios: ScenarioRow[]
  requirementCosts: { title: string; cost: number | null; words: string }[]
  savings: { title: string; pricePerTonne: number | null; saving: number | null; words: string }[]
  /** Ranked offers first, by rank. */
  offers: RfqPageOffer[]
  /** Tonnes by vintage year and by month of delivery, of the first offers. */
  vintages: TonnesByOffer[]
  deliveries: TonnesByOffer[]
  decisions: number
  problems: number
}

export interface AwardSummary {
  tonnes: number
  total: number
  pricePerTonne: number | null
  coverage: number | null
  score: number | null
}

export interface ScenarioRow {
  scenario: string
  title: string
  rule: string
  offers: string[]
  award: AwardSummary | null
  waived: string[]
  difference: number | null
  words: string
}

export interface RfqPageOffer {
  id: string
  /** The number of the offer in the report. */
  number: number
  rank: number | null
  label: string
  developer: string | null
  project: string | null
  status: string | null
  contractType: string | null
  submittedAt: string | null
  late: boolean | null
  missingSince: string | null
  /** A newer list no longer has it. */
  notListed: boolean
  /** The RFQ, read after the offer, shows another volume, total, currency, expiry date or contract type. */
  newerTerms: boolean
  /** In its own currency. */
  currency: string | null
  volume: number | null
  total: number | null
  ownPricePerTonne: number | null
  /** In the comparison currency. */
  pricePerTonne: number | null
  riskAdjustedPrice: number | null
  coverage: number | null
  score: number | null
  scores: Record<Criterion, number> | null
  oldestVintage: number | null
  newestVintage: number | null
  firstDelivery: string | null
  lastDelivery: string | null
  expiryDate: string | null
  daysToExpiry: number | null
  /** Tonnes in the accepted award, or else in the recommended one. */
  awardedTonnes: number
  /** Everything that it does not meet; empty if it meets all. */
  notMet: NotMet[]
  flags: Pick<Flag, 'severity' | 'words'>[]
}

/** A bar of a chart: tonnes by offer, in the order of `offers`. */
export interface TonnesByOffer {
  label: string
  tonnes: { label: string; tonnes: number }[]
}

/** Offers in a chart of tonnes; more could not be told apart. */
const MAX_CHARTED = 8

/** The part of a report that its page shows. */
export function toRfqPageModel(report: RfqReport): RfqPageModel {
  const { context, decision, rfq, offers, summary, settings, currency } = report
  const { recommendation, accepted } = decision
  const { status, headline, awards, reasons, conditions, changes, questions } = recommendation
  const charted = offers.filter(({ lines }) => lines.length > 0).slice(0, MAX_CHARTED)
  return {
    channel: context.channel,
    asOf: context.asOf,
    timeZone: context.timeZone,
    termsRead: context.termsRead,
    pricesRead: context.pricesRead,
    currency: currency.comparison,
    currencyReason: currency.reason,
    settings,
    rfq,
    summary,
    banners: decision.banners,
    requirements: decision.requirements,
    recommendation: {
      ...{ status, headline, awards, reasons, conditions, changes, questions },
      award: awardSummary(accepted === null ? recommendation.award : accepted.award),
      closest: accepted === null ? (recommendation.closest?.words ?? null) : null,
      flags: accepted?.flags ?? [],
    },
    isAccepted: accepted !== null,
    scenarios: decision.scenarios.map(({ scenario, title, rule, award, waived, difference, words }) => ({
      ...{ scenario, title, rule, waived, difference, words },
      offers: award?.offers.map(({ label }) => label) ?? [],
      award: awardSummary(award),
    })),
    requirementCosts: decision.requirementCosts.map(({ title, cost, words }) => ({ title, cost, words })),
    savings: (decision.savings?.baselines ?? []).map(({ title, pricePerTonne, saving, words }) => ({
      ...{ title, pricePerTonne, saving, words },
    })),
    offers: offers.map((offer, at) => pageOffer(offer, decision.offers[at], report)),
    vintages: tonnesBy(charted, ({ vintageYear }) => (vintageYear === null ? null : String(vintageYear))),
    deliveries: tonnesBy(charted, ({ dueDate }) => dueDate?.slice(0, 7) ?? null),
    decisions: report.decisions.length,
    problems: report.problems.length,
  }
}

function awardSummary(award: DecisionAward | null): AwardSummary | null {
  if (award === null) return null
  const { tonnes, total, pricePerTonne, coverage, score } = award
  return { tonnes, total, pricePerTonne, coverage, score }
}

function pageOffer(
  offer: OfferReport,
  decision: Decision['offers'][number] | undefined,
  report: RfqReport,
): RfqPageOffer {
  const { id, sequence, rank, label, developer, project, status, submittedAt, late, missingSince } = offer
  const { terms, metrics, compared, scores, flags, newerSummary } = offer
  return {
    ...{ id, number: sequence, rank, label, developer, project, status, submittedAt, late, missingSince },
    newerTerms: hasOtherTerms(newerSummary),
    notListed: flags.some(({ code }) => code === 'not-listed'),
    contractType: terms.contractType,
    currency: terms.currency,
    volume: metrics.volume,
    total: metrics.total,
    ownPricePerTonne: metrics.pricePerTonne,
    pricePerTonne: compared.pricePerTonne,
    riskAdjustedPrice: compared.price,
    coverage: metrics.coverage,
    score: scores?.total ?? null,
    scores: scores === null ? null : pickScores(scores),
    oldestVintage: metrics.oldestVintage,
    newestVintage: metrics.newestVintage,
    firstDelivery: metrics.firstDelivery,
    lastDelivery: metrics.lastDelivery,
    expiryDate: terms.expiryDate,
    daysToExpiry: terms.daysToExpiry,
    awardedTonnes: decision?.awardedTonnes ?? 0,
    notMet: notMetBy(offer, report),
    flags: flags.map(({ severity, words }) => ({ severity, words })),
  }
}

/** The points by criterion, without the total. */
function pickScores({ total: _, ...points }: NonNullable<OfferReport['scores']>): Record<Criterion, number> {
  return points
}

function tonnesBy(
  offers: readonly OfferReport[],
  keyOf: (line: OfferReport['lines'][number]) => string | null,
): TonnesByOffer[] {
  const keys = [...new Set(offers.flatMap(({ lines }) => lines.map((line) => keyOf(line) ?? 'undated')))].sort()
  return keys.map((key) => ({
    label: key,
    tonnes: offers.map(({ label, lines }) => ({
      label,
      tonnes: lines.reduce((sum, line) => ((keyOf(line) ?? 'undated') === key ? sum + (line.volume ?? 0) : sum), 0),
    })),
  }))
}

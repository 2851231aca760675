import { SCENARIOS } from '../../src/compare/decision/decision-model.js'
import { failureGroups } from '../../src/compare/decision/failure-groups.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { unreadText } from '../../src/compare/rfq/rfq-flags.js'
import { oneLine } from '../../src/core/clean-text.js'
import { CRITERIA, type Criterion } from '../../src/core/settings.js'
import { keys, makeGrid } from '../layout/grid.js'
import type { ReportIdentity } from '../layout/sheet-plan.js'
import { HEADER_ROW } from '../layout/table-sheet.js'
import { asOfLabel, withCurrency } from '../layout/wording.js'
import { numberStyles } from '../xlsx/cell-styles.js'
import { recommendationGrids } from './recommendation/recommendation-grids.js'

/** The scenarios on `Award`, each a column of tonnes: those of the decision, and the reader's own. */
export const SHEET_SCENARIOS = [...SCENARIOS, 'own'] as const
export type SheetScenario = (typeof SHEET_SCENARIOS)[number]
export const BASELINES = 3
/** Rows of the savings below the scenarios: title, headers, one for each baseline, and an empty row. */
export const SAVINGS_ROWS = BASELINES + 3

/** Columns of `Deliveries`; the first six are promised in this order. */
const DELIVERY_KEYS = keys(
  'offer due year volume price total',
  'currency label delivery vintage method periodStart periodEnd fromYear name mitigation',
  'days factor present tonneDays onTime tonneYears',
)
export type DeliveryKey = (typeof DELIVERY_KEYS)[number]

const PREPAYMENT_KEYS = keys('offer label number due amount currency share days factor present')
export type PrepaymentKey = (typeof PREPAYMENT_KEYS)[number]

/** Columns of `Offers`, one line per band. */
const OFFER_KEYS = keys(
  'offer label rank score comparedPricePerTonne comparedPrice volume coverage comparedTotal eligible why meets high',
  'status contract currency expiry daysToExpiry review submitted late view expiryState',
  'statedVolume statedTotal statedPrice lines usable sumVolume sumValue volumeDifference volumeVerdict totalDifference totalVerdict basis total vwap pricePerTonne',
  'firstDelivery lastDelivery oldestVintage newestVintage meanWait meanVintage onTimeShare',
  'prepaid prepaidShare prepaymentState presentValue presentValuePerTonne haircut riskPrice rate',
  'developer project country registry registryId methodologies activity ecosystems labels available facts storefront',
  'medium low flags notes id version observed',
)
export type OfferKey = (typeof OFFER_KEYS)[number]

/** `score-price`, `score-coverage`, … */
export type ScoreKey = `score-${Criterion}`
const SCORE_KEYS = CRITERIA.map((criterion): ScoreKey => `score-${criterion}`)
const SCORING_KEYS = [
  ...keys('offer label eligible price'),
  ...SCORE_KEYS,
  ...keys('total rank priceRank remaining remainingRank'),
]
/** Below the weights of the criteria. */
export const SCORING_HEADER_ROW = HEADER_ROW + 2
export type ScoringKey = (typeof SCORING_KEYS)[number]

/** The last ones are working columns. */
const AWARD_KEYS = [
  ...keys('offer label developer eligible volume total price'),
  ...SHEET_SCENARIOS,
  ...keys('orderPrice order developerNo unmet'),
]
export type AwardKey = (typeof AWARD_KEYS)[number]
const SCENARIO_KEYS = keys(
  'number scenario winners reached tonnes total price excessTonnes excessCost developers difference constraint solution',
  'waived waived2 waived3 waived4 lowerBound rule',
)
export type ScenarioKey = (typeof SCENARIO_KEYS)[number]
/** Below the scenarios on `Award`: savings, intermediate results, then the table of tonnes. */
const AWARD_HEAD_ROW = HEADER_ROW + SHEET_SCENARIOS.length + SAVINGS_ROWS + 5

/** The input of the sheets of an RFQ's workbook: the report, and the position of every table. */
export type RfqLayout = ReturnType<typeof rfqLayout>
export type OfferLine = RfqLayout['lines'][number]
export type OfferPrepayment = RfqLayout['payments'][number]

export function rfqLayout(report: RfqReport) {
  const lines = report.offers.flatMap((offer) => offer.lines.map((line) => ({ offer, line })))
  const payments = report.offers.flatMap((offer) => offer.prepayments.map((payment) => ({ offer, payment })))
  const count = report.offers.length
  const stated = report.offers.map(({ terms }) => terms.statedVolume)
  const { comparison: currency } = report.currency
  const numbers = numberStyles(
    [report.rfq.minVolume, report.rfq.maxVolume, ...stated, ...lines.map(({ line }) => line.volume)],
    lines.map(({ line }) => line.unitPrice),
  )
  const failures = failureGroups(report.offers, report.rfq, report.context.asOfDate)
  return {
    report,
    subject: subjectOf(report),
    numbers,
    /** Code of the comparison currency; null if there is none. */
    currency,
    /** The styles of totals and of prices per tonne in it, and headers that name it. */
    money: numbers.money(currency),
    price: numbers.price(currency),
    inCurrency: (header: string) => withCurrency(header, currency),
    perTonne: (header: string) => withCurrency(header, currency, '/t'),
    /** Replaces a table of offers that would be empty. */
    noOffers: report.rfq.unreadOffers === 0 ? 'No offers received.' : `${unreadText(report.rfq.unreadOffers)}.`,
    /** What differences of cost refer to. */
    chosen: report.decision.accepted === null ? 'recommended' : 'the award rule',
    lines,
    payments,
    deliveries: makeGrid('Deliveries', DELIVERY_KEYS, HEADER_ROW, lines.length),
    prepayments: makeGrid('Prepayments', PREPAYMENT_KEYS, HEADER_ROW, payments.length),
    offers: makeGrid('Offers', OFFER_KEYS, HEADER_ROW, count),
    scoring: makeGrid('Scoring', SCORING_KEYS, SCORING_HEADER_ROW, count),
    /** The scenarios on `Award`, and the table of tonnes below them. */
    scenarios: makeGrid('Award', SCENARIO_KEYS, HEADER_ROW, SHEET_SCENARIOS.length),
    award: makeGrid('Award', AWARD_KEYS, AWARD_HEAD_ROW, count),
    failures,
    /** Working columns of `Award`, right of these. */
    recommendation: recommendationGrids(report, failures, Math.max(SCENARIO_KEYS.length, AWARD_KEYS.length) + 2),
  }
}

/** `RFQ 42 · REF-7`; without a number, the identifier. */
export function rfqName({ rfq }: RfqReport): string {
  const name = `RFQ ${rfq.number ?? rfq.id}`
  return rfq.reference === null ? name : `${name} · ${oneLine(rfq.reference)}`
}

export const rfqIdentity = (report: RfqReport): ReportIdentity => ({
  title: `${rfqName(report)}: offer comparison`,
  subject: report.rfq.title ?? 'Offer comparison',
  footer: `${rfqName(report)} · ${report.context.channel} · ${asOfLabel(report.context.asOf)}`,
  asOf: new Date(report.context.asOf),
})

/** The same line on all sheets. */
function subjectOf(report: RfqReport): string {
  const parts = [rfqName(report), report.rfq.title ?? '', report.context.channel, asOfLabel(report.context.asOf)]
  return parts.map(oneLine).filter(Boolean).join(' · ')
}

import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { unreadText } from '../../src/compare/rfq/rfq-flags.js'
import { CRITERIA, type Criterion } from '../../src/core/decision/settings.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { type RfqView, rfqView } from '../../src/views/rfq/rfq-view.js'
import { attributeGrid, keys, makeGrid } from '../layout/grid.js'
import type { ReportIdentity } from '../layout/sheet-plan.js'
import { HEADER_ROW } from '../layout/table-sheet.js'
import { asOfLabel, withCurrency } from '../layout/wording.js'
import { numberStyles } from '../xlsx/cell-styles.js'

/** Columns of `Deliveries`; the first six keep this order, because formulas and scripts of users rely on it. */
const DELIVERY_KEYS = keys(
  'offer due year volume price total',
  'currency label delivery vintage method periodStart periodEnd fromYear name mitigation',
  'days factor present tonneDays onTime tonneYears',
)
export type DeliveryKey = (typeof DELIVERY_KEYS)[number]

const PREPAYMENT_KEYS = keys('offer label number due amount currency share days factor present')
export type PrepaymentKey = (typeof PREPAYMENT_KEYS)[number]

/** The attributes of an offer on `Offers`, in groups. */
export const OFFER_GROUPS = [
  {
    title: 'Outcome',
    keys: keys('offer developer project rank standing notMet score awarded'),
  },
  {
    title: 'Price',
    keys: keys(
      'comparedPricePerTonne comparedTotal costPerTonne comparedPrice currency pricePerTonne total rate prepaidShare prepaymentState',
      'cost prepaid presentValue presentValuePerTonne haircut riskPrice',
    ),
  },
  {
    title: 'Volume and delivery',
    keys: keys(
      'volume coverage firstDelivery lastDelivery meanWait onTimeShare oldestVintage newestVintage meanVintage',
    ),
  },
  {
    title: 'Terms as received',
    keys: keys('status submitted late view contract expiry daysToExpiry expiryState review'),
  },
  {
    title: 'Stated figures against the delivery lines',
    keys: keys(
      'statedVolume sumVolume volumeDifference volumeVerdict statedTotal sumValue totalDifference totalVerdict',
      'statedPrice basis lines usable',
    ),
  },
  {
    title: 'Project, as described by its developer',
    keys: keys('country registry registryId methodologies activity ecosystems labels available facts storefront'),
  },
  { title: 'Flags, notes and source', keys: keys('high medium low flags notes id version observed') },
] as const
export type OfferKey = (typeof OFFER_GROUPS)[number]['keys'][number]
/** With more offers than this, `Offers` has one row per offer instead of one column. */
const MAX_OFFER_COLUMNS = 16

/** `score-price`, `score-coverage`, … */
export type ScoreKey = `score-${Criterion}`
const SCORE_KEYS = CRITERIA.map((criterion): ScoreKey => `score-${criterion}`)
const SCORING_KEYS = [...keys('offer label price'), ...SCORE_KEYS, ...keys('total measure rank')]
/** The header of the scores, below the table of weights. */
export const SCORING_HEADER_ROW = HEADER_ROW
export type ScoringKey = (typeof SCORING_KEYS)[number]

/** The input of the sheets of an RFQ's workbook: the report, and the position of every table. */
export type RfqLayout = ReturnType<typeof rfqLayout>
export type OfferLine = RfqLayout['lines'][number]
export type OfferPrepayment = RfqLayout['payments'][number]

export function rfqLayout(report: RfqReport) {
  const lines = report.offers.flatMap((offer) => offer.lines.map((line) => ({ offer, line })))
  const payments = report.offers.flatMap((offer) => offer.prepayments.map((payment) => ({ offer, payment })))
  const count = report.offers.length
  const statedVolumes = report.offers.map(({ terms }) => terms.statedVolume)
  const { comparison: currency } = report.currency
  const numbers = numberStyles(
    [report.rfq.minVolume, report.rfq.maxVolume, ...statedVolumes, ...lines.map(({ line }) => line.volume)],
    lines.map(({ line }) => line.unitPrice),
  )
  const view: RfqView = rfqView(report)
  const offersAreColumns = count > 0 && count <= MAX_OFFER_COLUMNS
  return {
    report,
    view,
    subject: subjectOf(report),
    numbers,
    /** Code of the comparison currency; null if there is none. */
    currency,
    /** Cell styles of totals and of prices per tonne in the comparison currency. */
    money: numbers.money(currency),
    price: numbers.price(currency),
    /** Headers with the comparison currency: `Total, EUR`, `Price, EUR/t`. */
    inCurrency: (header: string) => withCurrency(header, currency),
    perTonne: (header: string) => withCurrency(header, currency, '/t'),
    /** `3 · Developer · Project`, as far as they are known. */
    nameOf: offerNames(view),
    /** Shown in place of an empty table of offers. */
    noOffers: report.rfq.unreadOffers === 0 ? 'No offers received.' : `${unreadText(report.rfq.unreadOffers)}.`,
    lines,
    payments,
    deliveries: makeGrid('Deliveries', DELIVERY_KEYS, HEADER_ROW, lines.length),
    prepayments: makeGrid('Prepayments', PREPAYMENT_KEYS, HEADER_ROW, payments.length),
    /** Whether `Offers` has one column per offer; otherwise one row. */
    offersAreColumns,
    offers: offersAreColumns
      ? attributeGrid('Offers', OFFER_GROUPS, HEADER_ROW, count)
      : makeGrid<OfferKey>(
          'Offers',
          OFFER_GROUPS.flatMap((group): readonly OfferKey[] => group.keys),
          HEADER_ROW,
          count,
        ),
    scoring: makeGrid('Scoring', SCORING_KEYS, SCORING_HEADER_ROW, count),
  }
}

function offerNames({ offers }: RfqView) {
  const names = new Map(
    offers.map(({ id, number, label, developer, project }) => {
      const name = developer !== null && project !== null ? `${developer} · ${project}` : label
      return [id, `${number} · ${oneLine(name)}`]
    }),
  )
  return ({ id }: { id: string }): string => names.get(id) ?? id
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

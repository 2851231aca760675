import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
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
)
export type DeliveryKey = (typeof DELIVERY_KEYS)[number]

/** The attributes of an offer on `Offers`, in groups. */
const OFFER_GROUPS = [
  {
    title: 'Outcome',
    keys: keys('offer developer project rank standing notMet awarded'),
  },
  {
    title: 'Price',
    keys: keys('comparedPricePerTonne comparedTotal costPerTonne currency pricePerTonne total rate prepaidShare'),
  },
  {
    title: 'Volume and delivery',
    keys: keys('volume coverage firstDelivery lastDelivery meanWait onTimeShare oldestVintage newestVintage'),
  },
  {
    title: 'Terms as received',
    keys: keys('status submitted late view contract expiry daysToExpiry review'),
  },
  {
    title: 'Stated figures against the delivery lines',
    keys: keys('volumeVerdict totalVerdict'),
  },
  {
    title: 'Project, as described by its developer',
    keys: keys('country registry registryId methodologies activity ecosystems labels available facts storefront'),
  },
  { title: 'Flags, notes and source', keys: keys('loud flags notes id observed') },
] as const
export type OfferKey = (typeof OFFER_GROUPS)[number]['keys'][number]
/** With more offers than this, `Offers` has one row per offer instead of one column. */
const MAX_OFFER_COLUMNS = 16

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
  /** Whether an offer has another currency than that of the comparison, and so a total and a rate of its own. */
  const hasOwnCurrencies = report.offers.some(({ terms }) => terms.currencyCode !== currency)
  const left = new Set<OfferKey>([
    // The headers of columns name them.
    ...(offersAreColumns ? keys('offer developer project') : []),
    ...(hasOwnCurrencies ? [] : keys('pricePerTonne total rate')),
    ...(report.settings.priceBasis === 'quoted' ? keys('costPerTonne') : []),
  ])
  const offerGroups = OFFER_GROUPS.map(({ title, keys }) => ({
    title,
    keys: keys.filter((key: OfferKey): key is OfferKey => !left.has(key)),
  }))
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
    lines,
    payments,
    deliveries: makeGrid('Deliveries', DELIVERY_KEYS, HEADER_ROW, lines.length),
    /** Whether `Offers` has one column per offer; otherwise one row. */
    offersAreColumns,
    hasOwnCurrencies,
    offerGroups,
    offers: offersAreColumns
      ? attributeGrid('Offers', offerGroups, HEADER_ROW, count)
      : makeGrid(
          'Offers',
          offerGroups.flatMap(({ keys }) => keys),
          HEADER_ROW,
          count,
        ),
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

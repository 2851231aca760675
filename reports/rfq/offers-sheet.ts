import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { NOT_MET_TITLE, notMetText } from '../../src/tables/offer/offer-view.js'
import { awardedTonnesOf } from '../../src/tables/rfq/rfq-view.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { HEADER_ROW, tableSheet } from '../layout/table-sheet.js'
import { flagLines, joinList } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { NO_FIGURE, webLink } from '../xlsx/cells.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { RfqLayout } from './layout.js'

const NOTE = `Accepted offers first, then those that compete by rank, then the others. ${NO_FIGURE}: not known. What describes a project is its developer’s claim.`

/** `Offers`: outcome, figures and terms of each offer, one per row. */
export const offersSheet = (layout: RfqLayout): WriteSheet =>
  tableSheet(layout, {
    name: 'Offers',
    title: 'Offers',
    note: NOTE,
    rows: layout.report.offers,
    frozenColumns: 3,
    columns: { ...outcome(layout), ...figures(layout), ...terms(), ...project(layout) },
  })

function outcome({ report, tonnes }: RfqLayout): Columns<OfferReport> {
  const { text, number } = columnsOf<OfferReport>()
  const { award, decision } = report
  const awarded = awardedTonnesOf(report)
  const proposed = decision.recommendation.accepted === null ? 'Recommended (t)' : 'Accepted or recommended (t)'
  const isAwarded = ({ id }: OfferReport) => (awarded[id] ?? 0) > 0
  return {
    number: number('No.', ({ sequence }) => sequence),
    developer: text('Developer', ({ developer }) => developer, {
      style: (offer) => (isAwarded(offer) ? style.asGood(style.wrapped) : style.wrapped),
    }),
    project: text('Project', (offer) => offer.project, { maxWidth: 28 }),
    standing: text('Standing', ({ standing }) => standing.replace('-', ' '), {
      style: ({ standing }) =>
        standing === 'excluded' || standing === 'not-compliant' ? style.asBad(style.wrapped) : style.wrapped,
    }),
    ...(award !== null && { awarded: number('Awarded (t)', ({ id }) => awarded[id], tonnes) }),
    recommended: number(proposed, ({ id }) => decision.awardedTonnes[id], tonnes),
  }
}

/** The sum of a column of `Deliveries` over the lines of an offer; null if its figures are those it states. */
function sumOfLines({ lines }: RfqLayout, column: 'D' | 'F', { metrics, sequence }: OfferReport): string | null {
  const range = (letter: string) => `Deliveries!$${letter}$${HEADER_ROW + 1}:$${letter}$${HEADER_ROW + lines.length}`
  return metrics.basis === 'lines' ? `SUMIFS(${range(column)},${range('A')},${sequence})` : null
}

/** Figures and what to check, which are printed; then what figures in another currency are converted from. */
function figures(layout: RfqLayout): Columns<OfferReport> {
  const { tonnes, inCurrency, perTonne, report, views } = layout
  const { figure, formula, text, date } = columnsOf<OfferReport>()
  const isConverted = report.offers.some(({ terms }) => terms.currencyCode !== report.currency.comparison)
  const ownTotal = (offer: OfferReport) => [sumOfLines(layout, 'F', offer), offer.metrics.total] as const
  return {
    volume: formula('Volume (t)', tonnes, (offer) => [sumOfLines(layout, 'D', offer), offer.metrics.volume]),
    price: formula(perTonne('Price'), style.asBold(style.price), ({ compared }, at) => [
      `${at('total')}/${at('volume')}`,
      compared.pricePerTonne,
    ]),
    total: formula(inCurrency('Total'), style.total, (offer, at) =>
      isConverted ? [`${at('ownTotal')}*${at('rate')}`, offer.compared.total] : ownTotal(offer),
    ),
    ...(report.settings.priceBasis !== 'quoted' && {
      cost: figure(perTonne('Present value'), ({ compared }) => compared.costPerTonne, style.price),
    }),
    expiry: date('Expires', (offer) => offer.terms.expiryDate),
    last: date('Last delivery', ({ metrics }) => metrics.lastDelivery ?? NO_FIGURE),
    notMet: text(NOT_MET_TITLE, ({ id }) => notMetText(views.get(id)?.notMet ?? []), { maxWidth: 28 }),
    flags: text('Doubts', flagLines, {
      maxWidth: 28,
      style: ({ flags }) => style.badIf(flags[0]?.loud === true, style.wrapped),
    }),
    ...(isConverted && {
      ownTotal: formula('Own total', style.total, ownTotal),
      currency: text('Own currency', ({ terms }) => terms.currency),
      rate: figure('Exchange rate', ({ compared }) => compared.rate, style.exchangeRate),
    }),
  }
}

function terms(): Columns<OfferReport> {
  const { text, codes, date, moment, figure, number } = columnsOf<OfferReport>()
  return {
    rank: figure('Rank', ({ rank }) => rank, style.plainNumber),
    oldest: figure('Oldest vintage', ({ metrics }) => metrics.oldestVintage, style.plainNumber),
    newest: figure('Newest vintage', ({ metrics }) => metrics.newestVintage, style.plainNumber),
    review: codes('Review', (offer) => offer.terms.review?.status),
    contract: codes('Contract type', (offer) => offer.terms.contractType),
    prepaid: figure('Pre-paid share', ({ metrics }) => metrics.prepaidShare, style.percent),
    coverage: figure('Coverage', ({ metrics }) => metrics.coverage, style.percent),
    status: codes('Status', (offer) => offer.status ?? 'unknown'),
    submitted: moment('Submitted', (offer) => offer.submittedAt),
    first: date('First delivery', ({ metrics }) => metrics.firstDelivery ?? NO_FIGURE),
    statedTotal: number('Stated total', ({ terms }) => terms.statedTotal, style.total),
    totalCheck: text('Total check', ({ metrics }) => metrics.totalVerdict),
    statedVolume: number('Stated volume (t)', ({ terms }) => terms.statedVolume),
    volumeCheck: text('Volume check', ({ metrics }) => metrics.volumeVerdict),
  }
}

function project({ tonnes }: RfqLayout): Columns<OfferReport> {
  const { text, codes, country, number, cells, moment } = columnsOf<OfferReport>()
  return {
    country: country('Country', ({ listing }) => listing.country),
    registry: codes('Registry', ({ listing }) => listing.registry),
    registryId: text('Registry id', ({ listing }) => listing.registryId),
    methodologies: text('Methodologies', ({ listing }) => joinList(listing.methodologies)),
    activity: codes('Mitigation activity', ({ listing }) => listing.mitigationActivity),
    ecosystems: codes('Ecosystems', ({ listing }) => [...listing.ecosystemTypes, ...listing.ecosystemSubtypes]),
    labels: codes('Labels', ({ listing }) => listing.labels),
    available: number('Listing’s available volume (t)', ({ listing }) => listing.availableVolume, tonnes),
    listing: cells('Listing', ({ listing }) =>
      webLink(listing.storefrontUrl === null ? null : 'open', listing.storefrontUrl, style.link, style.body),
    ),
    notes: text('Notes to the buyer', ({ terms }) => terms.notes, { maxWidth: 60, style: style.body }),
    id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    observed: moment('Observed', (offer) => offer.source.observedAt),
  }
}

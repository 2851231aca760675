import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { countFlags } from '../../src/compare/report/rfq-statistics.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../src/views/offer/offer-view.js'
import { attributeSheet, type BestDirection } from '../layout/attribute-sheet.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { type Grid, keys } from '../layout/grid.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { flagLines, joinList, yesNo as yesNoText } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { webLink } from '../xlsx/cells.js'
import type { DeliveryKey, OfferKey, RfqLayout } from './layout.js'

const NOTE = `Accepted offers first, then those that compete by rank, then the others. ${NO_FIGURE}: not known.`
const PROJECT_NOTE = 'Project details are the developers’ own claims.'

/** `Offers`: outcome, figures and terms of each offer: side by side, or in rows if there are many. */
export function offersSheet(layout: RfqLayout): SheetPlan {
  const { offers, offersAreColumns, offerGroups, report, nameOf } = layout
  const columns = offerColumns(layout)
  const marks = [
    mark(offers.area('rank'), is(here, '=', 1), 'good'),
    mark(offers.area('loud'), is(here, '>', 0), 'bad'),
    mark(offers.area('standing'), is(here, '=', STANDINGS.excluded), 'bad'),
    mark(offers.area('standing'), is(here, '=', STANDINGS['not-compliant']), 'bad'),
  ]
  if (offersAreColumns)
    return attributeSheet<OfferReport, OfferKey>(layout, {
      grid: offers,
      title: 'Offers',
      note: `${NOTE} The best value among ranked offers is in column B, and green. ${PROJECT_NOTE}`,
      groups: offerGroups,
      columns,
      rows: report.offers,
      nameOf,
      best: Object.fromEntries([
        ...LOWEST.map((key) => [key, 'min'] as const),
        ...HIGHEST.map((key) => [key, 'max'] as const),
      ]) as Partial<Record<OfferKey, BestDirection>>,
      eligible: { key: 'standing', text: STANDINGS.ranked, includes: ({ standing }) => standing === 'ranked' },
      marks,
    })
  return tableSheet<OfferReport, OfferKey>(layout, {
    grid: offers as Grid<OfferKey>,
    title: 'Offers',
    note: `One row per offer. ${NOTE} ${PROJECT_NOTE}`,
    columns,
    rows: report.offers,
    frozenColumns: 3,
    lastPrinted: 'review',
    marks: () => [
      ...marks,
      bar(offers.area('coverage'), 1),
      mark(offers.area('offer', 'observed'), is(here, '=', NO_FIGURE), 'muted'),
    ],
  })
}

const STANDINGS: Record<OfferReport['standing'], string> = {
  accepted: 'accepted',
  ranked: 'ranked',
  'not-compliant': 'not compliant',
  excluded: 'excluded',
}

const LOWEST = keys('comparedPricePerTonne costPerTonne prepaidShare firstDelivery lastDelivery meanWait')
const HIGHEST = keys('volume coverage onTimeShare oldestVintage newestVintage facts')

/** The attributes of an offer. */
const offerColumns = (layout: RfqLayout): Columns<OfferReport, OfferKey> => ({
  ...outcome(layout),
  ...terms(),
  ...price(layout),
  ...volumeAndDelivery(layout),
  ...project(layout),
  ...noteColumns(),
})

function outcome({ numbers, view }: RfqLayout) {
  const { text, number, figure } = columnsOf<OfferReport>()
  const views = new Map(view.offers.map((offer) => [offer.id, offer]))
  const viewOf = ({ id }: OfferReport) => views.get(id) as OfferView
  const isAccepted = view.decision.recommendation.accepted !== null
  return {
    offer: number('Offer no.', (offer) => offer.sequence, style.plainNumber),
    developer: text('Developer', ({ developer }) => developer),
    project: text('Project', (offer) => offer.project, { maxWidth: 40 }),
    rank: figure('Rank', ({ rank }) => rank, style.plainNumber),
    standing: text('Standing', ({ standing }) => STANDINGS[standing]),
    notMet: text(NOT_MET_TITLE, (offer) => notMetText(viewOf(offer).notMet) ?? 'none', { maxWidth: 40 }),
    awarded: number(
      isAccepted ? 'Accepted or recommended (t)' : 'In the recommended award (t)',
      (offer) => viewOf(offer).awardedTonnes || null,
      numbers.volume,
    ),
  }
}

/** The sum of a column of the delivery lines of an offer. */
const sumOfLines = ({ deliveries }: RfqLayout, key: DeliveryKey, { sequence }: OfferReport) =>
  `SUMIFS(${deliveries.range(key)},${deliveries.range('offer')},${sequence})`

function price(layout: RfqLayout) {
  const { offers, numbers, currency, hasOwnCurrencies, inCurrency, perTonne } = layout
  const { figure, formula, text } = columnsOf<OfferReport, OfferKey>(offers)
  const ownMoney = ({ terms }: OfferReport) => numbers.money(terms.currencyCode)
  const ownPrice = ({ terms }: OfferReport) => numbers.price(terms.currencyCode)
  const total = (offer: OfferReport) => (isOfLines(offer) ? sumOfLines(layout, 'total', offer) : null)
  return {
    comparedPricePerTonne: formula(perTonne('Price per tonne'), style.asBold(layout.price), ({ compared }, at) => [
      `${at('comparedTotal')}/${at('volume')}`,
      compared.pricePerTonne,
    ]),
    comparedTotal: formula(inCurrency('Total'), layout.money, (offer, at) => [
      hasOwnCurrencies ? `${at('total')}*${at('rate')}` : total(offer),
      offer.compared.total,
    ]),
    costPerTonne: figure(
      perTonne('Cost per tonne, by the price basis'),
      ({ compared }) => compared.costPerTonne,
      layout.price,
    ),
    currency: text('Own currency', ({ terms }) => terms.currency),
    pricePerTonne: formula('Own price per tonne', ownPrice, ({ metrics }, at) => [
      `${at('total')}/${at('volume')}`,
      metrics.pricePerTonne,
    ]),
    total: formula('Own total', ownMoney, (offer) => [total(offer), offer.metrics.total]),
    rate: figure(
      currency === null ? 'Exchange rate' : `Exchange rate (${currency} per unit)`,
      ({ compared }) => compared.rate,
      style.exchangeRate,
    ),
    prepaidShare: figure('Pre-paid share', ({ metrics }) => metrics.prepaidShare, style.percent),
  }
}
const isOfLines = ({ metrics }: OfferReport) => metrics.basis === 'lines'

function volumeAndDelivery(layout: RfqLayout) {
  const { figure, formula, date } = columnsOf<OfferReport, OfferKey>(layout.offers)
  const { plainNumber, oneDecimal, percent } = style
  return {
    volume: formula('Volume (t)', layout.numbers.volume, (offer) => [
      isOfLines(offer) ? sumOfLines(layout, 'volume', offer) : null,
      offer.metrics.volume,
    ]),
    coverage: figure('Coverage', ({ metrics }) => metrics.coverage, percent),
    firstDelivery: date('First delivery', ({ metrics }) => metrics.firstDelivery ?? NO_FIGURE),
    lastDelivery: date('Last delivery', ({ metrics }) => metrics.lastDelivery ?? NO_FIGURE),
    meanWait: figure('Mean wait (days)', ({ metrics }) => metrics.meanWaitDays, oneDecimal),
    onTimeShare: figure('Share due on time', ({ metrics }) => metrics.onTimeShare, percent),
    oldestVintage: figure('Oldest vintage', ({ metrics }) => metrics.oldestVintage, plainNumber),
    newestVintage: figure('Newest vintage', ({ metrics }) => metrics.newestVintage, plainNumber),
  }
}

function terms() {
  const { text, codes, date, moment, figure } = columnsOf<OfferReport>()
  return {
    status: codes('Status', (offer) => offer.status ?? 'unknown'),
    submitted: moment('Submitted', (offer) => offer.submittedAt),
    late: text('Submitted late', (offer) => yesNoText(offer.late)),
    view: text('Visible on marketplace', visibilityText),
    contract: codes('Contract type', (offer) => offer.terms.contractType),
    expiry: date('Expires', (offer) => offer.terms.expiryDate),
    daysToExpiry: figure('Days to expiry', (offer) => offer.terms.daysToExpiry, style.plainNumber),
    review: codes('Review', (offer) => offer.terms.review?.status),
    volumeVerdict: text('Volume check', ({ metrics }) => metrics.volumeVerdict),
    totalVerdict: text('Total check', ({ metrics }) => metrics.totalVerdict),
  }
}

const visibilityText = (offer: OfferReport) =>
  offer.inView ? 'yes' : `no, missing since ${offer.missingSince?.slice(0, 10) ?? 'unknown'}`

function project({ numbers }: RfqLayout) {
  const { text, codes, country, number, cells } = columnsOf<OfferReport>()
  return {
    country: country('Country', ({ listing }) => listing.country),
    registry: codes('Registry', ({ listing }) => listing.registry),
    registryId: text('Registry id', ({ listing }) => listing.registryId),
    methodologies: text('Methodologies', ({ listing }) => joinList(listing.methodologies), { maxWidth: 40 }),
    activity: codes('Mitigation activity', ({ listing }) => listing.mitigationActivity),
    ecosystems: codes('Ecosystems', ({ listing }) => [...listing.ecosystemTypes, ...listing.ecosystemSubtypes]),
    labels: codes('Labels, as claimed', ({ listing }) => listing.labels),
    available: number('Listing’s available volume (t)', ({ listing }) => listing.availableVolume, numbers.volume),
    facts: number('Facts stated (of 6)', ({ listing }) => listing.factsStated),
    storefront: cells('Listing', ({ listing }) =>
      webLink(listing.known ? 'open' : null, listing.storefrontUrl, style.link, style.body),
    ),
  }
}

function noteColumns() {
  const { text, number, moment } = columnsOf<OfferReport>()
  return {
    loud: number('Loud flags', ({ flags }) => countFlags(flags).loud, style.integer),
    flags: text('Flags', flagLines, { maxWidth: 60, style: style.body }),
    notes: text('Notes to the buyer', ({ terms }) => terms.notes, { maxWidth: 60, style: style.body }),
    id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    observed: moment('Observed', (offer) => offer.source.observedAt),
  }
}

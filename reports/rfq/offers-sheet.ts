import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { type At, type Columns, columnsOf } from '../layout/columns.js'
import { keys } from '../layout/grid.js'
import { bar, here, is, mark } from '../layout/marks.js'
import { constant, either, isNumber, type Test } from '../layout/phrase.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { countFlags, flagLines, yesNo as inWords, joinList } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { webLink } from '../xlsx/cells.js'
import type { OfferKey, RfqLayout } from './layout.js'
import { byBasis, metricColumns, WORKING_METRICS } from './offer-metric-columns.js'

/** `Offers`: terms, outcome, metrics and the project behind each offer. */
export function offersSheet(layout: RfqLayout): SheetPlan {
  const { offers } = layout
  return tableSheet<OfferReport, OfferKey>(layout, {
    grid: offers,
    title: 'Offers',
    note: 'One row per offer, ranked offers first. –: not determinable from the documents received; Comparison and Checks give the reason. Project details are the developers’ own claims.',
    columns: offerColumns(layout),
    rows: layout.report.offers,
    emptyText: layout.noOffers,
    frozenColumns: 2,
    working: WORKING_METRICS,
    independent: INDEPENDENT,
    // Comparison, Checks and About print the figures and texts of the others.
    lastPrinted: 'review',
    marks: () => [
      mark(offers.area('rank'), is(here, '=', 1), 'good'),
      mark(offers.area('rank'), is(here, '<=', 3), 'warn'),
      mark(offers.area('high'), is(here, '>', 0), 'bad'),
      bar(offers.area('coverage'), 1),
      mark(offers.area('offer', 'observed'), is(here, '=', NO_FIGURE), 'muted'),
    ],
  })
}

const INDEPENDENT = keys(
  'statedPrice daysToExpiry lines usable sumVolume sumValue volumeDifference totalDifference basis volume total vwap',
  'pricePerTonne firstDelivery lastDelivery oldestVintage newestVintage meanWait meanVintage onTimeShare prepaid prepaidShare',
)

/** The columns of `Offers`; `Comparison` shows some of them as rows. */
export const offerColumns = (layout: RfqLayout): Columns<OfferReport, OfferKey> => ({
  ...outcome(layout),
  ...terms(layout),
  ...metricColumns(layout),
  ...project(layout),
  ...noteColumns(),
})

function outcome({ offers, scoring, numbers, money, price, inCurrency, perTonne }: RfqLayout) {
  const { text, number, yesNo, formula } = columnsOf<OfferReport, OfferKey>(offers)
  return {
    offer: number('Offer no.', (offer) => offer.sequence, style.plainNumber, { band: 'Outcome' }),
    label: text('Offer', (offer) => offer.label, { maxWidth: 34 }),
    rank: formula('Rank', style.plainNumber, (offer, _at, index) => [scoring.cell('rank', index), offer.rank ?? '']),
    score: formula('Score (0–100)', style.oneDecimal, (offer, _at, index) => [
      scoring.cell('total', index),
      offer.scores?.total ?? '',
    ]),
    comparedPricePerTonne: formula(perTonne('Price per tonne'), price, (offer, at) => [
      `IFERROR(${at('pricePerTonne')}*${at('rate')},NA())`,
      offer.compared.pricePerTonne,
    ]),
    comparedPrice: formula(perTonne('Risk-adjusted price per tonne'), price, (offer, at) => [
      `IFERROR(ROUND(${at('riskPrice')}*${at('rate')},6),NA())`,
      offer.compared.price,
    ]),
    volume: formula('Volume (t)', numbers.volume, (offer, at) => [
      byBasis(at, 'sumVolume', 'statedVolume'),
      offer.metrics.volume,
    ]),
    coverage: formula('Coverage of the wanted volume', style.percent, (offer, at) => [
      `IFERROR(MIN(1,${at('volume')}/WantedVolume),NA())`,
      offer.metrics.coverage,
    ]),
    comparedTotal: formula(inCurrency('Total'), money, (offer, at) => [
      `IFERROR(${at('total')}*${at('rate')},NA())`,
      offer.compared.total,
    ]),
    eligible: formula('Ranked', style.centred, (offer, at) => [
      eligibleExpression(at, offer),
      inWords(offer.eligibility.eligible),
    ]),
    why: text('Reason not ranked', (offer) => offer.eligibility.exclusions.map(({ words }) => words).join('\n'), {
      maxWidth: 24,
    }),
    meets: yesNo('Meets all requirements', (offer) => offer.meetsRequirements),
    high: number('High flags', (offer) => countFlags(offer, 'high'), style.integer),
  }
}

/** Reasons for exclusion that no input can change. */
const PERMANENT_EXCLUSIONS = new Set(['no-offer', 'rejected', 'withdrawn', 'no-currency'])

function eligibleExpression(at: At<OfferKey>, offer: OfferReport): string {
  if (offer.eligibility.exclusions.some(({ code }) => PERMANENT_EXCLUSIONS.has(code))) return 'IF(FALSE,"yes","no")'
  const days = at('daysToExpiry')
  const unexpired = offer.status === 'accepted' ? 'TRUE' : `OR(RankExpired="yes",NOT(ISNUMBER(${days})),N(${days})>=0)`
  const priced = `N(${at('comparedPrice')})>0`
  return `IF(AND(${unexpired},${priced},ISNUMBER(${at('comparedTotal')})),"yes","no")`
}

function terms({ offers, numbers, report }: RfqLayout) {
  const { text, codes, number, date, moment, days, formula } = columnsOf<OfferReport, OfferKey>(offers)
  const money = ({ terms }: OfferReport) => numbers.money(terms.currencyCode)
  const price = ({ terms }: OfferReport) => numbers.price(terms.currencyCode)
  return {
    status: codes('Status', (offer) => offer.status ?? 'unknown', { band: 'Terms as received' }),
    submitted: moment('Submitted', (offer) => offer.submittedAt),
    late: text('Submitted late', (offer) => inWords(offer.late)),
    view: text('Visible on marketplace', visibilityText),
    contract: codes('Contract type', (offer) => offer.terms.contractType),
    currency: text('Currency', (offer) => offer.terms.currency),
    statedVolume: number('Stated volume (t)', (offer) => offer.terms.statedVolume, numbers.volume, {
      band: 'Metrics in the offer’s currency',
    }),
    statedTotal: number('Stated total', (offer) => offer.terms.statedTotal, money),
    statedPrice: formula('Stated price per tonne', price, (offer, at) => {
      const [total, volume] = [at('statedTotal'), at('statedVolume')]
      return [`IF(AND(N(${total})>0,N(${volume})>0),${total}/${volume},NA())`, offer.metrics.statedPrice]
    }),
    expiry: date('Expires', (offer) => offer.terms.expiryDate),
    daysToExpiry: days('Days to expiry', 'expiry', (offer) => [offer.terms.expiryDate, offer.terms.daysToExpiry]),
    expiryState: formula('Expiry check', style.body, ({ terms: { daysToExpiry } }, at) => {
      const [cell, days] = [at('daysToExpiry'), daysToExpiry ?? 0]
      const isSoon: Test = [`${cell}<=ExpiryWindowDays`, days <= report.settings.expiryWindowDays]
      const valid = either(isSoon, constant('expiring'), constant('valid'))
      const known = either([`${cell}<0`, days < 0], constant('expired'), valid)
      return either(isNumber({ cell, cached: daysToExpiry }), known, constant('no expiry'))
    }),
    review: codes('Review', (offer) => offer.terms.review?.status),
  }
}

const visibilityText = (offer: OfferReport) =>
  offer.inView ? 'yes' : `no, missing since ${offer.missingSince?.slice(0, 10) ?? 'unknown'}`

function project({ numbers }: RfqLayout) {
  const { text, codes, country, number, cells } = columnsOf<OfferReport>()
  return {
    developer: text('Developer', ({ developer }) => developer, { band: 'Project, as described by its developer' }),
    project: text('Project', (offer) => offer.project, { maxWidth: 40 }),
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
    medium: number('Medium flags', (offer) => countFlags(offer, 'medium'), style.integer, {
      band: 'Flags, notes and sources',
    }),
    low: number('Low flags', (offer) => countFlags(offer, 'low'), style.integer),
    flags: text('Flags', flagLines, { maxWidth: 60, style: style.body }),
    notes: text('Notes to the buyer', ({ terms }) => terms.notes, { maxWidth: 60, style: style.body }),
    id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    version: number('Version', (offer) => offer.source.version),
    observed: moment('Observed', (offer) => offer.source.observedAt),
  }
}

import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { daysFromAsOf } from '../layout/as-of.js'
import { bar, here, is, isUnavailable, type Mark, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { countFlags, flagLines, joinList, withCurrency, yesNo } from '../layout/wording.js'
import {
  body,
  calendarDate,
  centred,
  integer,
  link,
  oneDecimal,
  percent,
  plainNumber,
  type Style,
  timestamp,
  wrapped,
} from '../xlsx/cell-styles.js'
import { type Cell, date, formula, moment, number, text, webLink } from '../xlsx/cells.js'
import { NO_OFFERS } from './label-tables.js'
import { type OfferKey, type RfqLayout, rfqHeading } from './layout.js'
import { metricColumns } from './offer-metric-columns.js'

const NOTE =
  'One row per offer, ranked offers first. #N/A: not determinable from the documents received; Comparison and Checks give the reason. Project details are the developers’ own claims.'

type Columns<Key extends OfferKey> = Record<Key, ColumnPlan<OfferReport>>

/** `Offers`: terms, outcome, metrics and the project behind each offer. */
export function offersSheet(layout: RfqLayout): SheetPlan {
  const { offers } = layout
  return tableSheet<OfferReport, OfferKey>({
    grid: offers,
    heading: rfqHeading(layout, 'Offers', NOTE),
    columns: { ...outcome(layout), ...terms(layout), ...metricColumns(layout), ...project(layout), ...noteColumns() },
    rows: layout.report.offers,
    emptyText: NO_OFFERS,
    frozenColumns: 2,
    pagesWide: 6,
    marks: offerMarks(layout),
  })
}

const textColumn = (
  header: string,
  value: (offer: OfferReport) => unknown,
  more: Partial<ColumnPlan<OfferReport>> = {},
) => ({
  header,
  cell: (offer: OfferReport) => text(value(offer), wrapped),
  ...more,
})
const numberColumn = (header: string, value: (offer: OfferReport) => number | null, style: Style = plainNumber) => ({
  header,
  alignRight: true,
  cell: (offer: OfferReport) => number(value(offer), style),
})
/** A figure computed from other cells. */
const formulaColumn = (header: string, make: (offer: OfferReport, index: number) => Cell) => ({
  header,
  alignRight: true,
  cell: make,
})

function outcome(
  layout: RfqLayout,
): Columns<
  | 'offer'
  | 'label'
  | 'rank'
  | 'score'
  | 'comparedPricePerTonne'
  | 'comparedPrice'
  | 'volume'
  | 'coverage'
  | 'comparedTotal'
  | 'eligible'
  | 'why'
  | 'meets'
  | 'high'
  | 'medium'
  | 'low'
> {
  const { offers, scoring, numbers, currency } = layout
  const at = (key: OfferKey, index: number) => offers.at(key, index)
  const money = numbers.money(currency)
  const price = numbers.price(currency)
  return {
    offer: { ...numberColumn('Offer no.', (offer) => offer.sequence), band: 'Outcome' },
    label: textColumn('Offer', (offer) => offer.label, { maxWidth: 34 }),
    rank: formulaColumn('Rank', (offer, index) => formula(scoring.cell('rank', index), offer.rank ?? '', plainNumber)),
    score: formulaColumn('Score (0–100)', (offer, index) =>
      formula(scoring.cell('total', index), offer.scores?.total ?? '', oneDecimal),
    ),
    comparedPricePerTonne: formulaColumn(withCurrency('Price per tonne', currency, '/t'), (offer, index) =>
      formula(`IFERROR(${at('pricePerTonne', index)}*${at('rate', index)},NA())`, offer.compared.pricePerTonne, price),
    ),
    comparedPrice: formulaColumn(withCurrency('Risk-adjusted price per tonne', currency, '/t'), (offer, index) =>
      formula(`IFERROR(ROUND(${at('riskPrice', index)}*${at('rate', index)},6),NA())`, offer.compared.price, price),
    ),
    volume: formulaColumn('Volume (t)', (offer, index) => {
      const expression = `IF(${at('basis', index)}="lines",${at('sumVolume', index)},IF(${at('basis', index)}="stated",${at('statedVolume', index)},NA()))`
      return formula(expression, offer.metrics.volume, numbers.volume)
    }),
    coverage: formulaColumn('Coverage of the wanted volume', (offer, index) =>
      formula(`IFERROR(MIN(1,${at('volume', index)}/WantedVolume),NA())`, offer.metrics.coverage, percent),
    ),
    comparedTotal: formulaColumn(withCurrency('Total', currency), (offer, index) =>
      formula(`IFERROR(${at('total', index)}*${at('rate', index)},NA())`, offer.compared.total, money),
    ),
    eligible: {
      header: 'Ranked',
      cell: (offer, index) =>
        formula(eligibleExpression(offer, layout, index), yesNo(offer.eligibility.eligible), centred),
    },
    why: {
      header: 'Reason not ranked',
      maxWidth: 44,
      cell: (offer) => text(offer.eligibility.exclusions.map(({ words }) => words).join('\n'), wrapped),
    },
    meets: { header: 'Meets all requirements', cell: (offer) => text(yesNo(offer.meetsRequirements), centred) },
    high: numberColumn('High flags', (offer) => countFlags(offer, 'high'), integer),
    medium: numberColumn('Medium flags', (offer) => countFlags(offer, 'medium'), integer),
    low: numberColumn('Low flags', (offer) => countFlags(offer, 'low'), integer),
  }
}

/** Reasons for exclusion that no input can change. */
const PERMANENT_EXCLUSIONS = new Set(['no-offer', 'rejected', 'withdrawn', 'no-currency'])

function eligibleExpression(offer: OfferReport, { offers }: RfqLayout, index: number): string {
  if (offer.eligibility.exclusions.some(({ code }) => PERMANENT_EXCLUSIONS.has(code))) return 'IF(FALSE,"yes","no")'
  const days = offers.at('daysToExpiry', index)
  const unexpired = offer.status === 'accepted' ? 'TRUE' : `OR(RankExpired="yes",NOT(ISNUMBER(${days})),N(${days})>=0)`
  const priced = `IFERROR(${offers.at('comparedPrice', index)}>0,FALSE)`
  return `IF(AND(${unexpired},${priced},ISNUMBER(${offers.at('comparedTotal', index)})),"yes","no")`
}

function terms(
  layout: RfqLayout,
): Columns<
  | 'developer'
  | 'project'
  | 'status'
  | 'view'
  | 'submitted'
  | 'late'
  | 'contract'
  | 'currency'
  | 'statedVolume'
  | 'statedTotal'
  | 'statedPrice'
  | 'expiry'
  | 'daysToExpiry'
  | 'expiryState'
  | 'review'
> {
  const { offers, numbers } = layout
  const at = (key: OfferKey, index: number) => offers.at(key, index)
  return {
    developer: textColumn('Developer', (offer) => offer.developer, { band: 'Terms as received', maxWidth: 34 }),
    project: textColumn('Project', (offer) => offer.project, { maxWidth: 40 }),
    status: textColumn('Status', (offer) => offer.status ?? 'unknown'),
    view: textColumn('Visible on marketplace', visibilityText),
    submitted: { header: 'Submitted', cell: (offer) => moment(offer.submittedAt, timestamp) },
    late: textColumn('Submitted late', (offer) => yesNo(offer.late)),
    contract: textColumn('Contract type', (offer) => offer.terms.contractType),
    currency: textColumn('Currency', (offer) => offer.terms.currency),
    statedVolume: numberColumn('Stated volume (t)', (offer) => offer.terms.statedVolume, numbers.volume),
    statedTotal: {
      header: 'Stated total',
      alignRight: true,
      cell: (offer) => number(offer.terms.statedTotal, numbers.money(offer.terms.currencyCode)),
    },
    statedPrice: formulaColumn('Stated price per tonne', (offer, index) =>
      formula(
        `IF(AND(N(${at('statedTotal', index)})>0,N(${at('statedVolume', index)})>0),${at('statedTotal', index)}/${at('statedVolume', index)},NA())`,
        offer.metrics.statedPrice,
        numbers.price(offer.terms.currencyCode),
      ),
    ),
    expiry: { header: 'Expires', cell: (offer) => date(offer.terms.expiryDate, calendarDate) },
    daysToExpiry: formulaColumn('Days to expiry', (offer, index) =>
      daysFromAsOf(at('expiry', index), offer.terms.expiryDate, offer.terms.daysToExpiry),
    ),
    expiryState: {
      header: 'Expiry',
      cell: (offer, index) => formula(expiryExpression(at('daysToExpiry', index)), expiryState(layout, offer), body),
    },
    review: textColumn('Review', (offer) => offer.terms.review?.status),
  }
}

const visibilityText = (offer: OfferReport) =>
  offer.inView ? 'yes' : `no, missing since ${offer.missingSince?.slice(0, 10) ?? 'unknown'}`

const expiryExpression = (days: string) =>
  `IF(ISNUMBER(${days}),IF(${days}<0,"expired",IF(${days}<=ExpiryWindowDays,"expiring","valid")),"no expiry")`

function expiryState({ report }: RfqLayout, { terms }: OfferReport): string {
  const days = terms.daysToExpiry
  if (days === null) return 'no expiry'
  if (days < 0) return 'expired'
  return days <= report.settings.expiryWindowDays ? 'expiring' : 'valid'
}

function project(
  layout: RfqLayout,
): Columns<
  | 'country'
  | 'registry'
  | 'registryId'
  | 'methodologies'
  | 'activity'
  | 'ecosystems'
  | 'labels'
  | 'available'
  | 'facts'
  | 'storefront'
> {
  return {
    country: textColumn('Country', ({ listing }) => listing.country, {
      band: 'Project, as described by its developer',
    }),
    registry: textColumn('Registry', ({ listing }) => listing.registry),
    registryId: textColumn('Registry id', ({ listing }) => listing.registryId),
    methodologies: textColumn('Methodologies', ({ listing }) => joinList(listing.methodologies), { maxWidth: 40 }),
    activity: textColumn('Mitigation activity', ({ listing }) => listing.mitigationActivity),
    ecosystems: textColumn('Ecosystems', ({ listing }) =>
      joinList([...listing.ecosystemTypes, ...listing.ecosystemSubtypes]),
    ),
    labels: textColumn('Labels, as claimed', ({ listing }) => joinList(listing.labels)),
    available: numberColumn(
      'Listing’s available volume (t)',
      ({ listing }) => listing.availableVolume,
      layout.numbers.volume,
    ),
    facts: numberColumn('Facts stated (of 6)', ({ listing }) => listing.factsStated),
    storefront: {
      header: 'Listing',
      cell: ({ listing }) => webLink(listing.known ? 'open' : null, listing.storefrontUrl, link, body),
    },
  }
}

function noteColumns(): Columns<'flags' | 'notes' | 'id' | 'version' | 'observed'> {
  return {
    flags: {
      header: 'Flags',
      band: 'Flags, notes and sources',
      maxWidth: 80,
      cell: (offer) => text(flagLines(offer), wrapped),
    },
    notes: { header: 'Notes to the buyer', maxWidth: 60, cell: (offer) => text(noteOf(offer), wrapped) },
    id: textColumn('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    version: numberColumn('Version', (offer) => offer.source.version),
    observed: { header: 'Observed', cell: (offer) => moment(offer.source.observedAt, timestamp) },
  }
}

/** Rows have a maximum height; longer notes are in full on About. */
const MAX_NOTE_CHARACTERS = 600
const noteOf = ({ terms: { notes } }: OfferReport) =>
  notes !== null && notes.length > MAX_NOTE_CHARACTERS
    ? `${notes.slice(0, MAX_NOTE_CHARACTERS)}… [full text on About]`
    : notes

function offerMarks({ offers }: RfqLayout): Mark[] {
  return [
    mark(offers.area('rank'), is(here, '=', 1), 'good'),
    mark(offers.area('rank'), is(here, '<=', 3), 'warn'),
    mark(offers.area('high'), is(here, '>', 0), 'bad'),
    bar(offers.area('coverage'), 1),
    mark(offers.area('offer', 'observed'), isUnavailable(here), 'muted'),
  ]
}

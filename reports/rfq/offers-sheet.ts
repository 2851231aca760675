import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../src/views/offer/offer-view.js'
import { attributeSheet, type BestDirection } from '../layout/attribute-sheet.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import { type Grid, keys } from '../layout/grid.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { countFlags, flagLines, joinList, yesNo as yesNoText } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { formula as formulaCell, text as textCell, webLink } from '../xlsx/cells.js'
import { OFFER_GROUPS, type OfferKey, type RfqLayout } from './layout.js'
import { metricColumns } from './offer-metric-columns.js'

const NOTE = `Accepted offers first, then those that compete by rank, then the others. ${NO_FIGURE}: not known.`
const PROJECT_NOTE = 'Project details are the developers’ own claims.'

/** `Offers`: outcome, figures and terms of each offer: side by side, or in rows if there are many. */
export function offersSheet(layout: RfqLayout): SheetPlan {
  const { offers, offersAreColumns, report, nameOf } = layout
  const columns = offerColumns(layout)
  const working = workingKeys(layout)
  const marks = [
    mark(offers.area('rank'), is(here, '=', 1), 'good'),
    mark(offers.area('high'), is(here, '>', 0), 'bad'),
    mark(offers.area('standing'), is(here, '=', STANDINGS.excluded), 'bad'),
    mark(offers.area('standing'), is(here, '=', STANDINGS['not-compliant']), 'bad'),
  ]
  if (offersAreColumns)
    return attributeSheet<OfferReport, OfferKey>(layout, {
      grid: offers,
      title: 'Offers',
      note: `${NOTE} The best value among ranked offers is in column B, and green. ${PROJECT_NOTE}`,
      groups: OFFER_GROUPS,
      columns,
      rows: report.offers,
      nameOf,
      // The header names them.
      working: new Set([...working, ...keys('offer developer project')]),
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
    emptyText: layout.noOffers,
    frozenColumns: 3,
    working,
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

const LOWEST = keys('comparedPricePerTonne costPerTonne comparedPrice prepaidShare firstDelivery lastDelivery meanWait')
const HIGHEST = keys('score volume coverage onTimeShare oldestVintage newestVintage facts')

/** Intermediate results, what About shows, and what says nothing because all offers are in the comparison currency. */
const workingKeys = ({ report, currency }: RfqLayout): OfferKey[] => [
  ...keys('cost prepaid presentValue presentValuePerTonne haircut riskPrice meanVintage medium low version id'),
  ...keys(
    'statedVolume sumVolume volumeDifference statedTotal sumValue totalDifference statedPrice basis lines usable',
  ),
  ...(report.offers.every(({ terms }) => terms.currencyCode === currency) ? keys('pricePerTonne total rate') : []),
]

/** The attributes of an offer. */
const offerColumns = (layout: RfqLayout): Columns<OfferReport, OfferKey> => ({
  ...outcome(layout),
  ...terms(layout),
  ...metricColumns(layout),
  ...project(layout),
  ...noteColumns(),
})

function outcome({ offers, scoring, numbers, view }: RfqLayout) {
  const { text, number, cells } = columnsOf<OfferReport, OfferKey>(offers)
  const views = new Map(view.offers.map((offer) => [offer.id, offer]))
  const viewOf = ({ id }: OfferReport) => views.get(id) as OfferView
  const fromScoring = (header: string, key: 'rank' | 'total', value: (offer: OfferReport) => number | null) => {
    const own = key === 'rank' ? style.plainNumber : style.oneDecimal
    const cell = (offer: OfferReport, index: number) => {
      const cached = value(offer)
      return cached === null
        ? textCell(NO_FIGURE, style.asRight(style.body))
        : formulaCell(scoring.cell(key, index), cached, own)
    }
    return cells(header, cell, { style: own })
  }
  const isAccepted = view.decision.recommendation.accepted !== null
  return {
    offer: number('Offer no.', (offer) => offer.sequence, style.plainNumber),
    developer: text('Developer', ({ developer }) => developer),
    project: text('Project', (offer) => offer.project, { maxWidth: 40 }),
    rank: fromScoring('Rank', 'rank', ({ rank }) => rank),
    standing: text('Standing', ({ standing }) => STANDINGS[standing]),
    notMet: text(NOT_MET_TITLE, (offer) => notMetText(viewOf(offer).notMet) ?? 'none', { maxWidth: 40 }),
    score: fromScoring('Score (0–100)', 'total', ({ scores }) => scores?.total ?? null),
    awarded: number(
      isAccepted ? 'Accepted or recommended (t)' : 'In the recommended award (t)',
      (offer) => viewOf(offer).awardedTonnes || null,
      numbers.volume,
    ),
  }
}

function terms({ offers, report }: RfqLayout) {
  const { expiryWindowDays } = report.settings
  const { text, codes, date, moment, days, formula } = columnsOf<OfferReport, OfferKey>(offers)
  return {
    status: codes('Status', (offer) => offer.status ?? 'unknown'),
    submitted: moment('Submitted', (offer) => offer.submittedAt),
    late: text('Submitted late', (offer) => yesNoText(offer.late)),
    view: text('Visible on marketplace', visibilityText),
    contract: codes('Contract type', (offer) => offer.terms.contractType),
    currency: text('Own currency', (offer) => offer.terms.currency),
    expiry: date('Expires', (offer) => offer.terms.expiryDate),
    daysToExpiry: days('Days to expiry', 'expiry', (offer) => [offer.terms.expiryDate, offer.terms.daysToExpiry]),
    expiryState: formula('Expiry check', style.body, ({ terms: { daysToExpiry } }, at) => {
      const days = at('daysToExpiry')
      const known = `IF(${days}<0,"expired",IF(${days}<=ExpiryWindowDays,"expiring","valid"))`
      return [`IF(ISNUMBER(${days}),${known},"no expiry")`, expiryState(daysToExpiry, expiryWindowDays)]
    }),
    review: codes('Review', (offer) => offer.terms.review?.status),
  }
}

function expiryState(days: number | null, window: number): string {
  if (days === null) return 'no expiry'
  if (days < 0) return 'expired'
  return days <= window ? 'expiring' : 'valid'
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
    high: number('High flags', (offer) => countFlags(offer, 'high'), style.integer),
    medium: number('Medium flags', (offer) => countFlags(offer, 'medium'), style.integer),
    low: number('Low flags', (offer) => countFlags(offer, 'low'), style.integer),
    flags: text('Flags', flagLines, { maxWidth: 60, style: style.body }),
    notes: text('Notes to the buyer', ({ terms }) => terms.notes, { maxWidth: 60, style: style.body }),
    id: text('Offer id', (offer) => offer.id, { maxWidth: 40 }),
    version: number('Version', (offer) => offer.source.version),
    observed: moment('Observed', (offer) => offer.source.observedAt),
  }
}

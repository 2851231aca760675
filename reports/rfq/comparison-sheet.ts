import type { Severity } from '../../src/domain/comparison/flag.js'
import { formatFlagValue } from '../../src/domain/comparison/flag-value.js'
import type { MetricName } from '../../src/domain/comparison/offer/metrics.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { Requirement } from '../../src/domain/comparison/offer/requirements.js'
import { columnLetter } from '../layout/grid.js'
import { all, here, is, isNumber, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, rowSheet } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import { countFlags, joinList, severityLabels, withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, date, dateSerial, formula, moment, number, text } from '../xlsx/cells.js'
import { NO_OFFERS } from './label-tables.js'
import { type OfferKey, type RfqLayout, rfqHeading } from './layout.js'

/** Maximum number of offers compared, best-ranked first; the sheet states how many it omits. */
const MAX_COMPARED = 300
const OFFERS_PER_PAGE = 6
const FIRST_OFFER_COLUMN = 4
const OFFER_WIDTH = 30
const WIDTHS = [30, 18, 26]
const CELL_LINES = 30
const NONE = '–'
/** Row `Ranked`: only offers with `yes` there can have the best value. */
const RANKED_ROW = HEADER_ROW + 2

/** One attribute: a row. */
interface Attribute {
  label: string
  cell: (offer: OfferReport, index: number) => Cell
  /** How the best value is determined and shown. */
  best?: { which: 'min' | 'max'; value: (offer: OfferReport) => number | null; style: style.Style }
}
interface Group {
  title: string
  attributes: readonly Attribute[]
}

/** `Comparison`: one row per attribute, one column per offer; the best value of each row is marked and named. */
export function comparisonSheet(layout: RfqLayout): SheetPlan {
  const offers = layout.report.offers.slice(0, MAX_COMPARED)
  const groups = groupsOf(layout)
  const lastColumn = columnLetter(FIRST_OFFER_COLUMN - 1 + Math.max(1, offers.length))
  const lastRow = HEADER_ROW + groups.reduce((rows, group) => rows + 1 + group.attributes.length, 0)
  const firstOffer = columnLetter(FIRST_OFFER_COLUMN)
  const area = `${firstOffer}${HEADER_ROW + 1}:${lastColumn}${lastRow}`
  const pages = Math.max(1, Math.ceil(offers.length / OFFERS_PER_PAGE))
  const rows = () => comparisonRows(layout, groups, offers, lastColumn)
  return rowSheet({
    name: 'Comparison',
    widths: [...WIDTHS, ...offers.map(() => OFFER_WIDTH)],
    rows,
    frozen: { rows: HEADER_ROW, columns: FIRST_OFFER_COLUMN - 1 },
    marks: [
      mark(
        area,
        all(is({ row: RANKED_ROW }, '=', 'yes'), isNumber({ column: 'B' }), is(here, '=', { column: 'B' })),
        'good',
      ),
      mark(area, is(here, '=', NONE), 'muted'),
    ],
    print: {
      titleRows: [HEADER_ROW, HEADER_ROW],
      titleColumns: 'A:C',
      ...(pages > 1 && { from: HEADER_ROW, to: lastRow }),
      pagesWide: pages,
    },
  })
}

function* comparisonRows(
  layout: RfqLayout,
  groups: readonly Group[],
  offers: readonly OfferReport[],
  lastColumn: string,
): Generator<RowPlan> {
  yield* headingRows(rfqHeading(layout, 'Comparison', noteOf(layout, offers.length)))
  yield* emptyRows(1)
  yield headRow('Attribute', 'Best value', 'Best offer', ...offers.map((offer) => `${offer.sequence} · ${offer.label}`))
  const atLeft = leftAligner()
  let row = HEADER_ROW
  for (const group of groups) {
    yield sectionRow(group.title)
    row++
    for (const attribute of group.attributes) {
      row++
      const cells = offers.map((offer, index) => atLeft(attribute.cell(offer, index)))
      const best = bestCells(attribute, offers, row, lastColumn).map(atLeft)
      yield bodyRow(text(attribute.label, style.boldWrapped), ...best, ...cells)
    }
  }
  if (offers.length === 0) yield textRow(NO_OFFERS)
}

/** Left-aligns cells, so that figures align with the texts above and below them. Each style is converted only once. */
function leftAligner(): (cell: Cell) => Cell {
  const leftStyles = new Map<style.Style, style.Style>()
  return (cell) => {
    const left = leftStyles.get(cell.style) ?? style.asLeft(cell.style)
    leftStyles.set(cell.style, left)
    return { ...cell, style: left }
  }
}

function noteOf({ report }: RfqLayout, shown: number): string {
  const all = report.offers.length
  const bound = shown < all ? ` Shows the ${shown} best-ranked of ${all} offers; Offers lists all.` : ''
  return `The best value among ranked offers in each row is green and named in column C. ${NONE}: not known.${bound}`
}

/** The best value and the offer that has it, or the number of offers that share it. */
function bestCells({ best }: Attribute, offers: readonly OfferReport[], row: number, lastColumn: string): Cell[] {
  if (best === undefined || offers.length === 0) return [blank(style.body), blank(style.body)]
  const first = columnLetter(FIRST_OFFER_COLUMN)
  const values = `$${first}${row}:$${lastColumn}${row}`
  const ranked = `$${first}$${RANKED_ROW}:$${lastColumn}$${RANKED_ROW}`
  const heads = `$${first}$${HEADER_ROW}:$${lastColumn}$${HEADER_ROW}`
  const name = best.which === 'min' ? '_xlfn.MINIFS' : '_xlfn.MAXIFS'
  const known = `COUNTIFS(${ranked},"yes",${values},">=-1E+300")`
  const { value, winners } = bestOf(best, offers)
  const many = `SUMPRODUCT((${ranked}="yes")*(${values}=$B${row}))`
  const match = `INDEX(${heads},MATCH(1,(${ranked}="yes")*(${values}=$B${row}),0))`
  const shown = winners.length === 1 ? winnerName(winners) : `${winners.length} offers`
  return [
    formula(`IF(${known}=0,"${NONE}",${name}(${values},${ranked},"yes"))`, value ?? NONE, best.style),
    arrayFormula(
      `IF(ISNUMBER($B${row}),IF(${many}=1,${match},${many}&" offers"),"${NONE}")`,
      value === null ? NONE : shown,
      style.wrapped,
    ),
  ]
}

const winnerName = ([winner]: readonly OfferReport[]) =>
  winner === undefined ? NONE : `${winner.sequence} · ${winner.label}`

function bestOf(best: NonNullable<Attribute['best']>, offers: readonly OfferReport[]) {
  const known = offers.flatMap((offer) => {
    const value = offer.eligibility.eligible ? best.value(offer) : null
    return value === null ? [] : [{ offer, value }]
  })
  if (known.length === 0) return { value: null, winners: [] }
  const choose = best.which === 'min' ? Math.min : Math.max
  const value = known.reduce((found, each) => choose(found, each.value), known[0]?.value ?? 0)
  return { value, winners: known.filter((each) => each.value === value).map(({ offer }) => offer) }
}

function groupsOf(layout: RfqLayout): Group[] {
  return [
    { title: 'Outcome', attributes: [...outcomeAttributes(layout)] },
    { title: 'Price and payment', attributes: moneyAttributes(layout) },
    { title: 'Volume and delivery', attributes: volumeAttributes(layout) },
    { title: 'RFQ requirements', attributes: requirementAttributes(layout) },
    { title: 'Project, as described by its developer', attributes: projectAttributes() },
    { title: 'Flags', attributes: flagAttributes() },
    { title: 'Submission and source', attributes: sourceAttributes() },
  ]
}

/** A figure from `Offers`; unknown values show as a dash. */
function figureAttribute(
  { offers }: RfqLayout,
  label: string,
  key: OfferKey,
  value: (offer: OfferReport) => number | null,
  style: style.Style | ((offer: OfferReport) => style.Style),
  best?: 'min' | 'max',
): Attribute {
  const cellStyle = (offer: OfferReport) => (typeof style === 'function' ? style(offer) : style)
  return {
    label,
    cell: (offer, index) =>
      formula(`IFERROR(${offers.cell(key, index)},"${NONE}")`, value(offer) ?? NONE, cellStyle(offer)),
    ...(best && typeof style !== 'function' && { best: { which: best, value, style } }),
  }
}
const textAttribute = (label: string, value: (offer: OfferReport) => unknown): Attribute => ({
  label,
  cell: (offer) => text(truncateToLines(String(value(offer) ?? NONE), OFFER_WIDTH, CELL_LINES), style.wrapped),
})

function* outcomeAttributes(layout: RfqLayout): Generator<Attribute> {
  const { offers, scoring } = layout
  yield {
    label: 'Ranked',
    cell: (offer, index) => formula(offers.cell('eligible', index), yesNo(offer.eligibility.eligible), style.body),
  }
  yield textAttribute('Reason not ranked', (offer) => offer.eligibility.exclusions.map(({ words }) => words).join('\n'))
  yield {
    label: 'Rank',
    cell: (offer, index) => formula(scoring.cell('rank', index), offer.rank ?? '', style.plainNumber),
    best: { which: 'min', value: (offer) => offer.rank, style: style.plainNumber },
  }
  yield {
    label: 'Score (0–100)',
    cell: (offer, index) => formula(scoring.cell('total', index), offer.scores?.total ?? '', style.oneDecimal),
    best: { which: 'max', value: (offer) => offer.scores?.total ?? null, style: style.oneDecimal },
  }
  yield {
    label: 'Meets all requirements',
    cell: (offer) => text(yesNo(offer.meetsRequirements), offer.meetsRequirements ? style.good : style.bad),
  }
}

function moneyAttributes(layout: RfqLayout): Attribute[] {
  const { numbers, currency } = layout
  const money = numbers.money(currency)
  const price = numbers.price(currency)
  const own = (offer: OfferReport) => numbers.price(offer.terms.currencyCode)
  const ownTotal = (offer: OfferReport) => numbers.money(offer.terms.currencyCode)
  return [
    figureAttribute(
      layout,
      withCurrency('Price per tonne', currency, '/t'),
      'comparedPricePerTonne',
      (offer) => offer.compared.pricePerTonne,
      price,
      'min',
    ),
    figureAttribute(
      layout,
      withCurrency('Risk-adjusted price per tonne', currency, '/t'),
      'comparedPrice',
      (offer) => offer.compared.price,
      price,
      'min',
    ),
    figureAttribute(layout, withCurrency('Total', currency), 'comparedTotal', (offer) => offer.compared.total, money),
    figureAttribute(
      layout,
      'Price per tonne, own currency',
      'pricePerTonne',
      (offer) => offer.metrics.pricePerTonne,
      own,
    ),
    figureAttribute(layout, 'Total, own currency', 'total', (offer) => offer.metrics.total, ownTotal),
    textAttribute('Stated total against lines', (offer) => offer.metrics.totalVerdict),
    figureAttribute(
      layout,
      'Pre-paid share',
      'prepaidShare',
      (offer) => offer.metrics.prepaidShare,
      style.percent,
      'min',
    ),
    textAttribute('Contract type', (offer) => offer.terms.contractType),
    textAttribute('Currency', (offer) => offer.terms.currency),
  ]
}

function volumeAttributes(layout: RfqLayout): Attribute[] {
  const dated = (label: string, key: OfferKey, value: (offer: OfferReport) => string | null): Attribute =>
    figureAttribute(layout, label, key, (offer) => dateSerial(value(offer)), style.calendarDate, 'min')
  return [
    figureAttribute(layout, 'Volume (t)', 'volume', (offer) => offer.metrics.volume, layout.numbers.volume, 'max'),
    figureAttribute(
      layout,
      'Coverage of the wanted volume',
      'coverage',
      (offer) => offer.metrics.coverage,
      style.percent,
      'max',
    ),
    textAttribute('Stated volume against lines', (offer) => offer.metrics.volumeVerdict),
    dated('First delivery', 'firstDelivery', (offer) => offer.metrics.firstDelivery),
    dated('Last delivery', 'lastDelivery', (offer) => offer.metrics.lastDelivery),
    figureAttribute(
      layout,
      'Mean wait (days)',
      'meanWait',
      (offer) => offer.metrics.meanWaitDays,
      style.oneDecimal,
      'min',
    ),
    figureAttribute(
      layout,
      'Share due on time',
      'onTimeShare',
      (offer) => offer.metrics.onTimeShare,
      style.percent,
      'max',
    ),
    figureAttribute(
      layout,
      'Oldest vintage',
      'oldestVintage',
      (offer) => offer.metrics.oldestVintage,
      style.plainNumber,
      'max',
    ),
    figureAttribute(
      layout,
      'Newest vintage',
      'newestVintage',
      (offer) => offer.metrics.newestVintage,
      style.plainNumber,
      'max',
    ),
  ]
}

const REQUIREMENT_LABELS: Record<Requirement['code'], string> = {
  'price-max': 'Price at most the maximum',
  'price-min': 'Price at least the minimum',
  'volume-min': 'Volume at least the minimum',
  'volume-max': 'Volume at most the maximum',
  'vintage-min': 'Vintages not too old',
  'vintage-max': 'Vintages not too new',
  delivery: 'Delivery by the fulfilment due date',
  'contract-type': 'Contract type as requested',
  'on-time': 'Submitted by the response due date',
  listing: 'Listing as requested',
}

function requirementAttributes({ report }: RfqLayout): Attribute[] {
  const stated = new Set(report.offers.flatMap((offer) => offer.requirements.map(({ code }) => code)))
  return [...stated].map(
    (code): Attribute => ({
      label: REQUIREMENT_LABELS[code],
      cell: (offer) => requirementCell(offer.requirements.find((requirement) => requirement.code === code)),
    }),
  )
}

/** The offer's value, with moments as dates; empty for listings, because their identifiers mean nothing to a reader. */
const foundText = ({ code, found }: Requirement): string =>
  found.value === null || code === 'listing' ? '' : ` (${formatFlagValue(found).replace(/T\d{2}:\d{2}.*/, '')})`

function requirementCell(requirement: Requirement | undefined): Cell {
  if (requirement === undefined) return text(NONE, style.body)
  const { met } = requirement
  const verdict = met === null ? 'not determinable' : met ? 'met' : 'not met'
  return text(`${verdict}${foundText(requirement)}`, met === false ? style.bad : style.wrapped)
}

function projectAttributes(): Attribute[] {
  return [
    textAttribute('Developer', (offer) => offer.developer),
    textAttribute('Project', (offer) => offer.project),
    textAttribute('Country', ({ listing }) => listing.country),
    textAttribute('Registry', ({ listing }) => listing.registry),
    textAttribute('Registry id', ({ listing }) => listing.registryId),
    textAttribute('Methodologies', ({ listing }) => joinList(listing.methodologies)),
    textAttribute('Mitigation activity', ({ listing }) => listing.mitigationActivity),
    textAttribute('Ecosystems', ({ listing }) => joinList([...listing.ecosystemTypes, ...listing.ecosystemSubtypes])),
    textAttribute('Labels, as claimed', ({ listing }) => joinList(listing.labels)),
    textAttribute('Project stages', ({ listing }) => joinList(listing.projectStages)),
    { label: 'First issuance', cell: ({ listing }) => date(listing.firstIssuanceDate, style.calendarDate) },
    {
      label: 'Facts stated (of 6)',
      cell: ({ listing }) => number(listing.factsStated, style.integer),
      best: { which: 'max', value: ({ listing }) => listing.factsStated, style: style.integer },
    },
  ]
}

function flagAttributes(): Attribute[] {
  const severities: Severity[] = ['high', 'medium', 'low']
  const words = (offer: OfferReport, severity: Severity) =>
    offer.flags
      .filter((flag) => flag.severity === severity)
      .map((flag) => `• ${flag.words}`)
      .join('\n')
  return [
    ...severities.map(
      (severity): Attribute => ({
        label: `${severityLabels[severity]} flags`,
        cell: (offer) => number(countFlags(offer, severity), style.integer),
        best: { which: 'min', value: (offer) => countFlags(offer, severity), style: style.integer },
      }),
    ),
    ...severities.map((severity) =>
      textAttribute(`${severityLabels[severity]} flags: details`, (offer) => words(offer, severity)),
    ),
    textAttribute('Unknown figures and reasons', unknownFigures),
  ]
}

const METRIC_LABELS: Partial<Record<MetricName, string>> = {
  pricePerTonne: 'Price per tonne',
  vwap: 'Price per tonne from lines',
  volumeDifference: 'Stated volume against lines',
  totalDifference: 'Stated total against lines',
  firstDelivery: 'Delivery dates',
  meanWaitDays: 'Mean wait',
  meanVintageYear: 'Vintages',
  onTimeShare: 'Share due on time',
  prepaidShare: 'Pre-paid share',
  coverage: 'Coverage',
}
function unknownFigures({ metrics }: OfferReport): string {
  const lines = Object.entries(METRIC_LABELS).flatMap(([name, words]) => {
    const reason = metrics.reasons[name as MetricName]
    return reason === undefined ? [] : [`• ${words}: ${reason}`]
  })
  return lines.length === 0 ? NONE : lines.join('\n')
}

function sourceAttributes(): Attribute[] {
  return [
    textAttribute('Status', (offer) => offer.status ?? 'unknown'),
    textAttribute('Visible on marketplace', (offer) =>
      offer.inView ? 'yes' : `no, missing since ${offer.missingSince ?? 'unknown'}`,
    ),
    { label: 'Submitted', cell: (offer) => moment(offer.submittedAt, style.timestamp) },
    { label: 'Expires', cell: (offer) => date(offer.terms.expiryDate, style.calendarDate) },
    textAttribute('Review', ({ terms }) => terms.review?.status),
    textAttribute('Review comment', ({ terms }) => terms.review?.comment),
    textAttribute('Notes to the buyer', ({ terms }) => terms.notes),
    textAttribute('Full document read', (offer) => (offer.shape === 'full' ? 'yes' : 'no, summary only')),
    { label: 'Version', cell: (offer) => number(offer.source.version, style.plainNumber) },
    { label: 'Observed', cell: (offer) => moment(offer.source.observedAt, style.timestamp) },
    textAttribute('Offer id', (offer) => offer.id),
  ]
}

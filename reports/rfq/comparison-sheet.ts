import { formatFlagValue } from '../../src/compare/flag-value.js'
import { METRIC_LABELS } from '../../src/compare/offer/metric-text.js'
import type { MetricName } from '../../src/compare/offer/metrics.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { REQUIREMENT_LABELS, type Requirement } from '../../src/compare/offer/requirements.js'
import { cellContent, NO_FIGURE, referenceTo } from '../layout/cell-text.js'
import { columnLetter, keys } from '../layout/grid.js'
import { all, here, is, isNumber, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, sectionRow, textRow } from '../layout/rows.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, rowSheet } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import { codeList, severityLabels, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, date, formula, text } from '../xlsx/cells.js'
import type { OfferKey, RfqLayout } from './layout.js'
import { offerColumns } from './offers-sheet.js'

/** Maximum number of offers compared, best-ranked first; the sheet states how many it omits. */
const MAX_COMPARED = 300
const FIRST_OFFER_COLUMN = 4
const WIDTHS = [28, 16, 12]
/** Column units of an offer: as wide as the page allows, within these limits. */
const [MIN_OFFER_WIDTH, MAX_OFFER_WIDTH, OFFERS_WIDTH] = [22, 30, 240]
/** With at most this many offers, the figures are printed on one page. */
const MAX_ON_ONE_PAGE = 8
/** Groups that are not printed: Checks and Offers print what they contain. */
const UNPRINTED = ['Flags', 'Submission and source']
const CELL_LINES = 30
/** Row `Ranked`: only offers with `yes` there can have the best value. */
const RANKED_ROW = HEADER_ROW + 2

/** One attribute: a row. */
interface Attribute {
  label: string
  cell: (offer: OfferReport, index: number) => Cell
  /** Which of the values is best. */
  best?: 'min' | 'max'
}
type Group = ReturnType<typeof groupsOf>[number]

/** `Comparison`: one row per attribute, one column per offer; the best value of each row is marked and named. */
export function comparisonSheet(layout: RfqLayout): SheetPlan {
  const offers = layout.report.offers.slice(0, MAX_COMPARED)
  const groups = groupsOf(layout)
  const lastRow = HEADER_ROW + rowsOf(groups)
  const printed = groups.filter(({ title }) => !UNPRINTED.includes(title))
  const width = Math.max(MIN_OFFER_WIDTH, Math.min(MAX_OFFER_WIDTH, OFFERS_WIDTH / Math.max(1, offers.length)))
  const firstOffer = columnLetter(FIRST_OFFER_COLUMN)
  const best = { column: 'B' }
  const area = `${firstOffer}${HEADER_ROW + 1}:${lastColumnOf(offers)}${lastRow}`
  return rowSheet({
    name: 'Comparison',
    widths: [...WIDTHS, ...offers.map(() => width)],
    rows: () => comparisonRows(layout, groups, offers),
    frozen: { rows: HEADER_ROW, columns: FIRST_OFFER_COLUMN - 1 },
    marks: [
      mark(area, all(is({ row: RANKED_ROW }, '=', 'yes'), isNumber(best), is(here, '=', best)), 'good'),
      mark(area, is(here, '=', NO_FIGURE), 'muted'),
    ],
    print: {
      titleRows: [HEADER_ROW, HEADER_ROW],
      titleColumns: 'A:C',
      wideFrom: HEADER_ROW,
      onePage: offers.length <= MAX_ON_ONE_PAGE,
      lastRow: HEADER_ROW + rowsOf(printed),
    },
  })
}

const lastColumnOf = (offers: readonly OfferReport[]) =>
  columnLetter(FIRST_OFFER_COLUMN - 1 + Math.max(1, offers.length))

/** Rows of groups with their titles. */
const rowsOf = (groups: readonly Group[]) => groups.reduce((rows, group) => rows + 1 + group.attributes.length, 0)

function* comparisonRows(layout: RfqLayout, groups: readonly Group[], offers: readonly OfferReport[]) {
  yield* headingRows(layout, 'Comparison', noteOf(layout, offers.length))
  yield* emptyRows(1)
  const names = offers.map(({ sequence, label }) => `${sequence} · ${label}`)
  yield headRow('Attribute', 'Best value', 'Best offer', ...names)
  let row = HEADER_ROW
  for (const group of groups) {
    yield sectionRow(group.title)
    row++
    for (const attribute of group.attributes) {
      row++
      const cells = offers.map((offer, index) => attribute.cell(offer, index))
      const best = bestCells(layout, attribute, offers, row)
      yield bodyRow(text(attribute.label, style.boldWrapped), ...best, ...cells)
    }
  }
  if (offers.length === 0) yield textRow(layout.noOffers)
}

function noteOf({ report }: RfqLayout, shown: number): string {
  const all = report.offers.length
  const bound = shown < all ? ` Shows the ${shown} best-ranked of ${all} offers; Offers lists all.` : ''
  return `The best value among ranked offers in each row is green and named in column C. ${NO_FIGURE}: not known.${bound}`
}

/** The best value and the offer that has it, or the number of offers that share it. */
function bestCells(layout: RfqLayout, { best, cell }: Attribute, offers: readonly OfferReport[], row: number): Cell[] {
  const [firstOffer] = offers
  if (best === undefined || firstOffer === undefined) return [blank(style.body), blank(style.body)]
  const [first, lastColumn] = [columnLetter(FIRST_OFFER_COLUMN), lastColumnOf(offers)]
  const values = `$${first}${row}:$${lastColumn}${row}`
  const ranked = `$${first}$${RANKED_ROW}:$${lastColumn}$${RANKED_ROW}`
  const name = best === 'min' ? '_xlfn.MINIFS' : '_xlfn.MAXIFS'
  const count = `COUNTIFS(${ranked},"yes",${values},">=-1E+300")`
  const known = offers.flatMap((offer, index) => {
    const { value } = cell(offer, index)
    return offer.eligibility.eligible && typeof value === 'number' ? [{ offer, value }] : []
  })
  const value = known.length === 0 ? null : (best === 'min' ? Math.min : Math.max)(...known.map((each) => each.value))
  const winners = known.filter((each) => each.value === value).map(({ offer }) => offer)
  const many = `SUMPRODUCT((${ranked}="yes")*(${values}=$B${row}))`
  const match = `"offer "&INDEX(${layout.offers.range('offer')},MATCH(1,(${ranked}="yes")*(${values}=$B${row}),0))`
  const shown = winners.length === 1 ? `offer ${winners[0]?.sequence}` : `${winners.length} offers`
  const found = `IF(${count}=0,"${NO_FIGURE}",${name}(${values},${ranked},"yes"))`
  const whose = `IF(ISNUMBER($B${row}),IF(${many}=1,${match},${many}&" offers"),"${NO_FIGURE}")`
  return [
    formula(found, value ?? NO_FIGURE, cell(firstOffer, 0).style),
    arrayFormula(whose, value === null ? NO_FIGURE : shown, style.wrapped),
  ]
}

/** Columns of `Offers` whose lowest or highest value is best. */
const LOWEST: readonly OfferKey[] = keys(
  'rank comparedPricePerTonne comparedPrice prepaidShare firstDelivery lastDelivery meanWait high medium low',
)
const HIGHEST: readonly OfferKey[] = keys('score volume coverage onTimeShare oldestVintage newestVintage facts')

/** Labels that say more than the headers on `Offers`. */
const LABELS: Partial<Record<OfferKey, string>> = {
  totalVerdict: 'Stated total against lines',
  volumeVerdict: 'Stated volume against lines',
}

function groupsOf(layout: RfqLayout) {
  const columns = offerColumns(layout)
  const { report, currency } = layout
  /** Columns that say nothing, because every offer is ranked or in the comparison currency. */
  const omitted = new Set<OfferKey>([
    ...(report.offers.every(({ eligibility }) => eligibility.eligible) ? keys('why') : []),
    ...(report.offers.every(({ terms }) => terms.currencyCode === currency) ? keys('pricePerTonne total') : []),
  ])
  /** Columns of `Offers` as attributes, with their labels and figures; unknown values show as a dash. */
  const offers = (all: readonly OfferKey[]) =>
    all
      .filter((key) => !omitted.has(key))
      .map(
        (key): Attribute => ({
          label: LABELS[key] ?? columns[key].header,
          cell: (offer, index) => attributeCell(columns[key].cell(offer, index), layout.offers.cell(key, index)),
          ...(LOWEST.includes(key) && { best: 'min' }),
          ...(HIGHEST.includes(key) && { best: 'max' }),
        }),
      )
  const group = (title: string, all: readonly OfferKey[], ...more: readonly Attribute[]) => ({
    title,
    attributes: [...offers(all), ...more],
  })
  return [
    group('Outcome', keys('eligible why rank score'), {
      label: 'Meets all requirements',
      cell: (offer) => text(yesNo(offer.meetsRequirements), offer.meetsRequirements ? style.good : style.bad),
    }),
    group(
      'Price and payment',
      keys(
        'comparedPricePerTonne comparedPrice comparedTotal pricePerTonne total totalVerdict',
        'prepaidShare contract currency',
      ),
    ),
    group(
      'Volume and delivery',
      keys('volume coverage volumeVerdict firstDelivery lastDelivery meanWait onTimeShare oldestVintage newestVintage'),
    ),
    group('RFQ requirements', [], ...requirementAttributes(layout)),
    group(
      'Project, as described by its developer',
      keys('developer project country registry registryId methodologies activity ecosystems labels'),
      textAttribute('Project stages', ({ listing }) => codeList(listing.projectStages)),
      { label: 'First issuance', cell: ({ listing }) => date(listing.firstIssuanceDate, style.calendarDate) },
      ...offers(keys('facts')),
    ),
    group('Flags', keys('high medium low'), ...flagAttributes()),
    group(
      'Submission and source',
      keys('status view submitted expiry review'),
      textAttribute('Review comment', ({ terms }) => terms.review?.comment),
      textAttribute('Notes to the buyer', ({ terms }) => terms.notes),
      textAttribute('Full document read', (offer) => (offer.shape === 'full' ? 'yes' : 'no, summary only')),
      ...offers(keys('version observed id')),
    ),
  ]
}

/** A cell of `Offers` in `Comparison`: formulas become references to it. */
function attributeCell(cell: Cell, address: string): Cell {
  if (cell.formula !== undefined) return referenceTo(cell, `IFERROR(${address},"${NO_FIGURE}")`, NO_FIGURE)
  const content = cellContent(cell)
  if (content !== null && typeof content !== 'string') return cell
  return text(truncateToLines(content ?? NO_FIGURE, MIN_OFFER_WIDTH, CELL_LINES), style.wrapped)
}

const textAttribute = (label: string, value: (offer: OfferReport) => string | null | undefined): Attribute => ({
  label,
  cell: (offer) => text(truncateToLines(value(offer) || NO_FIGURE, MIN_OFFER_WIDTH, CELL_LINES), style.wrapped),
})

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
  if (requirement === undefined) return text(NO_FIGURE, style.body)
  const { met } = requirement
  const verdict = met === null ? 'not determinable' : met ? 'met' : 'not met'
  return text(`${verdict}${foundText(requirement)}`, met === false ? style.bad : style.wrapped)
}

function flagAttributes(): Attribute[] {
  const details = (['high', 'medium', 'low'] as const).map((severity) =>
    textAttribute(`${severityLabels[severity]} flags: details`, ({ flags }) => {
      const words = flags.filter((flag) => flag.severity === severity).map((flag) => `• ${flag.words}`)
      return words.join('\n')
    }),
  )
  return [...details, textAttribute('Unknown figures and reasons', unknownFigures)]
}

const unknownFigures = ({ metrics }: OfferReport) =>
  Object.entries(METRIC_LABELS)
    .flatMap(([name, words]) => {
      const reason = metrics.reasons[name as MetricName]
      return reason === undefined ? [] : [`• ${words}: ${reason}`]
    })
    .join('\n')

import { type BreakEven, NO_BREAK_EVEN } from '../../src/domain/comparison/awards/sensitivity-model.js'
import { CRITERIA } from '../../src/domain/comparison/settings.js'
import { columnLetter } from '../layout/grid.js'
import { heightOf, keepTogether } from '../layout/keep-together.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, noteRow, RowList, right } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import { MIN_SCALE, PAGE_UNITS } from '../xlsx/page-setup.js'
import { OUTDATED } from './award-tonnes.js'
import { type RfqLayout, rfqHeading } from './layout.js'
import { type FiguresOfCase, leadSection } from './score-lead.js'
import {
  BASE_ROW,
  baseRows,
  discountCases,
  FIRST_COLUMN,
  type Frame,
  figureColumn,
  figuresAt,
  gap,
  HEADER_ROW,
  isOther,
  type MakeRow,
  POINTS_ROW,
  PRICE_ROW,
  priceCases,
  rankColumn,
  rankColumns,
  volumeCases,
  weightCases,
} from './sensitivity-cases.js'

const NOTE =
  'How the ranking changes with weights, discount rate and wanted volume. Ranks are among the offers shown and are recalculated from Inputs; the figures they are based on are in the collapsed columns to the right. The chart at the end shows what moves the lead.'
const LEADING = [40, 14, 56, 12]
const OFFER_UNITS = 16
/** `Sensitivity`: ranks under other weights, discount rates and volumes, break-even prices, and what moves the lead. */
export function sensitivitySheet(layout: RfqLayout): SheetPlan {
  const { sensitivity, decision } = layout.report
  const offers = layout.report.offers.slice(0, sensitivity.contenders.length)
  const columns = LEADING.length + rankColumns(offers)
  const widths = [...LEADING, ...Array(rankColumns(offers) + offers.length).fill(OFFER_UNITS)]
  const frame = { layout, sensitivity, offers }
  const cases: CaseRows = new Map()
  const list = sensitivityRows(frame, cases)
  const figuresOf: FiguresOfCase = (factor, which) => figuresAt(frame, cases.get(factor)?.[which] ?? BASE_ROW)
  const place = { row: list.next + 1, contenders: offers.length, figuresOf }
  const lead = decision.scoreLead === null ? null : leadSection(layout, decision.scoreLead, place)
  if (lead !== null) list.add(...emptyRows(1), ...lead.rows)
  return rowSheet({
    name: 'Sensitivity',
    widths,
    rows: () => inBlocks(list.rows, widths.slice(0, columns)),
    frozen: { rows: HEADER_ROW, columns: LEADING.length },
    marks:
      offers.length === 0
        ? []
        : rankMarks(frame, cases.get('wantedVolume')?.last ?? BASE_ROW, place.row, list.rows.length),
    workingColumns: offers.map((_, at) => columns + at),
    print: { titleRows: [HEADER_ROW, HEADER_ROW], titleColumns: 'A:D', wideFrom: HEADER_ROW },
    ...(lead && { charts: [lead.chart] }),
  })
}

/** The rows, with page breaks before sections that would be split. */
function inBlocks(rows: readonly RowPlan[], widths: readonly number[]): Iterable<RowPlan> {
  const starts = [0, ...[...rows.keys()].filter((at) => rows[at + 1]?.role === 'section'), rows.length]
  const blocks = starts.slice(1).map((end, at) => rows.slice(starts[at], end))
  const leading = LEADING.reduce((sum, width) => sum + width, 0)
  const others = (widths.length - LEADING.length) * OFFER_UNITS
  // Pages side by side repeat the first columns.
  const pages = Math.max(1, Math.ceil(others / (PAGE_UNITS / MIN_SCALE - leading)))
  const repeated = heightOf(rows.slice(HEADER_ROW - 1, HEADER_ROW), widths)
  return keepTogether(blocks, widths, repeated, leading + others / pages)
}

/** First and last row of the cases of an input, by the name of the factor of the score lead. */
type CaseRows = Map<string, { first: number; last: number }>

function rankMarks(frame: Frame, lastCase: number, leadRow: number, lastRow: number): Mark[] {
  const last = columnLetter(FIRST_COLUMN + frame.offers.length - 1)
  return [
    mark(`${columnLetter(FIRST_COLUMN)}${BASE_ROW}:${last}${lastCase}`, is(here, '=', 1), 'good'),
    mark(`D${BASE_ROW}:D${lastCase}`, is(here, '=', 'yes'), 'warn'),
    ...(leadRow < lastRow ? [mark(`D${leadRow}:D${lastRow}`, is(here, '=', 'yes'), 'warn')] : []),
  ]
}

/** @param cases receives the rows of each input */
function sensitivityRows(frame: Frame, cases: CaseRows): RowList {
  const { layout, sensitivity, offers } = frame
  const list = new RowList().add(...headingRows(rfqHeading(layout, 'Sensitivity', NOTE)))
  list.add(noteRow(sensitivity.words, style.body))
  if (offers.length === 0) return list.add(noteRow('No offer is ranked.', style.body))
  list.add(offersHeaderRow(frame), ...baseRows(frame))
  const addCases = (factor: string, rows: readonly MakeRow[]) => {
    const first = list.next
    cases.set(factor, { first, last: list.add(...rows).next - 1 })
  }
  list.addSection('Weight changed by points (not below 0)')
  for (const criterion of CRITERIA) addCases(`weights.${criterion}`, weightCases(frame, criterion))
  list.addSection('Discount rate: rank by score')
  addCases('discountRate', discountCases(frame))
  list.addSection('Discount rate: rank by risk-adjusted price').add(...priceCases(frame))
  list.addSection('Wanted volume')
  addCases('wantedVolume', volumeCases(frame))
  list.addSection('Cheapest combination of all ranked offers for each wanted volume, for the original inputs')
  list.add(...combinationRows(frame))
  list.addSection('Break-even: risk-adjusted price at which an offer would rank first, all else unchanged')
  return list.add(breakEvenHeader(frame), ...breakEvenBlocks(frame))
}

function offersHeaderRow({ offers }: Frame): RowPlan {
  const names = offers.map(({ sequence, label }) => right(`${sequence} · ${label}`))
  const figures = offers.map(({ sequence }) => right(`Offer ${sequence}: figure`))
  return headRow('Case', right('Value'), 'Ranked first', 'Winner changed', ...names, ...gap(offers), ...figures)
}

// --- combinations and break-even prices ------------------------------------------------------------------------------

function* combinationRows({ layout, sensitivity }: Frame): Generator<RowPlan> {
  const { numbers: styles, currency } = layout
  const total = right(withCurrency('Total', currency))
  const price = right(withCurrency('Blended price', currency, '/t'))
  yield headRow(right('Wanted volume (t)'), total, 'Volume reached', 'Proven', right('Tonnes'), price)
  for (const { wanted, combination } of sensitivity.wantedVolumes) {
    yield bodyRow(
      number(wanted, styles.volume),
      number(combination.total, styles.money(currency)),
      text(yesNo(combination.reached), style.centred),
      formula(
        `IF(RatesChanged>0,"${OUTDATED}","${yesNo(combination.exact)}")`,
        yesNo(combination.exact),
        style.centred,
      ),
      number(combination.tonnes, styles.volume),
      number(combination.blendedPrice, styles.price(currency)),
    )
  }
}

function breakEvenHeader({ layout }: Frame): RowPlan {
  return headRow(
    'Offer',
    right(withCurrency('Current price', layout.currency, '/t')),
    'Why no break-even',
    ...[
      'Rank',
      withCurrency('Ranks first at or below', layout.currency, '/t'),
      withCurrency('Nominal price', layout.currency, '/t'),
      'Price change',
      'Lowest other price',
      'Lead of other offers',
    ].map(right),
  )
}

const breakEvenBlocks = (frame: Frame) =>
  frame.sensitivity.breakEven.map((each, at) => (row: number) => breakEvenRow(frame, each, at, row))

/** Formulas: src/domain/comparison/awards/sensitivity-model.ts, `BreakEven`. */
function breakEvenRow(frame: Frame, each: BreakEven, at: number, row: number): RowPlan {
  const { layout, offers } = frame
  const price = layout.numbers.price(layout.currency)
  const others = `${isOther(frame, at)}*ISNUMBER(${figuresAt(frame, PRICE_ROW)})`
  const prices = figuresAt(frame, PRICE_ROW)
  const pointsOf = figuresAt(frame, POINTS_ROW)
  const own = `${figureColumn(frame, at)}$${POINTS_ROW}`
  const maxPricePoints = '(100*Weight_price)'
  const low = `MIN($H${row},MIN(IF(${others},(${own}+${maxPricePoints}-${pointsOf})*${prices}/${maxPricePoints})))`
  const high = `${maxPricePoints}*$H${row}/$I${row}`
  const solved = `IF(OR(NOT(ISNUMBER($H${row})),Weight_price=0),NA(),IF($I${row}<=0,NA(),IF(${high}>=$H${row},${high},IF(${low}>0,${low},NA()))))`
  const offer = offers[at]
  return bodyRow(
    text(offer === undefined ? each.label : `${offer.sequence} · ${offer.label}`, style.wrapped),
    formula(`${figureColumn(frame, at)}$${PRICE_ROW}`, each.price, price),
    formula(reasonExpression(row), each.reason ?? '', style.wrapped),
    formula(`${rankColumn(at)}$${BASE_ROW}`, each.rank, style.plainNumber),
    arrayFormula(solved, each.breakEvenPrice, style.asBold(price)),
    formula(
      `IFERROR(${layout.offers.cell('comparedPricePerTonne', at)}*E${row}/B${row},NA())`,
      each.breakEvenPricePerTonne,
      price,
    ),
    formula(`IFERROR(E${row}/B${row}-1,NA())`, each.change, style.signedPercent),
    arrayFormula(`IF(SUM(--(${others}))=0,"",MIN(IF(${others},${prices})))`, each.lowestOther ?? '', price),
    arrayFormula(
      `IF(ISNUMBER($H${row}),MAX(IF(${others},${pointsOf}+${maxPricePoints}*$H${row}/${prices}))-${own},"")`,
      each.lead ?? '',
      style.oneDecimal,
    ),
  )
}

function reasonExpression(row: number): string {
  const { onlyOffer, priceHasNoWeight, firstAtAnyPrice, neverFirst } = NO_BREAK_EVEN
  return (
    `IF(ISNUMBER($E${row}),"",IF(NOT(ISNUMBER($H${row})),${stringLiteral(onlyOffer)},` +
    `IF(Weight_price=0,${stringLiteral(priceHasNoWeight)},IF($I${row}<=0,${stringLiteral(firstAtAnyPrice)},${stringLiteral(neverFirst)}))))`
  )
}

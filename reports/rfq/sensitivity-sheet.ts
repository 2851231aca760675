import { type BreakEven, NO_BREAK_EVEN, type Sensitivity } from '../../src/compare/awards/sensitivity-model.js'
import { CRITERIA } from '../../src/core/settings.js'
import { type Column, columnsOf } from '../layout/columns.js'
import { columnLetter } from '../layout/grid.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { emptyRows, headingRows, headRow, heightOf, keepTogether, noteRow, RowList, right } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet, tableRows } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { stringLiteral, text } from '../xlsx/cells.js'
import { MIN_SCALE, PAGE_UNITS } from '../xlsx/page-setup.js'
import { OUTDATED } from './award-tonnes.js'
import type { RfqLayout } from './layout.js'
import { type FiguresOfCase, leadSection } from './score-lead.js'
import * as grid from './sensitivity-cases.js'

const NOTE =
  'How the ranking changes with weights, discount rate and wanted volume. Ranks are among the offers shown and are recalculated from Inputs; the figures they are based on are in the collapsed columns to the right. The chart at the end shows what moves the lead.'
const LEADING = [40, 14, 56, 12]
const OFFER_UNITS = 16
/** `Sensitivity`: ranks under other weights, discount rates and volumes, break-even prices, and what moves the lead. */
export function sensitivitySheet(layout: RfqLayout): SheetPlan {
  const { decision } = layout.report
  const frame = grid.sensitivityFrame(layout)
  const { offers } = frame
  const columns = LEADING.length + frame.rankColumns
  const widths = [...LEADING, ...Array(frame.rankColumns + offers.length).fill(OFFER_UNITS)]
  const cases: CaseRows = new Map()
  const list = sensitivityRows(frame, cases)
  const figuresOf: FiguresOfCase = (factor, which) => frame.figures(cases.get(factor)?.[which] ?? grid.BASE_ROW)
  const place = { row: list.next + 1, contenders: offers.length, figuresOf }
  const lead = decision.scoreLead === null ? null : leadSection(layout, decision.scoreLead, place)
  if (lead !== null) list.add(...emptyRows(1), ...lead.rows)
  return rowSheet({
    name: 'Sensitivity',
    widths,
    rows: () => inBlocks(list.rows, widths.slice(0, columns)),
    frozen: { rows: grid.HEADER_ROW, columns: LEADING.length },
    marks: rankMarks(frame, cases.get('wantedVolume')?.last ?? grid.BASE_ROW, place.row, list.rows.length),
    workingColumns: offers.map((_, at) => columns + at),
    print: { titleRows: [grid.HEADER_ROW, grid.HEADER_ROW], titleColumns: 'A:D', wideFrom: grid.HEADER_ROW },
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
  const repeated = heightOf(rows.slice(grid.HEADER_ROW - 1, grid.HEADER_ROW), widths)
  return keepTogether(blocks, widths, repeated, leading + others / pages)
}

/** First and last row of the cases of an input, by the name of the factor of the score lead. */
type CaseRows = Map<string, { first: number; last: number }>

function rankMarks(frame: grid.Frame, lastCase: number, leadRow: number, lastRow: number): Mark[] {
  if (frame.offers.length === 0) return []
  const last = columnLetter(grid.FIRST_COLUMN + frame.offers.length - 1)
  return [
    mark(`${columnLetter(grid.FIRST_COLUMN)}${grid.BASE_ROW}:${last}${lastCase}`, is(here, '=', 1), 'good'),
    mark(`D${grid.BASE_ROW}:D${lastCase}`, is(here, '=', 'yes'), 'warn'),
    ...(leadRow < lastRow ? [mark(`D${leadRow}:D${lastRow}`, is(here, '=', 'yes'), 'warn')] : []),
  ]
}

/** @param cases receives the rows of each input */
function sensitivityRows(frame: grid.Frame, cases: CaseRows): RowList {
  const { layout, sensitivity, offers } = frame
  const list = new RowList().add(...headingRows(layout, 'Sensitivity', NOTE))
  list.add(noteRow(sensitivity.words, style.body))
  if (offers.length === 0) return list.add(noteRow('No offer is ranked.', style.body))
  list.add(offersHeaderRow(frame), ...grid.baseRows(frame))
  const addCases = (factor: string, rows: readonly grid.MakeRow[]) => {
    const first = list.next
    cases.set(factor, { first, last: list.add(...rows).next - 1 })
  }
  list.addSection('Weight changed by points (not below 0)')
  for (const criterion of CRITERIA) addCases(`weights.${criterion}`, grid.weightCases(frame, criterion))
  list.addSection('Discount rate: rank by score')
  addCases('discountRate', grid.discountCases(frame))
  list.addSection('Discount rate: rank by risk-adjusted price').add(...grid.priceCases(frame))
  list.addSection('Wanted volume')
  addCases('wantedVolume', grid.volumeCases(frame))
  list.addSection('Cheapest combination of all ranked offers for each wanted volume, for the original inputs')
  list.add(...tableRows(combinationColumns(frame), sensitivity.wantedVolumes))
  list.addSection('Break-even: risk-adjusted price at which an offer would rank first, all else unchanged')
  return list.add(...tableRows(breakEvenColumns(frame, list.next + 1), sensitivity.breakEven))
}

function offersHeaderRow(frame: grid.Frame): RowPlan {
  const { offers } = frame
  const names = offers.map(({ sequence, label }) => right(`${sequence} · ${label}`))
  const figures = offers.map(({ sequence }) => right(`Offer ${sequence}: figure`))
  return headRow('Case', right('Value'), 'Ranked first', 'Winner changed', ...names, ...frame.gap, ...figures)
}

// --- combinations and break-even prices ------------------------------------------------------------------------------

type VolumeCase = Sensitivity['wantedVolumes'][number]

function combinationColumns({ layout: { numbers, money, price, inCurrency, perTonne } }: grid.Frame) {
  const { number, cells, formula } = columnsOf<VolumeCase>()
  const proven = (words: string) => `IF(RatesChanged>0,"${OUTDATED}","${words}")`
  return [
    number('Wanted volume (t)', ({ wanted }) => wanted, numbers.volume),
    number(inCurrency('Total'), ({ combination }) => combination.total, money),
    cells('Volume reached', ({ combination }) => text(yesNo(combination.reached), style.centred)),
    formula('Proven', style.centred, ({ combination: { exact } }) => [proven(yesNo(exact)), yesNo(exact)]),
    number('Tonnes', ({ combination }) => combination.tonnes, numbers.volume),
    number(perTonne('Blended price'), ({ combination }) => combination.blendedPrice, price),
  ]
}

/** Formulas: src/compare/awards/sensitivity-model.ts, `BreakEven`. @param first row of the table's body */
function breakEvenColumns(frame: grid.Frame, first: number): Column<BreakEven>[] {
  const { layout, offers } = frame
  const { price, perTonne } = layout
  const { text, formula, arrayFormula } = columnsOf<BreakEven>()
  const [prices, points] = [frame.figures(grid.PRICE_ROW), frame.figures(grid.POINTS_ROW)]
  const ownPoints = (at: number) => `${frame.figureColumn(at)}$${grid.POINTS_ROW}`
  const others = (at: number) => `${frame.isOther(at)}*ISNUMBER(${prices})`
  const max = '(100*Weight_price)'
  /** @param at the index of the offer, @param row its row */
  const solved = (at: number, row: number) => {
    const low = `MIN($H${row},MIN(IF(${others(at)},(${ownPoints(at)}+${max}-${points})*${prices}/${max})))`
    const high = `${max}*$H${row}/$I${row}`
    const found = `IF(${high}>=$H${row},${high},IF(${low}>0,${low},NA()))`
    return `IF(OR(NOT(ISNUMBER($H${row})),Weight_price=0),NA(),IF($I${row}<=0,NA(),${found}))`
  }
  const ofTonne = (row: number, at: number) =>
    `IFERROR(${layout.offers.cell('comparedPricePerTonne', at)}*E${row}/B${row},NA())`
  const lead = (at: number, row: number) =>
    `IF(ISNUMBER($H${row}),MAX(IF(${others(at)},${points}+${max}*$H${row}/${prices}))-${ownPoints(at)},"")`
  return [
    text('Offer', ({ offerId, label }) => {
      const offer = offers.find(({ id }) => id === offerId)
      return offer === undefined ? label : `${offer.sequence} · ${offer.label}`
    }),
    formula(perTonne('Current price'), price, (each, _, at) => [
      `${frame.figureColumn(at)}$${grid.PRICE_ROW}`,
      each.price,
    ]),
    formula('Why no break-even', style.wrapped, ({ reason }, _, at) => [reasonExpression(first + at), reason ?? '']),
    formula('Rank', style.plainNumber, ({ rank }, _, at) => [`${frame.rankColumn(at)}$${grid.BASE_ROW}`, rank]),
    arrayFormula(perTonne('Ranks first at or below'), style.asBold(price), (each, _, at) => [
      solved(at, first + at),
      each.breakEvenPrice,
    ]),
    formula(perTonne('Nominal price'), price, (each, _, at) => [ofTonne(first + at, at), each.breakEvenPricePerTonne]),
    formula('Price change', style.signedPercent, ({ change }, _, at) => [
      `IFERROR(E${first + at}/B${first + at}-1,NA())`,
      change,
    ]),
    arrayFormula('Lowest other price', price, ({ lowestOther }, _, at) => [
      `IF(SUM(--(${others(at)}))=0,"",MIN(IF(${others(at)},${prices})))`,
      lowestOther ?? '',
    ]),
    arrayFormula('Lead of other offers', style.oneDecimal, (each, _, at) => [lead(at, first + at), each.lead ?? '']),
  ]
}

function reasonExpression(row: number): string {
  const { onlyOffer, priceHasNoWeight, firstAtAnyPrice, neverFirst } = NO_BREAK_EVEN
  return (
    `IF(ISNUMBER($E${row}),"",IF(NOT(ISNUMBER($H${row})),${stringLiteral(onlyOffer)},` +
    `IF(Weight_price=0,${stringLiteral(priceHasNoWeight)},IF($I${row}<=0,${stringLiteral(firstAtAnyPrice)},${stringLiteral(neverFirst)}))))`
  )
}

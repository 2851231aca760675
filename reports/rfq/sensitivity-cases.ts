import { withoutPrice } from '../../src/compare/awards/sensitivity-analysis.js'
import type { CaseRanking } from '../../src/compare/awards/sensitivity-model.js'
import { CRITERION_NAMES } from '../../src/compare/offer/criterion-text.js'
import { TARGET_TEXT } from '../../src/compare/setting-text.js'
import { formatPercent } from '../../src/core/number-format.js'
import type { Criterion } from '../../src/core/settings.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { columnLetter } from '../layout/grid.js'
import { bodyRow, emptyCells, workingRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type CachedResult, type Cell, formula, number, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'
import { scoresRange, weightsRange } from './scoring-sheet.js'

/** Column of the first rank, counted from 1. */
export const FIRST_COLUMN = 5
/** Heading, empty row, header; then the rows of the current ranking. */
export const HEADER_ROW = 5
const NUMBER_ROW = HEADER_ROW + 1
export const PRICE_ROW = HEADER_ROW + 2
export const POINTS_ROW = HEADER_ROW + 3
export const BASE_ROW = HEADER_ROW + 4
/** Columns of the break-even prices, below the ranks. */
const BREAK_EVEN_COLUMNS = 5

/** The offers shown, which are the first rows of `Offers` and `Scoring`, and where their figures are. */
export type Frame = ReturnType<typeof sensitivityFrame>
export function sensitivityFrame(layout: RfqLayout) {
  const { sensitivity } = layout.report
  const offers = layout.report.offers.slice(0, sensitivity.contenders.length)
  // Columns left of the figures, which are collapsed: those of the ranks, at least those of the break-even prices.
  const rankColumns = Math.max(BREAK_EVEN_COLUMNS, offers.length)
  const rankColumn = (at: number) => columnLetter(FIRST_COLUMN + at)
  const figureColumn = (at: number) => rankColumn(rankColumns + at)
  const across = (column: (at: number) => string, row: number) =>
    `$${column(0)}$${row}:$${column(offers.length - 1)}$${row}`
  return {
    layout,
    sensitivity,
    offers,
    rankColumns,
    gap: emptyCells(rankColumns - offers.length),
    rankColumn,
    figureColumn,
    /** Offer names and numbers are in the rank columns, prices and points in the figure columns. */
    ranks: (row: number) => across(rankColumn, row),
    figures: (row: number) => across(figureColumn, row),
    /** Whether an offer is another one than that in a column. */
    isOther: (at: number) => `(${across(rankColumn, NUMBER_ROW)}<>${rankColumn(at)}$${NUMBER_ROW})`,
  }
}

/** The current ranking, and the figures that other rows refer to. */
export function* baseRows(frame: Frame): Generator<RowPlan> {
  const { layout, offers } = frame
  const { scoring, numbers: styles, perTonne, currency, report } = layout
  const empty = blank(style.body)
  const lead = (name: string) => [text(name, style.boldBody), empty, empty, empty]
  const figures = (name: string, cells: readonly Cell[]) =>
    workingRow(...lead(name), ...offers.map(() => empty), ...frame.gap, ...cells)
  yield bodyRow(...lead('Offer number'), ...offers.map((offer) => number(offer.sequence, style.plainNumber)))
  yield figures(
    perTonne('Current risk-adjusted price'),
    offers.map((offer, at) => formula(scoring.cell('price', at), offer.compared.price, styles.price(currency))),
  )
  yield figures(
    'Weighted points without price',
    offers.map(({ scores }, at) => {
      const own = `${allPoints(frame, at)}-Weight_price*N(${scoring.cell('score-price', at)})`
      const cached = scores === null ? 0 : withoutPrice({ scores }, report.settings.weights)
      return ifRanked(frame, at, own, cached, style.oneDecimal)
    }),
  )
  yield caseRow(frame, BASE_ROW, {
    name: 'Current ranking',
    value: empty,
    ranking: { ranks: offers.map(({ rank }) => rank), winner: offers[0]?.id ?? null, changed: false },
    figures: offers.map(({ scores }) => scores?.total ?? null),
    figure: (at) => scoring.cell('total', at),
  })
}

/** A formula for ranked offers; empty for those no longer ranked. */
const ifRanked = ({ layout }: Frame, at: number, expression: string, cached: CachedResult, cellStyle: style.Style) =>
  formula(`IF(${layout.scoring.cell('eligible', at)}="yes",${expression},"")`, cached, cellStyle)

interface Case {
  name: string
  value: Cell
  ranking: Pick<CaseRanking, 'ranks' | 'winner' | 'changed'>
  figures: readonly (number | null)[]
  /** Style of the figures; one decimal unless stated. */
  style?: style.Style
  /** Formula of the figure that ranks are based on. */
  figure: (at: number) => string
  /** Rank 1 is the lowest figure. */
  ascending?: boolean
}

function caseRow(frame: Frame, row: number, each: Case): RowPlan {
  const { offers } = frame
  const winner = offers.find(({ id }) => id === each.ranking.winner)
  const prices = frame.figures(PRICE_ROW)
  // Ranks by price are compared with the current ones by price, not by score.
  const current = each.ascending
    ? `INDEX(${frame.ranks(HEADER_ROW)},MATCH(MIN(${prices}),${prices},0))`
    : `$C$${BASE_ROW}`
  const first = `IFERROR(INDEX(${frame.ranks(HEADER_ROW)},MATCH(1,${frame.ranks(row)},0)),"${NO_FIGURE}")`
  const cells = [
    text(each.name, style.boldBody),
    each.value,
    formula(first, winner === undefined ? NO_FIGURE : `${winner.sequence} · ${winner.label}`, style.body),
    formula(`IFERROR(IF($C${row}=${current},"no","yes"),"no")`, yesNo(each.ranking.changed), style.centred),
    ...offers.map((_, at) => rankCell(frame, row, at, each)),
    ...frame.gap,
    ...offers.map((_, at) =>
      ifRanked(frame, at, each.figure(at), each.figures[at] ?? '', each.style ?? style.oneDecimal),
    ),
  ]
  return bodyRow(...cells)
}

function rankCell(frame: Frame, row: number, at: number, { ranking, ascending }: Case): Cell {
  const own = `${frame.figureColumn(at)}${row}`
  const all = frame.figures(row)
  const ties = `COUNTIFS(${all},${own},${frame.ranks(NUMBER_ROW)},"<"&${frame.rankColumn(at)}$${NUMBER_ROW})`
  const rank = `IF(ISNUMBER(${own}),RANK(${own},${all},${ascending ? 1 : 0})+${ties},"")`
  return formula(rank, ranking.ranks[at] ?? '', style.asBold(style.plainNumber))
}

const allPoints = ({ layout }: Frame, at: number) => `SUMPRODUCT(${weightsRange(layout)},${scoresRange(layout, at)})`

/** The total score of an offer if the points of a criterion change, and the sum of the weights. */
function changedTotal(frame: Frame, at: number, points: string, weight = ''): string {
  return `IFERROR(ROUND((${allPoints(frame, at)}+${points})/(SUM(${weightsRange(frame.layout)})${weight}),6),"")`
}
const scoreAt = ({ layout }: Frame, criterion: Criterion, at: number) =>
  `N(${layout.scoring.cell(`score-${criterion}`, at)})`

/** A case for the row with this number. */
export type MakeRow = (row: number) => RowPlan

export const weightCases = (frame: Frame, criterion: Criterion): MakeRow[] =>
  frame.sensitivity.weightShifts
    .filter((shifted) => shifted.criterion === criterion)
    .map((shifted) => (row) => {
      const { shift, weights, totals } = shifted
      const by = `($B$${row}-Weight_${criterion})`
      return caseRow(frame, row, {
        name: `${CRITERION_NAMES[criterion]} ${shift > 0 ? '+' : '−'}${Math.abs(shift)}`,
        value: formula(`MAX(0,Weight_${criterion}+${shift})`, weights[criterion], style.oneDecimal),
        ranking: shifted,
        figures: totals,
        figure: (at) => changedTotal(frame, at, `${by}*${scoreAt(frame, criterion, at)}`, `+${by}`),
      })
    })

/** Ranks by score; the prices are those of the rows below, at the same distance. */
export const discountCases = (frame: Frame): MakeRow[] =>
  frame.sensitivity.discountRates.map((discounted, _, { length }) => (row) => {
    const prices = row + length + 2
    const score = (at: number) =>
      `100*MIN(${frame.figures(prices)})/${frame.figureColumn(at)}$${prices}-${scoreAt(frame, 'price', at)}`
    return caseRow(frame, row, {
      name: `Discount rate ${formatPercent(discounted.rate)}`,
      value: number(discounted.rate, style.percent),
      ranking: discounted,
      figures: discounted.totals,
      figure: (at) => changedTotal(frame, at, `Weight_price*(${score(at)})`),
    })
  })

/** Ranks by risk-adjusted price. */
export function priceCases(frame: Frame): MakeRow[] {
  const { layout, offers, sensitivity } = frame
  const lowest = Math.min(...offers.map(({ compared }) => compared.price ?? Number.POSITIVE_INFINITY))
  const cheapest = offers.find(({ compared }) => compared.price === lowest)?.id ?? null
  return sensitivity.discountRates.map(({ rate, prices, priceRanks }) => (row) => {
    const winner = offers[priceRanks.indexOf(1)]?.id ?? null
    return caseRow(frame, row, {
      name: `Discount rate ${formatPercent(rate)}`,
      value: number(rate, style.percent),
      ranking: { ranks: priceRanks, winner, changed: winner !== cheapest },
      figures: prices,
      style: layout.numbers.price(layout.currency),
      figure: (at) => priceExpression(frame, at, `$B$${row}`),
      ascending: true,
    })
  })
}

/** The risk-adjusted price at another rate: present values recomputed from the lines. */
function priceExpression({ layout }: Frame, at: number, rate: string): string {
  const { offers, deliveries, prepayments } = layout
  const cell = (key: Parameters<typeof offers.cell>[0]) => offers.cell(key, at)
  const discounting = (days: string) => `(1+${rate})^((${days}>0)*${days}/365)`
  const ofThisOffer = (range: string) => `(${range}=${cell('offer')})`
  const amount = prepayments.range('amount')
  const advance = `SUMPRODUCT(${ofThisOffer(prepayments.range('offer'))}*(${amount}>0)*${amount}/${discounting(prepayments.range('days'))})`
  const lines = `SUMPRODUCT(${ofThisOffer(deliveries.range('offer'))}*${deliveries.range('total')}/${discounting(deliveries.range('days'))})`
  const balance = `IF(${cell('basis')}="lines",${lines},${cell('total')})`
  const share = `MIN(1,IF(ISNUMBER(${cell('prepaidShare')}),${cell('prepaidShare')},0))`
  return `ROUND((${advance}+(1-${share})*${balance})/${cell('volume')}/(1-${cell('haircut')})*${cell('rate')},6)`
}

export const volumeCases = (frame: Frame): MakeRow[] =>
  frame.sensitivity.wantedVolumes.map((volume) => (row) => {
    const { offers, numbers: styles } = frame.layout
    const score = (at: number) => `100*MIN(1,${offers.cell('volume', at)}/$B$${row})-${scoreAt(frame, 'coverage', at)}`
    return caseRow(frame, row, {
      name: `${TARGET_TEXT[volume.basis].label} (t)`,
      value: number(volume.wanted, styles.volume),
      ranking: volume,
      figures: volume.totals,
      figure: (at) => changedTotal(frame, at, `Weight_coverage*(${score(at)})`),
    })
  })

import {
  type BreakEven,
  type CaseRanking,
  NO_BREAK_EVEN,
  type Sensitivity,
} from '../../src/domain/comparison/awards/sensitivity-model.js'
import { formatPercent as percentText } from '../../src/domain/comparison/number-format.js'
import { CRITERION_NAMES } from '../../src/domain/comparison/offer/criterion-text.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { TARGET_TEXT } from '../../src/domain/comparison/setting-text.js'
import { CRITERIA } from '../../src/domain/comparison/settings.js'
import { columnLetter } from '../layout/grid.js'
import { heightOf, keepTogether } from '../layout/keep-together.js'
import { here, is, type Mark, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, noteRow, RowList, right, workingRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import {
  arrayFormula,
  blank,
  type CachedResult,
  type Cell,
  formula,
  number,
  stringLiteral,
  text,
} from '../xlsx/cells.js'
import { OUTDATED } from './award-labels.js'
import { type RfqLayout, rfqHeading } from './layout.js'
import { type FiguresOfCase, leadSection } from './score-lead.js'
import { scoresRange, weightsRange } from './scoring-sheet.js'

const NOTE =
  'How the ranking changes with weights, discount rate and wanted volume. Ranks are among the offers shown and are recalculated from Inputs; the figures they are based on are in the collapsed columns to the right. The chart at the end shows what moves the lead.'
const FIRST_COLUMN = 5
const LEADING = [40, 14, 56, 12]
const OFFER_UNITS = 16
const NONE = '–'
/** Heading, empty row, header; then the rows of the current ranking. */
const HEADER_ROW = 5
const NUMBER_ROW = HEADER_ROW + 1
const PRICE_ROW = HEADER_ROW + 2
const POINTS_ROW = HEADER_ROW + 3
const BASE_ROW = HEADER_ROW + 4

/** Columns of the break-even prices, below the ranks. */
const BREAK_EVEN_COLUMNS = 5
/** Columns left of the figures, which are collapsed: those of the ranks, at least those of the break-even prices. */
const rankColumns = (offers: readonly OfferReport[]) => Math.max(BREAK_EVEN_COLUMNS, offers.length)
const gap = (offers: readonly OfferReport[]) => Array<undefined>(rankColumns(offers) - offers.length).fill(undefined)

/** The offers shown are the first rows of `Offers` and `Scoring`. */
interface Frame {
  layout: RfqLayout
  sensitivity: Sensitivity
  offers: readonly OfferReport[]
}

/** `Sensitivity`: ranks under other weights, discount rates and volumes, break-even prices, and what moves the lead. */
export function sensitivitySheet(layout: RfqLayout): SheetPlan {
  const { sensitivity, decision } = layout.report
  const offers = layout.report.offers.slice(0, sensitivity.contenders.length)
  const columns = LEADING.length + rankColumns(offers)
  const widths = [...LEADING, ...Array(rankColumns(offers) + offers.length).fill(OFFER_UNITS)]
  const frame = { layout, sensitivity, offers }
  const list = sensitivityRows(frame)
  const place = { row: list.next + 1, contenders: offers.length, figuresOf: figuresOfCase(frame) }
  const lead = decision.scoreLead === null ? null : leadSection(layout, decision.scoreLead, place)
  if (lead !== null) list.add(...emptyRows(1), ...lead.rows)
  return rowSheet({
    name: 'Sensitivity',
    widths,
    rows: () => inBlocks(list.rows, widths.slice(0, columns)),
    frozen: { rows: HEADER_ROW, columns: LEADING.length },
    marks: offers.length === 0 ? [] : rankMarks(frame, list.rows.length),
    workingColumns: offers.map((_, at) => columns + at),
    print: { titleRows: [HEADER_ROW, HEADER_ROW], titleColumns: 'A:D', wideFrom: HEADER_ROW },
    ...(lead && { charts: [lead.chart] }),
  })
}

/** The rows, with page breaks before sections that would be split. */
function inBlocks(rows: readonly RowPlan[], widths: readonly number[]): Iterable<RowPlan> {
  const starts = [0, ...[...rows.keys()].filter((at) => rows[at + 1]?.role === 'section'), rows.length]
  const blocks = starts.slice(1).map((end, at) => rows.slice(starts[at], end))
  return keepTogether(blocks, widths, heightOf(rows.slice(HEADER_ROW - 1, HEADER_ROW), widths))
}

/** First rows of the sensitivity cases, each below an empty row and a title, and the last one. */
function caseRows({ sensitivity: { weightShifts, discountRates, wantedVolumes } }: Frame) {
  const discountRate = BASE_ROW + weightShifts.length + 5
  const wantedVolume = discountRate + 2 * (discountRates.length + 2)
  return { discountRate, wantedVolume, last: wantedVolume + wantedVolumes.length - 1 }
}

/** src/domain/comparison/decision/score-lead.ts takes the first and last case of a kind. */
function figuresOfCase(frame: Frame): FiguresOfCase {
  const { discountRate, wantedVolume } = caseRows(frame)
  const { discountRates, wantedVolumes } = frame.sensitivity
  const rows = {
    discountRate: { first: discountRate, last: discountRate + discountRates.length - 1 },
    wantedVolume: { first: wantedVolume, last: wantedVolume + wantedVolumes.length - 1 },
  }
  return (kind, which) => figuresAt(frame, rows[kind][which])
}

function rankMarks(frame: Frame, lastRow: number): Mark[] {
  const last = columnLetter(FIRST_COLUMN + frame.offers.length - 1)
  return [
    mark(`${columnLetter(FIRST_COLUMN)}${BASE_ROW}:${last}${caseRows(frame).last}`, is(here, '=', 1), 'good'),
    mark(`D${BASE_ROW}:D${lastRow}`, is(here, '=', 'yes'), 'warn'),
  ]
}

function sensitivityRows(frame: Frame): RowList {
  const { layout, sensitivity, offers } = frame
  const list = new RowList().add(...headingRows(rfqHeading(layout, 'Sensitivity', NOTE)))
  list.add(noteRow(sensitivity.words, style.body))
  if (offers.length === 0) return list.add(noteRow('No offer is ranked.', style.body))
  list.add(offersHeaderRow(frame), ...baseRows(frame))
  list.addSection('Weight changed by points (not below 0)').add(...weightBlocks(frame))
  list.addSection('Discount rate: rank by score').add(...discountBlocks(frame))
  list.addSection('Discount rate: rank by risk-adjusted price').add(...priceBlocks(frame))
  list.addSection('Wanted volume').add(...volumeBlocks(frame))
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

// --- addresses -------------------------------------------------------------------------------------------------------

const rankColumn = (at: number) => columnLetter(FIRST_COLUMN + at)
const figureColumn = ({ offers }: Frame, at: number) => columnLetter(FIRST_COLUMN + rankColumns(offers) + at)
const ranksAt = ({ offers }: Frame, row: number) => `$${rankColumn(0)}$${row}:$${rankColumn(offers.length - 1)}$${row}`
const figuresAt = (frame: Frame, row: number) =>
  `$${figureColumn(frame, 0)}$${row}:$${figureColumn(frame, frame.offers.length - 1)}$${row}`
/** Offer numbers are in the rank columns, prices and points in the figure columns. */
const numbers = (frame: Frame) => ranksAt(frame, NUMBER_ROW)
const offerNames = (frame: Frame) => ranksAt(frame, HEADER_ROW)

// --- current ranking -------------------------------------------------------------------------------------------------

function* baseRows(frame: Frame): Generator<RowPlan> {
  const { layout, offers } = frame
  const { scoring } = layout
  const price = layout.numbers.price(layout.currency)
  const lead = (name: string) => [text(name, style.boldBody), blank(style.body), blank(style.body), blank(style.body)]
  const nothing = offers.map(() => blank(style.body))
  const weights = layout.report.settings.weights
  yield bodyRow(...lead('Offer number'), ...offers.map((offer) => number(offer.sequence, style.plainNumber)))
  yield workingRow(
    ...lead(withCurrency('Current risk-adjusted price', layout.currency, '/t')),
    ...nothing,
    ...gap(offers),
    ...offers.map((offer, at) => formula(scoring.cell('price', at), offer.compared.price, price)),
  )
  yield workingRow(
    ...lead('Weighted points without price'),
    ...nothing,
    ...gap(offers),
    ...offers.map((offer, at) => {
      const own = `SUMPRODUCT(${weightsRange(layout)},${scoresRange(layout, at)})-Weight_price*N(${scoring.cell('score-price', at)})`
      const cached = CRITERIA.reduce(
        (sum, each) => sum + (each === 'price' ? 0 : weights[each] * (offer.scores?.[each] ?? 0)),
        0,
      )
      return ifRanked(frame, at, own, cached, style.oneDecimal)
    }),
  )
  const totals = offers.map(({ scores }) => scores?.total ?? null)
  const ranking: CaseRanking = {
    totals,
    ranks: offers.map(({ rank }) => rank),
    winner: offers[0]?.id ?? null,
    changed: false,
  }
  yield caseRow(frame, BASE_ROW, {
    name: 'Current ranking',
    value: blank(style.body),
    ranking,
    figures: totals,
    style: style.oneDecimal,
    figure: (at) => scoring.cell('total', at),
  })
}

/** A formula for ranked offers; empty for those no longer ranked. */
function ifRanked({ layout }: Frame, at: number, expression: string, cached: CachedResult, style: style.Style): Cell {
  return formula(`IF(${layout.scoring.cell('eligible', at)}="yes",${expression},"")`, cached, style)
}

// --- cases -----------------------------------------------------------------------------------------------------------

interface Case {
  name: string
  value: Cell
  ranking: Pick<CaseRanking, 'ranks' | 'winner' | 'changed'>
  figures: readonly (number | null)[]
  style: style.Style
  /** Formula of the figure that ranks are based on. */
  figure: (at: number) => string
  /** Rank 1 is the lowest figure. */
  ascending?: boolean
}

function caseRow(frame: Frame, row: number, each: Case): RowPlan {
  const { offers } = frame
  const winner = offers.find(({ id }) => id === each.ranking.winner)
  const prices = figuresAt(frame, PRICE_ROW)
  // Ranks by price are compared with the current ones by price, not by score.
  const current = each.ascending ? `INDEX(${offerNames(frame)},MATCH(MIN(${prices}),${prices},0))` : `$C$${BASE_ROW}`
  const first = `IFERROR(INDEX(${offerNames(frame)},MATCH(1,${ranksAt(frame, row)},0)),"${NONE}")`
  const cells = [
    text(each.name, style.boldBody),
    each.value,
    formula(first, winner === undefined ? NONE : `${winner.sequence} · ${winner.label}`, style.wrapped),
    formula(`IFERROR(IF($C${row}=${current},"no","yes"),"no")`, yesNo(each.ranking.changed), style.centred),
    ...offers.map((_, at) => rankCell(frame, row, at, each)),
    ...gap(offers),
    ...offers.map((_, at) => ifRanked(frame, at, each.figure(at), each.figures[at] ?? '', each.style)),
  ]
  return bodyRow(...cells)
}

function rankCell(frame: Frame, row: number, at: number, { ranking, ascending }: Case): Cell {
  const own = `${figureColumn(frame, at)}${row}`
  const all = figuresAt(frame, row)
  const ties = `COUNTIFS(${all},${own},${numbers(frame)},"<"&${rankColumn(at)}$${NUMBER_ROW})`
  return formula(
    `IF(ISNUMBER(${own}),RANK(${own},${all},${ascending ? 1 : 0})+${ties},"")`,
    ranking.ranks[at] ?? '',
    style.asBold(style.plainNumber),
  )
}

/** A total score in which one criterion's score or weight differs. */
const roundedTotal = (points: string, weights: string) => `IFERROR(ROUND((${points})/(${weights}),6),"")`
const allPoints = ({ layout }: Frame, at: number) => `SUMPRODUCT(${weightsRange(layout)},${scoresRange(layout, at)})`
const allWeights = ({ layout }: Frame) => `SUM(${weightsRange(layout)})`

function weightBlocks(frame: Frame) {
  const { layout, sensitivity } = frame
  return sensitivity.weightShifts.map((shifted) => (row: number) => {
    const { criterion, shift, weights } = shifted
    const shiftedBy = `($B$${row}-Weight_${criterion})`
    return caseRow(frame, row, {
      name: `${CRITERION_NAMES[criterion]} ${shift > 0 ? '+' : '−'}${Math.abs(shift)}`,
      value: formula(`MAX(0,Weight_${criterion}+${shift})`, weights[criterion], style.oneDecimal),
      ranking: shifted,
      figures: shifted.totals,
      style: style.oneDecimal,
      figure: (at) =>
        roundedTotal(
          `${allPoints(frame, at)}+${shiftedBy}*N(${layout.scoring.cell(`score-${criterion}`, at)})`,
          `${allWeights(frame)}+${shiftedBy}`,
        ),
    })
  })
}

function discountBlocks(frame: Frame) {
  const { layout, sensitivity } = frame
  const distance = sensitivity.discountRates.length + 2
  return sensitivity.discountRates.map((discounted) => (row: number) => {
    const prices = row + distance
    return caseRow(frame, row, {
      name: `Discount rate ${percentText(discounted.rate)}`,
      value: number(discounted.rate, style.percent),
      ranking: discounted,
      figures: discounted.totals,
      style: style.oneDecimal,
      figure: (at) =>
        roundedTotal(
          `${allPoints(frame, at)}+Weight_price*(100*MIN(${figuresAt(frame, prices)})/${figureColumn(frame, at)}$${prices}-N(${layout.scoring.cell('score-price', at)}))`,
          allWeights(frame),
        ),
    })
  })
}

function priceBlocks(frame: Frame) {
  const { layout, offers, sensitivity } = frame
  return sensitivity.discountRates.map(({ rate, prices, priceRanks }) => (row: number) => {
    const winner = offers[priceRanks.indexOf(1)]?.id ?? null
    const lowest = Math.min(...offers.map(({ compared }) => compared.price ?? Number.POSITIVE_INFINITY))
    const base = offers.find(({ compared }) => compared.price === lowest)?.id ?? null
    return caseRow(frame, row, {
      name: `Discount rate ${percentText(rate)}`,
      value: number(rate, style.percent),
      ranking: { ranks: priceRanks, winner, changed: winner !== base },
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

function volumeBlocks(frame: Frame) {
  const { layout, sensitivity } = frame
  return sensitivity.wantedVolumes.map(
    (volume) => (row: number) =>
      caseRow(frame, row, {
        name: `${TARGET_TEXT[volume.basis].label} (t)`,
        value: number(volume.wanted, layout.numbers.volume),
        ranking: volume,
        figures: volume.totals,
        style: style.oneDecimal,
        figure: (at) =>
          roundedTotal(
            `${allPoints(frame, at)}+Weight_coverage*(100*MIN(1,${layout.offers.cell('volume', at)}/$B$${row})-N(${layout.scoring.cell('score-coverage', at)}))`,
            allWeights(frame),
          ),
      }),
  )
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
  const others = `(${numbers(frame)}<>${rankColumn(at)}$${NUMBER_ROW})*ISNUMBER(${figuresAt(frame, PRICE_ROW)})`
  const prices = figuresAt(frame, PRICE_ROW)
  const pointsOf = figuresAt(frame, POINTS_ROW)
  const own = `${figureColumn(frame, at)}$${POINTS_ROW}`
  const maxPricePoints = '(100*Weight_price)'
  const low = `MIN($H${row},MIN(IF(${others},(${own}+${maxPricePoints}-${pointsOf})*${prices}/${maxPricePoints})))`
  const high = `${maxPricePoints}*$H${row}/$I${row}`
  const solved = `IF(OR(NOT(ISNUMBER($H${row})),Weight_price=0),NA(),IF($I${row}<=0,NA(),IF(${high}>=$H${row},${high},IF(${low}>0,${low},NA()))))`
  const figures = intermediateResults(frame, at)
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
    arrayFormula(`IF(SUM(--(${others}))=0,"",MIN(IF(${others},${prices})))`, figures.lowest ?? '', price),
    arrayFormula(
      `IF(ISNUMBER($H${row}),MAX(IF(${others},${pointsOf}+${maxPricePoints}*$H${row}/${prices}))-${own},"")`,
      figures.lead ?? '',
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

function intermediateResults({ layout, offers }: Frame, at: number): { lowest: number | null; lead: number | null } {
  const { weights } = layout.report.settings
  const without = ({ scores }: OfferReport) =>
    CRITERIA.reduce((sum, each) => sum + (each === 'price' ? 0 : weights[each] * (scores?.[each] ?? 0)), 0)
  const own = offers[at]
  const others = offers.filter((_, index) => index !== at)
  if (own === undefined || others.length === 0) return { lowest: null, lead: null }
  const lowest = Math.min(...others.map(({ compared }) => compared.price ?? 0))
  const leads = others.map((other) => without(other) + (100 * weights.price * lowest) / (other.compared.price ?? 1))
  return { lowest, lead: Math.max(...leads) - without(own) }
}

import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { isChange } from '../../src/compare/report/document-changes.js'
import {
  firstDayOf,
  monthOfDay,
  type Period,
  type TimelineRule,
  volumeTimeline,
} from '../../src/compare/report/volume-timeline.js'
import { oneLine } from '../../src/core/clean-text.js'
import { type Fact, type FactBlock, factBlockRows, partFacts } from '../layout/fact-blocks.js'
import { columnLetter } from '../layout/grid.js'
import { bodyRow, emptyRows, headingRows, headRow, right, sectionRow } from '../layout/rows.js'
import { type ChartAnchor, rangeOf, type SheetChart } from '../layout/sheet-chart.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import { severityLabels } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type CachedResult, dateSerial, formula, number, text } from '../xlsx/cells.js'
import type { DeliveryKey, RfqLayout } from './layout.js'

const WIDTHS = [7, 34, 17, 16, 19, 14, 16, 13, 12, 15, 19]
const NOTE = 'The offers received, their prices and volumes in figures; the charts show ranked offers by number.'

/** `Statistics`: facts of the offers received, and charts of volumes. */
export function statisticsSheet(layout: RfqLayout): SheetPlan {
  const facts = [
    ...headingRows(layout, 'Statistics', NOTE),
    ...emptyRows(1),
    ...factBlockRows([offerFacts(layout), priceFacts(layout)]),
    ...emptyRows(1),
  ]
  const drawn = volumeChartSection(layout, facts.length + 1)
  return rowSheet({
    name: 'Statistics',
    widths: WIDTHS,
    rows: () => [...facts, ...drawn.rows],
    charts: drawn.charts,
    print: { onePage: true },
  })
}

function offerFacts({ report, offers, numbers }: RfqLayout): FactBlock {
  const { summary, rfq } = report
  const ranked = `COUNTIF(${offers.range('eligible')},"yes")`
  const volume = `SUMIFS(${offers.range('volume')},${offers.range('eligible')},"yes")`
  const coverage = rfq.unreadOffers > 0 ? 'NA()' : `IF(ISNUMBER(WantedVolume),MIN(1,${volume}/WantedVolume),NA())`
  return {
    title: 'Offers received',
    facts: [
      ['Offers', number(summary.offers, style.asBold(style.integer))],
      ...partFacts(summary.byStatus.slice(0, 5).map(({ status, offers }) => [status, offers])),
      ...(rfq.unreadOffers === 0 ? [] : [['Offers, not read yet', number(rfq.unreadOffers, style.integer)] as const]),
      ['Ranked', formula(ranked, summary.ranked, style.integer)],
      ['Meet all requirements', number(summary.meetRequirements, style.integer)],
      ['Submitted late', number(summary.late, style.integer)],
      ['Volume of ranked offers (t)', formula(volume, summary.volume, numbers.volume)],
      ['Coverage of the wanted volume', formula(coverage, summary.coverage, style.percent)],
      ['Changes observed', number(report.changes.filter(isChange).length, style.integer)],
    ],
  }
}

function priceFacts({ report, offers, price: cellStyle, inCurrency }: RfqLayout): FactBlock {
  const { price, flags } = report.summary
  const [eligible, prices] = [offers.range('eligible'), offers.range('comparedPricePerTonne')]
  const some = (expression: string) => `IF(COUNTIF(${eligible},"yes")=0,NA(),${expression})`
  const figure = (expression: string, cached: CachedResult) => formula(some(expression), cached, cellStyle)
  const lowest = `_xlfn.MINIFS(${prices},${eligible},"yes")`
  const highest = `_xlfn.MAXIFS(${prices},${eligible},"yes")`
  const sum = (key: 'comparedTotal' | 'volume') => `SUMIFS(${offers.range(key)},${eligible},"yes")`
  return {
    title: inCurrency('Prices per tonne, ranked offers'),
    facts: [
      ['Lowest', figure(lowest, price.lowest)],
      ['Median', arrayFormula(some(`MEDIAN(IF(${eligible}="yes",${prices}))`), price.median, cellStyle)],
      ['Highest', figure(highest, price.highest)],
      ['Spread', figure(`${highest}-${lowest}`, price.spread)],
      ['Volume-weighted average', figure(`${sum('comparedTotal')}/${sum('volume')}`, price.weightedMean)],
      ...(['high', 'medium', 'low'] as const).map(
        (severity): Fact => [`${severityLabels[severity]} flags`, number(flags[severity], style.integer)],
      ),
    ],
  }
}

const CHART_ROWS = 22
/** Number of offers with their own colour, the best-ranked ones; all others form one series. */
const COLOURED = 8
const OTHERS = 'Other offers'
/** Column of the first period in the data. */
const FIRST_PERIOD = 3

/** A chart of volumes by a column of `Deliveries`. */
interface Timeline extends TimelineRule {
  title: string
  category: string
  key: DeliveryKey
  /** The figure of a month in that column. */
  figureOf: (month: number) => number | null
  /** Columns that the chart covers, of 11. */
  columns: Pick<ChartAnchor, 'column' | 'toColumn'>
}

const TIMELINES: readonly Timeline[] = [
  {
    title: 'Volume by vintage year (t)',
    category: 'Vintage year',
    key: 'year',
    monthOf: ({ vintageYear }) => (vintageYear === null ? null : vintageYear * 12),
    figureOf: (month) => month / 12,
    steps: [12, 24, 60, 120],
    columns: { column: 0, toColumn: 5 },
  },
  {
    title: 'Deliveries by due date (t)',
    category: 'Due date',
    key: 'due',
    monthOf: ({ dueDate }) => (dateSerial(dueDate) === null ? null : monthOfDay(dueDate as string)),
    figureOf: (month) => dateSerial(firstDayOf(month)),
    steps: [3, 6, 12, 60],
    columns: { column: 5, toColumn: 11 },
  },
]

/**
 * Charts of volumes by vintage year and by delivery date, with their data as formulas. Charts without data are omitted.
 * @param row first row of the section
 */
function volumeChartSection(layout: RfqLayout, row: number): { rows: RowPlan[]; charts: SheetChart[] } {
  const rows: RowPlan[] = [...emptyRows(CHART_ROWS + 1), { ...sectionRow('Chart data'), working: true }]
  const ranked = layout.report.offers.filter(({ rank }) => rank !== null).slice(0, COLOURED)
  if (ranked.length === 0) return { rows: [], charts: [] }
  const charts = TIMELINES.flatMap(({ columns, ...timeline }): SheetChart[] => {
    const data = dataOf(layout, timeline, ranked, row + rows.length)
    if (data === null) return []
    rows.push(...data.rows.map((each) => ({ ...each, working: true })))
    return [{ ...data.chart, anchor: { ...columns, row, toRow: row + CHART_ROWS } }]
  })
  return { rows, charts }
}

/** One row per offer and one column per period, so that long offer names fit. @param row of the headers */
function dataOf(layout: RfqLayout, timeline: Omit<Timeline, 'columns'>, ranked: readonly OfferReport[], row: number) {
  const { report, offers, deliveries, numbers } = layout
  const { title, category, key, figureOf, ...rule } = timeline
  const { periods, tonnes } = volumeTimeline(report.offers, ranked, rule)
  if (periods.length === 0) return null
  const range = (column: DeliveryKey) => deliveries.range(column)
  const names = tonnes.map((_, at) => {
    const offer = ranked[at]
    return offer === undefined ? OTHERS : `${offer.sequence} · ${oneLine(offer.label)}`
  })
  /** Number and label follow a changed ranking. */
  const ofRank = (from: 'offer' | 'label', at: number) =>
    `INDEX(${offers.range(from)},MATCH(${at + 1},${offers.range('rank')},0))`
  const nameCell = (name: string, at: number) =>
    at === ranked.length
      ? text(name, style.wrapped)
      : formula(`IFERROR(${ofRank('offer', at)}&" · "&${ofRank('label', at)},"")`, name, style.wrapped)
  const volumeCell = (at: number, { from, to }: Period, index: number) => {
    const letter = columnLetter(FIRST_PERIOD + index)
    const upper = to === Number.POSITIVE_INFINITY ? '' : `,${range(key)},"<${figureOf(to)}"`
    const all = `SUMIFS(${range('volume')},${range('volume')},">0",${range(key)},">=${figureOf(from)}"${upper}`
    const expression =
      at === ranked.length
        ? `${all})-SUM(${letter}${row + 1}:${letter}${row + ranked.length})`
        : `IFERROR(${all},${range('offer')},${ofRank('offer', at)}),0)`
    return formula(expression, tonnes[at]?.[index] ?? 0, numbers.volume)
  }
  const last = FIRST_PERIOD - 1 + periods.length
  const across = <T>(of: number, cached: readonly T[]) => rangeOf('Statistics', [FIRST_PERIOD, of], [last, of], cached)
  const headers = periods.map(({ name }) => name)
  return {
    rows: [
      headRow(undefined, category, ...headers.map(right)),
      ...names.map((name, at) =>
        bodyRow(undefined, nameCell(name, at), ...periods.map((period, index) => volumeCell(at, period, index))),
      ),
      ...emptyRows(1),
    ],
    chart: {
      title,
      alt: `Stacked columns: ${title}, one colour per offer.`,
      stacked: true,
      categories: across(row, headers),
      categoryTitle: category,
      valueTitle: 'Tonnes',
      format: '#,##0',
      series: names.map((name, at) => ({
        name: rangeOf('Statistics', [2, row + 1 + at], [2, row + 1 + at], [name]),
        values: across(row + 1 + at, tonnes[at] ?? []),
      })),
    },
  }
}

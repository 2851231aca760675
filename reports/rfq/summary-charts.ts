import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import type { BubbleChart, ChartRange, ColumnChart } from '../../src/presentation/chart.js'
import { bodyRow, headRow, right, sectionRow } from '../layout/rows.js'
import { type ChartAnchor, chartColumns } from '../layout/sheet-chart.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { type CachedResult, formula, text } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'
import { failureWords, type OfferTable } from './summary-offers.js'

/**
 * Two charts that decide: price per tonne with the RFQ's limits, and score against risk-adjusted price. Their data are
 * formulas over the table of offers.
 * @param place the cells that the charts fill, one below the other
 */
export function summaryCharts(layout: RfqLayout, table: OfferTable, place: ChartAnchor) {
  const hasScores = table.offers.some(({ scores }) => scores !== null)
  const middle = hasScores ? Math.ceil((place.row + place.toRow) / 2) : place.toRow
  const data = dataOf(layout, table)
  return {
    rows: [
      sectionRow('Chart data'),
      headRow(...data.heads.map((head, at) => (at === 0 ? head : right(head))), 'Failed hard requirement'),
      ...data.rows,
    ].map((plan): RowPlan => ({ ...plan, working: true })),
    charts: [
      { ...priceChart(layout, data), anchor: { ...place, toRow: middle } },
      ...(hasScores ? [{ ...bubbleChart(layout, data), anchor: { ...place, row: middle } }] : []),
    ],
  }
}

/** A formula whose letters are columns of the table of offers, in the row of the offer, and its stored result. */
type Formula = readonly [expression: string, cached: CachedResult]

/** The data of one offer by header, in the order of the columns from A. */
function figuresOf({ sequence, compared, metrics, scores }: OfferReport, { rfq }: RfqReport, awarded: number) {
  const price = compared.pricePerTonne ?? ''
  const size = scores === null || compared.price === null ? 0 : (metrics.volume ?? 0)
  return {
    Offer: ['A', sequence],
    Awarded: ['IF(AND(N(C)>0,ISNUMBER(F)),F,"")', awarded > 0 ? price : ''],
    'Other offers': ['IF(AND(N(C)=0,ISNUMBER(F)),F,"")', awarded > 0 ? '' : price],
    'Maximum price': ['IFERROR(MaxPrice+0,"")', rfq.comparedMaxUnitPrice ?? ''],
    'Minimum price': ['IFERROR(MinPrice+0,"")', rfq.comparedMinUnitPrice ?? ''],
    'Risk-adjusted price': ['IF(ISNUMBER(G),G,"")', compared.price ?? ''],
    Score: ['IF(ISNUMBER(H),H,"")', scores?.total ?? ''],
    Tonnes: ['IF(AND(ISNUMBER(G),ISNUMBER(H)),N(D),0)', size],
    'Awarded tonnes': ['IF(AND(N(C)>0,ISNUMBER(G),ISNUMBER(H)),N(D),0)', awarded > 0 ? size : 0],
    Label: ['A&IF(N(C)>0," (award)","")', `${sequence}${awarded > 0 ? ' (award)' : ''}`],
  } as const satisfies Record<string, Formula>
}
type Head = keyof ReturnType<typeof figuresOf>
type ChartData = ReturnType<typeof dataOf>

function dataOf({ report }: RfqLayout, { offers, firstRow, dataRow }: OfferTable) {
  const tonnesOf = new Map(report.decision.offers.map(({ offerId, awardedTonnes }) => [offerId, awardedTonnes]))
  const values = offers.map((offer): Record<Head, Formula> => figuresOf(offer, report, tonnesOf.get(offer.id) ?? 0))
  const heads = Object.keys(values[0] ?? {}) as Head[]
  const { range } = chartColumns('Summary', dataRow - 1)
  /** The values of a column, or of one of its rows. */
  const column = <Value>(head: Head, shown: (value: CachedResult) => Value, row?: number): ChartRange<Value> => {
    const all = values.map((each) => shown(each[head][1]))
    return range(heads.indexOf(head) + 1, row === undefined ? all : all.slice(row, row + 1), dataRow + (row ?? 0))
  }
  return {
    heads,
    rows: values.map((row, at) => {
      const cells = Object.values(row).map(([expression, cached]) =>
        formula(expression.replace(/\b[A-H]\b(?!\()/g, `$&${firstRow + at}`), cached, style.plainNumber),
      )
      return bodyRow(...cells, text(failureWords(report, offers[at]?.id ?? ''), style.plain))
    }),
    words: (head: Head, row?: number) => column(head, String, row),
    /** Text counts as no value. */
    numbers: (head: Head, row?: number) => column(head, (value) => (typeof value === 'number' ? value : null), row),
    title: (head: Head): ChartRange<string> => range(heads.indexOf(head) + 1, [head], dataRow - 1),
  }
}

function priceChart({ perTonne, report }: RfqLayout, data: ChartData): ColumnChart {
  const unit = perTonne('Price per tonne')
  const { comparedMaxUnitPrice: max, comparedMinUnitPrice: min } = report.rfq
  const series = (head: Head, line = false) => ({ name: data.title(head), values: data.numbers(head), line })
  const names = data.words('Offer')
  return {
    title: `${unit}${max === null && min === null ? '' : ' and the RFQ’s limits'}`,
    alt: `Columns: price per tonne of ${names.cached.length} offers by rank, awarded ones in another colour. Dashed lines: maximum and minimum price of the RFQ.`,
    stacked: true,
    labelled: true,
    categories: names,
    categoryTitle: 'Offer no., by rank',
    valueTitle: unit,
    format: '#,##0.00',
    series: [
      series('Other offers'),
      series('Awarded'),
      ...(max === null ? [] : [series('Maximum price', true)]),
      ...(min === null ? [] : [series('Minimum price', true)]),
    ],
  }
}

function bubbleChart({ perTonne }: RfqLayout, data: ChartData): BubbleChart {
  const scores = data.numbers('Score').cached.filter((score) => score !== null)
  const lowest = Math.min(100, ...scores)
  const bubbles = (sizes: Head, row?: number) => ({
    x: data.numbers('Risk-adjusted price', row),
    y: data.numbers('Score', row),
    sizes: data.numbers(sizes, row),
  })
  const unit = perTonne('Risk-adjusted price per tonne')
  return {
    title: 'Score and risk-adjusted price (size: tonnes)',
    alt: `Bubbles: score against risk-adjusted price of the offers, by number; the size is the tonnes offered. Best: top left. Awarded offers in another colour.`,
    xTitle: unit,
    yTitle: 'Score',
    xFormat: '#,##0.00',
    yFormat: '0',
    // Leaves room for scores that become lower when the reader changes inputs.
    yMin: Math.max(0, 20 * Math.floor(lowest / 20) - 20),
    bubbles: [
      ...data.rows.map((_, row) => ({ name: data.words('Label', row), ...bubbles('Tonnes', row) })),
      { name: data.title('Awarded'), ...bubbles('Awarded tonnes'), highlight: true },
    ],
  }
}

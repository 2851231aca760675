import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { type ColumnChart, rangeOf } from '../layout/chart.js'
import { oneLine } from '../layout/clean-text.js'
import { columnLetter } from '../layout/grid.js'
import { bodyRow, emptyRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { dateSerial, formula, text } from '../xlsx/cells.js'
import type { DeliveryKey, OfferLine, RfqLayout } from './layout.js'

const CHART_ROWS = 22
/** Columns that a chart covers, of 11. */
const HALVES = [
  { column: 0, toColumn: 5 },
  { column: 5, toColumn: 11 },
] as const
/** Number of offers with their own colour, the best-ranked ones; all others form one series. */
const COLOURED = 8
const OTHERS = 'Other offers'
const MAX_PERIODS = 9
/** Column of the first period in the data. */
const FIRST_PERIOD = 3

/** Volumes over time: a date of each line, as a month counted from year 0 and as the figure in a column of `Deliveries`. */
interface Timeline {
  title: string
  category: string
  key: DeliveryKey
  monthOf: (line: OfferLine) => number | null
  figureOf: (month: number) => number | null
  /** Lengths of a period in months; the shortest is used that gives at most MAX_PERIODS. */
  steps: readonly number[]
}

const TIMELINES: readonly Timeline[] = [
  {
    title: 'Volume by vintage year (t)',
    category: 'Vintage year',
    key: 'year',
    monthOf: ({ line }) => (line.vintageYear === null ? null : line.vintageYear * 12),
    figureOf: (month) => month / 12,
    steps: [12, 24, 60, 120],
  },
  {
    title: 'Deliveries by due date (t)',
    category: 'Due date',
    key: 'due',
    monthOf: ({ line: { dueDate } }) => (dateSerial(dueDate) === null ? null : monthOfDay(dueDate as string)),
    figureOf: (month) => dateSerial(firstDay(month)),
    steps: [3, 6, 12, 60],
  },
]

const monthOfDay = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
const firstDay = (month: number) =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`

/** From a month to before another one; the last period has no end. */
interface Period {
  name: string
  from: number
  to: number
}

/**
 * Charts of volumes by vintage year and by delivery date, with their data as formulas. Charts without data are omitted.
 * @param row first row of the section
 */
export function volumeChartSection(layout: RfqLayout, row: number): { rows: RowPlan[]; charts: ColumnChart[] } {
  const rows: RowPlan[] = [...emptyRows(CHART_ROWS + 1), { ...sectionRow('Chart data'), working: true }]
  const ranked = layout.report.offers.filter(({ rank }) => rank !== null).slice(0, COLOURED)
  if (ranked.length === 0) return { rows: [], charts: [] }
  const charts = TIMELINES.flatMap((timeline, index): ColumnChart[] => {
    const data = dataOf(layout, timeline, ranked, row + rows.length)
    if (data === null) return []
    rows.push(...data.rows.map((each) => ({ ...each, working: true })))
    return [{ ...data.chart, anchor: { ...(HALVES[index] ?? HALVES[0]), row, toRow: row + CHART_ROWS } }]
  })
  return { rows, charts }
}

/** One row per offer and one column per period, so that long offer names fit. @param row of the headers */
function dataOf(
  { report, lines, offers, deliveries, numbers }: RfqLayout,
  { title, category, key, monthOf, figureOf, steps }: Timeline,
  ranked: readonly OfferReport[],
  row: number,
): { rows: RowPlan[]; chart: Omit<ColumnChart, 'anchor'> } | null {
  const dated = lines.flatMap((line) => {
    const [month, volume] = [monthOf(line), line.line.volume ?? 0]
    return month === null || volume <= 0 ? [] : [{ id: line.offer.id, month, volume }]
  })
  const periods = periodsOf(
    dated.map(({ month }) => month).sort((a, b) => a - b),
    steps,
  )
  if (periods.length === 0) return null
  const range = (column: DeliveryKey) => deliveries.range(column)
  const places = new Map(ranked.map(({ id }, index) => [id, index]))
  const series = [...ranked.map(nameOf), ...(report.offers.length > ranked.length ? [OTHERS] : [])]
  const sums = series.map(() => periods.map(() => 0))
  for (const { id, month, volume } of dated) {
    const of = sums[places.get(id) ?? ranked.length]
    const at = periods.findIndex(({ from, to }) => month >= from && month < to)
    if (of !== undefined) of[at] = (of[at] ?? 0) + volume
  }
  /** Number and label follow a changed ranking. */
  const ofRank = (from: 'offer' | 'label', rank: number) =>
    `INDEX(${offers.range(from)},MATCH(${rank},${offers.range('rank')},0))`
  const nameCell = (at: number, name: string) =>
    at === ranked.length
      ? text(name, style.wrapped)
      : formula(`IFERROR(${ofRank('offer', at + 1)}&" · "&${ofRank('label', at + 1)},"")`, name, style.wrapped)
  const volumeCell = (at: number, { from, to }: Period, cached: number, column: number) => {
    const upper = to === Number.POSITIVE_INFINITY ? '' : `,${range(key)},"<${figureOf(to)}"`
    const all = `SUMIFS(${range('volume')},${range('volume')},">0",${range(key)},">=${figureOf(from)}"${upper}`
    const letter = columnLetter(column)
    const expression =
      at === ranked.length
        ? `${all})-SUM(${letter}${row + 1}:${letter}${row + ranked.length})`
        : `IFERROR(${all},${range('offer')},${ofRank('offer', at + 1)}),0)`
    return formula(expression, cached, numbers.volume)
  }
  const last = FIRST_PERIOD - 1 + periods.length
  const across = <T>(of: number, cached: readonly T[]) => rangeOf('Statistics', [FIRST_PERIOD, of], [last, of], cached)
  return {
    rows: [
      headRow(undefined, category, ...periods.map(({ name }) => right(name))),
      ...series.map((name, at) => {
        const cells = periods.map((period, index) =>
          volumeCell(at, period, sums[at]?.[index] ?? 0, FIRST_PERIOD + index),
        )
        return bodyRow(undefined, nameCell(at, name), ...cells)
      }),
      ...emptyRows(1),
    ],
    chart: {
      title,
      alt: `Stacked columns: ${title}, one colour per offer.`,
      stacked: true,
      categories: across(
        row,
        periods.map(({ name }) => name),
      ),
      categoryTitle: category,
      valueTitle: 'Tonnes',
      format: '#,##0',
      series: series.map((name, at) => ({
        name: rangeOf('Statistics', [2, row + 1 + at], [2, row + 1 + at], [name]),
        values: across(row + 1 + at, sums[at] ?? []),
      })),
    },
  }
}

const nameOf = ({ sequence, label }: OfferReport) => `${sequence} · ${oneLine(label)}`

/** The periods between the first and the last month. */
function periodsOf(months: readonly number[], steps: readonly number[]): Period[] {
  const [first, last] = [months[0], months.at(-1)]
  if (first === undefined || last === undefined) return []
  const countOf = (step: number) => Math.floor(last / step) - Math.floor(first / step) + 1
  const step = steps.find((each) => countOf(each) <= MAX_PERIODS) ?? steps.at(-1) ?? 12
  const count = Math.min(MAX_PERIODS, countOf(step))
  return Array.from({ length: count }, (_, index) => {
    const from = (Math.floor(first / step) + index) * step
    if (index < count - 1) return { name: periodName(from, step), from, to: from + step }
    const later = last >= from + step ? ' and later' : ''
    return { name: periodName(from, step) + later, from, to: Number.POSITIVE_INFINITY }
  })
}

function periodName(month: number, step: number): string {
  const year = Math.floor(month / 12)
  if (step > 12) return `${year}–${year + step / 12 - 1}`
  if (step === 12) return String(year)
  return `${year} ${step === 6 ? 'H' : 'Q'}${Math.floor((month % 12) / step) + 1}`
}

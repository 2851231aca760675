import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { ColumnChart } from '../layout/chart.js'
import { oneLine } from '../layout/clean-text.js'
import { columnLetter } from '../layout/grid.js'
import { bodyRow, emptyRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, dateSerial, formula, stringLiteral, text } from '../xlsx/cells.js'
import type { OfferLine, RfqLayout } from './layout.js'

const SHEET = 'Statistics'
const STACK_ROWS = 22
/** Number of offers with their own colour, the best-ranked ones; all others form one series. */
const COLOURED = 8
/** Maximum number of categories; more are grouped into longer periods. */
const MAX_PERIODS = 9
const OTHERS = 'Other offers'

interface Section {
  rows: RowPlan[]
  charts: ColumnChart[]
}

/**
 * Charts and their data, as formulas: volume by vintage year and by delivery period. Charts without data are omitted.
 * @param row first row of the section
 */
export function volumeChartSection(layout: RfqLayout, row: number): Section {
  const ranked = layout.report.offers.filter(({ rank }) => rank !== null).slice(0, COLOURED)
  if (ranked.length === 0) return { rows: [], charts: [] }
  const dataRow = row + STACK_ROWS + 2
  const vintages = stack(layout, ranked, yearPeriods(layout), dataRow, VINTAGES)
  const deliveries = stack(layout, ranked, deliveryPeriods(layout), dataRow + vintages.rows.length, DELIVERIES)
  const data = [sectionRow('Chart data'), ...vintages.rows, ...deliveries.rows]
  return {
    rows: [...emptyRows(STACK_ROWS + 1), ...data.map((row) => ({ ...row, working: true }))],
    charts: stackCharts([vintages, deliveries], row),
  }
}

/** Number and label of the offer at a rank, so that names follow a changed ranking. */
const nameOf = ({ sequence, label }: OfferReport) => `${sequence} · ${oneLine(label)}`
function nameExpression({ offers }: RfqLayout, rank: number): string {
  const at = (key: 'offer' | 'label') => `INDEX(${offers.range(key)},MATCH(${rank},${offers.range('rank')},0))`
  return `IFERROR(${at('offer')}&" · "&${at('label')},"")`
}

// --- volumes in stacks -----------------------------------------------------------------------------------------------

/** One category: its name, the SUMIFS criteria of its lines, and the same as a predicate. */
interface Period {
  name: string
  criteria: string
  includes: (line: OfferLine) => boolean
}
interface StackWords {
  title: string
  alt: string
  category: string
}
const VINTAGES: StackWords = {
  title: 'Volume by vintage year (t)',
  alt: 'Stacked columns: tonnes offered by vintage year, one colour per offer.',
  category: 'Vintage year',
}
const DELIVERIES: StackWords = {
  title: 'Deliveries by due date (t)',
  alt: 'Stacked columns: tonnes due in each period, one colour per offer.',
  category: 'Due date',
}

interface StackData extends StackWords {
  rows: RowPlan[]
  chart: Omit<ColumnChart, 'anchor'> | null
}

/** One row per offer and one column per period, so that long offer names fit. */
function stack(
  layout: RfqLayout,
  coloured: readonly OfferReport[],
  periods: readonly Period[],
  row: number,
  words: StackWords,
): StackData {
  const others = layout.report.offers.length > coloured.length
  if (periods.length === 0) return { ...words, rows: [], chart: null }
  const names = [...coloured.map(nameOf), ...(others ? [OTHERS] : [])]
  const figures = sumsOf(layout, coloured, periods, names.length)
  const nameCell = (name: string, at: number) =>
    at < coloured.length ? formula(nameExpression(layout, at + 1), name, style.wrapped) : text(name, style.wrapped)
  const rows = [
    headRow(undefined, words.category, ...periods.map(({ name }) => right(name))),
    ...names.map((name, at): RowPlan => {
      const volumes = periods.map((period, index) => {
        const place = { at, coloured: coloured.length, row, column: columnLetter(FIRST_PERIOD + index) }
        return volumeCell(layout, period, place, figures[at]?.[index] ?? 0)
      })
      return bodyRow(undefined, nameCell(name, at), ...volumes)
    }),
    ...emptyRows(1),
  ]
  return { ...words, rows, chart: stackChart(words, periods, names, figures, row) }
}

/** Column of the first period. */
const FIRST_PERIOD = 3

function stackChart(
  words: StackWords,
  periods: readonly Period[],
  names: readonly string[],
  figures: readonly (readonly number[])[],
  row: number,
): Omit<ColumnChart, 'anchor'> {
  const [first, last] = [columnLetter(FIRST_PERIOD), columnLetter(FIRST_PERIOD - 1 + periods.length)]
  return {
    title: words.title,
    alt: words.alt,
    stacked: true,
    categories: { ref: `'${SHEET}'!$${first}$${row}:$${last}$${row}`, cached: periods.map(({ name }) => name) },
    categoryTitle: words.category,
    valueTitle: 'Tonnes',
    format: '#,##0',
    series: names.map((name, at) => ({
      name: { ref: `'${SHEET}'!$B$${row + 1 + at}`, cached: [name] },
      values: { ref: `'${SHEET}'!$${first}$${row + 1 + at}:$${last}$${row + 1 + at}`, cached: figures[at] ?? [] },
    })),
  }
}

function stackCharts(stacks: readonly StackData[], row: number): ColumnChart[] {
  const halves = [
    { column: 0, toColumn: 5 },
    { column: 5, toColumn: 11 },
  ]
  return stacks.flatMap(({ chart }, index) =>
    chart === null
      ? []
      : [{ ...chart, anchor: { ...(halves[index] as (typeof halves)[0]), row, toRow: row + STACK_ROWS } }],
  )
}

/** Volume of one offer in one period, by rank; the last row is the total of all other offers. */
function volumeCell(
  { deliveries, offers, numbers }: RfqLayout,
  period: Period,
  place: { at: number; coloured: number; row: number; column: string },
  cached: number,
): Cell {
  const all = `SUMIFS(${deliveries.range('volume')},${deliveries.range('volume')},">0"${period.criteria}`
  if (place.at >= place.coloured) {
    const shown = `${place.column}${place.row + 1}:${place.column}${place.row + place.coloured}`
    return formula(`${all})-SUM(${shown})`, cached, numbers.volume)
  }
  const offer = `INDEX(${offers.range('offer')},MATCH(${place.at + 1},${offers.range('rank')},0))`
  return formula(`IFERROR(${all},${deliveries.range('offer')},${offer}),0)`, cached, numbers.volume)
}

/** Volumes by series and period; offers without their own colour are counted in the last series. */
function sumsOf(
  layout: RfqLayout,
  coloured: readonly OfferReport[],
  periods: readonly Period[],
  series: number,
): number[][] {
  const places = new Map(coloured.map(({ id }, index) => [id, index]))
  const sums = Array.from({ length: series }, () => periods.map(() => 0))
  for (const line of layout.lines) {
    const row = sums[places.get(line.offer.id) ?? series - 1]
    const at = periods.findIndex((period) => period.includes(line))
    if (row !== undefined && at !== -1) row[at] = (row[at] ?? 0) + Math.max(0, line.line.volume ?? 0)
  }
  return sums
}

// --- periods ---------------------------------------------------------------------------------------------------------

const years = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b)

function yearPeriods({ lines, deliveries }: RfqLayout): Period[] {
  const found = years(
    lines.flatMap(({ line }) => (line.vintageYear !== null && (line.volume ?? 0) > 0 ? [line.vintageYear] : [])),
  )
  const grouped = found.slice(0, Math.max(0, found.length - MAX_PERIODS + 1))
  const rest = found.slice(grouped.length)
  const firstYear = rest[0] ?? 0
  const before: Period[] =
    grouped.length < 2
      ? grouped.map((year) => yearPeriod(year, deliveries.range('year')))
      : [
          {
            name: `before ${firstYear}`,
            criteria: `,${deliveries.range('year')},"<${firstYear}"`,
            includes: ({ line }) => line.vintageYear !== null && line.vintageYear < firstYear,
          },
        ]
  return [...before, ...rest.map((year) => yearPeriod(year, deliveries.range('year')))]
}

const yearPeriod = (year: number, range: string): Period => ({
  name: String(year),
  criteria: `,${range},${year}`,
  includes: ({ line }) => line.vintageYear === year,
})

/** Quarters, half-years or years: the shortest that fit into `MAX_PERIODS`. The last period includes all later deliveries. */
function deliveryPeriods({ lines, deliveries }: RfqLayout): Period[] {
  const dates = lines
    .flatMap(({ line }) =>
      dateSerial(line.dueDate) !== null && (line.volume ?? 0) > 0 ? [line.dueDate as string] : [],
    )
    .sort()
  if (dates.length === 0) return []
  const first = dates[0] as string
  const last = dates.at(-1) as string
  const months = [3, 6, 12].find((step) => countPeriods(first, last, step) <= MAX_PERIODS) ?? 12
  const count = Math.min(MAX_PERIODS, countPeriods(first, last, months))
  const start = Math.floor(monthOf(first) / months) * months
  return Array.from({ length: count }, (_, index) => {
    const from = monthStart(start + index * months)
    const to = index === count - 1 ? null : monthStart(start + (index + 1) * months)
    const later = to === null && countPeriods(first, last, months) > count
    return duePeriod(
      periodName(start + index * months, months) + (later ? ' and later' : ''),
      from,
      to,
      deliveries.range('due'),
    )
  })
}

function duePeriod(name: string, from: string, to: string | null, range: string): Period {
  const upper = to === null ? '' : `,${range},${stringLiteral(`<${dateSerial(to)}`)}`
  return {
    name,
    criteria: `,${range},${stringLiteral(`>=${dateSerial(from)}`)}${upper}`,
    includes: ({ line }) => line.dueDate !== null && line.dueDate >= from && (to === null || line.dueDate < to),
  }
}

/** Months since year 0. */
const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
const monthStart = (month: number) =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`
const countPeriods = (first: string, last: string, months: number) =>
  Math.floor(monthOf(last) / months) - Math.floor(monthOf(first) / months) + 1

function periodName(month: number, months: number): string {
  const year = Math.floor(month / 12)
  if (months === 12) return String(year)
  return months === 6 ? `${year} H${Math.floor((month % 12) / 6) + 1}` : `${year} Q${Math.floor((month % 12) / 3) + 1}`
}

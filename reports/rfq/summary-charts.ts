import type { Chart, ChartRange, ChartSeries } from '../layout/chart.js'
import { oneLine } from '../layout/clean-text.js'
import { columnLetter } from '../layout/grid.js'
import { bodyRow, emptyRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { withCurrency } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, dateSerial, formula, number, stringLiteral, text } from '../xlsx/cells.js'
import type { OfferLine, RfqLayout } from './layout.js'
import type { Ranking } from './summary-ranking.js'

const PRICE_ROWS = 17
const STACK_ROWS = 22
/** Number of offers with their own colour; all others form one series. */
const COLOURED = 8
/** Maximum number of categories; more are grouped into longer periods. */
const MAX_PERIODS = 9
const OTHERS = 'Other offers'

interface Section {
  rows: RowPlan[]
  charts: Chart[]
}

/**
 * Charts and their data, as formulas: price per tonne by offer with the RFQ's maximum price, volume by vintage year, and
 * volume by delivery period. Charts without data are omitted.
 * @param row first row of the section
 */
export function chartSection(layout: RfqLayout, row: number, ranking: Ranking): Section {
  if (ranking.offers.length === 0) return { rows: [], charts: [] }
  const dataRow = row + PRICE_ROWS + STACK_ROWS + 3
  const price = priceData(layout, ranking, dataRow)
  const years = yearPeriods(layout)
  const vintages = stack(layout, ranking, years, dataRow + price.rows.length, VINTAGES)
  const deliveries = stack(
    layout,
    ranking,
    deliveryPeriods(layout),
    dataRow + price.rows.length + vintages.rows.length,
    DELIVERIES,
  )
  return {
    rows: [
      { cells: [], newPage: true },
      ...emptyRows(PRICE_ROWS + STACK_ROWS + 1),
      ...[sectionRow('Chart data'), ...price.rows, ...vintages.rows, ...deliveries.rows].map((row) => ({
        ...row,
        working: true,
      })),
    ],
    charts: [
      priceChart(layout, price, { column: 0, row: row - 1, toColumn: 11, toRow: row - 1 + PRICE_ROWS }),
      ...stackCharts([vintages, deliveries], row + PRICE_ROWS),
    ],
  }
}

// --- price per tonne -------------------------------------------------------------------------------------------------

interface PriceData {
  rows: RowPlan[]
  names: ChartRange<string>
  prices: ChartRange<number | null>
  budget: ChartRange<number | null> | null
  heads: { price: ChartRange<string>; budget: ChartRange<string> }
}

function priceData(layout: RfqLayout, ranking: Ranking, row: number): PriceData {
  const { numbers, currency, report } = layout
  const limit = report.rfq.comparedMaxUnitPrice
  const money = numbers.price(currency)
  const first = row + 1
  const last = row + ranking.offers.length
  const names = ranking.offers.map((offer, index) => nameOf(index + 1, offer.label))
  const prices = ranking.offers.map((offer) => offer.compared.pricePerTonne)
  const rows = [
    headRow(right('Rank'), 'Offer', right('Price per tonne'), right('Maximum price')),
    ...ranking.offers.map((_, index): RowPlan => {
      const source = ranking.firstRow + index
      return bodyRow(
        number(index + 1, style.plainNumber),
        formula(nameExpression(`$A${first + index}`, `$B${source}`), names[index] ?? '', style.wrapped),
        formula(`$C${source}`, prices[index] ?? '', money),
        formula('MaxPrice', limit, money),
      )
    }),
    ...emptyRows(1),
  ]
  const refer = <T>(column: string, cached: readonly T[]): ChartRange<T> => ({
    ref: `'Summary'!$${column}$${first}:$${column}$${last}`,
    cached,
  })
  return {
    rows,
    names: refer('B', names),
    prices: refer('C', prices),
    budget:
      limit === null
        ? null
        : refer(
            'D',
            names.map(() => limit),
          ),
    heads: {
      price: { ref: `'Summary'!$C$${row}`, cached: ['Price per tonne'] },
      budget: { ref: `'Summary'!$D$${row}`, cached: ['Maximum price'] },
    },
  }
}

const nameOf = (rank: number, label: string) => `${rank} · ${oneLine(label)}`
/** `nameOf` as a formula, so that names follow a changed ranking. */
const nameExpression = (rank: string, label: string) => `${rank}&" · "&${label}`

function priceChart({ currency, report }: RfqLayout, data: PriceData, anchor: Chart['anchor']): Chart {
  const unit = withCurrency('Price per tonne', currency, '/t')
  const line: ChartSeries[] = data.budget === null ? [] : [{ name: data.heads.budget, values: data.budget, line: true }]
  const cheapest = report.summary.cheapestOffer
  return {
    title: data.budget === null ? unit : `${unit}, with the RFQ’s maximum price`,
    alt: `Columns: price per tonne of the ${data.names.cached.length} best-ranked offers${data.budget === null ? '' : ', and the maximum price of the RFQ as a dashed line'}. ${cheapest === null ? '' : `Cheapest: ${cheapest.label}.`}`,
    stacked: false,
    categories: data.names,
    categoryTitle: 'Offers by rank',
    valueTitle: unit,
    format: '#,##0.00',
    series: [{ name: data.heads.price, values: data.prices }, ...line],
    anchor,
  }
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
  chart: Omit<Chart, 'anchor'> | null
}

/** One row per offer and one column per period, so that long offer names fit. */
function stack(
  layout: RfqLayout,
  ranking: Ranking,
  periods: readonly Period[],
  row: number,
  words: StackWords,
): StackData {
  const coloured = ranking.offers.slice(0, COLOURED)
  const others = layout.report.offers.length > coloured.length
  if (periods.length === 0) return { ...words, rows: [], chart: null }
  const names = [...coloured.map((offer, index) => nameOf(index + 1, offer.label)), ...(others ? [OTHERS] : [])]
  const figures = sumsOf(layout, coloured, periods, names.length)
  const nameCell = (name: string, at: number) =>
    at < coloured.length
      ? formula(nameExpression(`${at + 1}`, `$B${ranking.firstRow + at}`), name, style.wrapped)
      : text(name, style.wrapped)
  const rows = [
    headRow(undefined, words.category, ...periods.map(({ name }) => right(name))),
    ...names.map((name, at): RowPlan => {
      const volumes = periods.map((period, index) => {
        const place = { at, coloured: coloured.length, row, column: columnLetter(FIRST_PERIOD + index) }
        return volumeCell(layout, ranking, period, place, figures[at]?.[index] ?? 0)
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
): Omit<Chart, 'anchor'> {
  const [first, last] = [columnLetter(FIRST_PERIOD), columnLetter(FIRST_PERIOD - 1 + periods.length)]
  return {
    title: words.title,
    alt: words.alt,
    stacked: true,
    categories: { ref: `'Summary'!$${first}$${row}:$${last}$${row}`, cached: periods.map(({ name }) => name) },
    categoryTitle: words.category,
    valueTitle: 'Tonnes',
    format: '#,##0',
    series: names.map((name, at) => ({
      name: { ref: `'Summary'!$B$${row + 1 + at}`, cached: [name] },
      values: { ref: `'Summary'!$${first}$${row + 1 + at}:$${last}$${row + 1 + at}`, cached: figures[at] ?? [] },
    })),
  }
}

function stackCharts(stacks: readonly StackData[], row: number): Chart[] {
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
  ranking: Ranking,
  period: Period,
  place: { at: number; coloured: number; row: number; column: string },
  cached: number,
): Cell {
  const all = `SUMIFS(${deliveries.range('volume')},${deliveries.range('volume')},">0"${period.criteria}`
  if (place.at >= place.coloured) {
    const shown = `${place.column}${place.row + 1}:${place.column}${place.row + place.coloured}`
    return formula(`${all})-SUM(${shown})`, cached, numbers.volume)
  }
  const rank = `$A$${ranking.firstRow + place.at}`
  const offer = `INDEX(${offers.range('offer')},MATCH(${rank},${offers.range('rank')},0))`
  return formula(`IFERROR(${all},${deliveries.range('offer')},${offer}),0)`, cached, numbers.volume)
}

/** Volumes by series and period; offers without their own colour are counted in the last series. */
function sumsOf(
  layout: RfqLayout,
  coloured: Ranking['offers'],
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

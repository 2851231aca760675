import type { MetricName } from '../../src/domain/comparison/offer/metrics.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { EXACT_TOTAL } from '../../src/domain/comparison/reconciliation.js'
import type { ColumnPlan } from '../layout/table-sheet.js'
import {
  body,
  calendarDate,
  integer,
  oneDecimal,
  percent,
  plainNumber,
  type Style,
  withNumberFormat,
} from '../xlsx/cell-styles.js'
import { type Cell, dateFormula, dateSerial, formula } from '../xlsx/cells.js'
import type { DeliveryKey, OfferKey, PrepaymentKey, RfqLayout } from './layout.js'

type MetricKey =
  | 'lines'
  | 'usable'
  | 'sumVolume'
  | 'sumValue'
  | 'volumeDifference'
  | 'volumeVerdict'
  | 'totalDifference'
  | 'totalVerdict'
  | 'basis'
  | 'total'
  | 'vwap'
  | 'pricePerTonne'
  | 'firstDelivery'
  | 'lastDelivery'
  | 'oldestVintage'
  | 'newestVintage'
  | 'meanWait'
  | 'meanVintage'
  | 'onTimeShare'
  | 'prepaid'
  | 'prepaidShare'
  | 'prepaymentState'
  | 'presentValue'
  | 'presentValuePerTonne'
  | 'haircut'
  | 'riskPrice'
  | 'rate'
type Column = ColumnPlan<OfferReport>
type Look = Style | ((offer: OfferReport) => Style)

/** Criterion of SUMIFS and COUNTIFS that matches every number the report accepts. */
const ANY_NUMBER = '">=-1E+300"'
/** The report's allowance for rounding errors of decimal fractions. */
const ROUNDING_ALLOWANCE = '1E-9'

/**
 * The metrics of an offer as formulas over `Deliveries` and `Prepayments`, each with the report model's figure as its
 * result. Definitions: src/domain/comparison/offer/metrics.ts, `Metrics`; offers are identified by number, never by text.
 */
export function metricColumns(layout: RfqLayout): Record<MetricKey, Column> {
  return { ...sums(layout), ...timing(layout), ...valuation(layout) }
}

/** Cell addresses and sums for the formulas of one offer. */
class Row {
  readonly #layout: RfqLayout
  readonly #index: number
  constructor(layout: RfqLayout, index: number) {
    this.#layout = layout
    this.#index = index
  }
  at = (key: OfferKey): string => this.#layout.offers.at(key, this.#index)
  line = (key: DeliveryKey): string => this.#layout.deliveries.range(key)
  payment = (key: PrepaymentKey): string => this.#layout.prepayments.range(key)
  count = (criteria = ''): string => `COUNTIFS(${this.line('offer')},${this.at('offer')}${criteria})`
  sum = (key: DeliveryKey, criteria = ''): string =>
    `SUMIFS(${this.line(key)},${this.line('offer')},${this.at('offer')}${criteria})`
  paid = (key: PrepaymentKey, criteria = ''): string =>
    `SUMIFS(${this.payment(key)},${this.payment('offer')},${this.at('offer')}${criteria})`
}

function metric(
  layout: RfqLayout,
  head: string,
  name: MetricName,
  style: Look,
  expression: (row: Row, offer: OfferReport) => string,
): Column {
  return {
    header: head,
    alignRight: true,
    cell: (offer, index) => {
      const cellStyle = typeof style === 'function' ? style(offer) : style
      return formula(expression(new Row(layout, index), offer), offer.metrics[name] as number | null, cellStyle)
    },
  }
}

/** src/domain/comparison/reconciliation.ts, `totalTolerance`. */
export const totalToleranceExpression = (stated: string): string =>
  `ROUND(MAX(${EXACT_TOTAL},TotalTolerance*ABS(${stated})),6)`

function verdict(
  layout: RfqLayout,
  head: string,
  name: 'volumeVerdict' | 'totalVerdict',
  expression: (row: Row) => string,
): Column {
  return {
    header: head,
    cell: (offer, index) => formula(expression(new Row(layout, index)), offer.metrics[name] ?? '', body),
  }
}

function sums(
  layout: RfqLayout,
): Record<
  | 'lines'
  | 'usable'
  | 'sumVolume'
  | 'sumValue'
  | 'volumeDifference'
  | 'volumeVerdict'
  | 'totalDifference'
  | 'totalVerdict'
  | 'basis'
  | 'total'
  | 'vwap'
  | 'pricePerTonne',
  Column
> {
  const { volume } = layout.numbers
  const money = (offer: OfferReport) => layout.numbers.money(offer.terms.currencyCode)
  const price = (offer: OfferReport) => layout.numbers.price(offer.terms.currencyCode)
  return {
    lines: {
      ...metric(layout, 'Lines', 'lineCount', integer, (row) => row.count()),
      band: 'Metrics in the offer’s currency',
    },
    usable: {
      header: 'Lines with volume and price',
      alignRight: true,
      cell: (offer, index) => {
        const row = new Row(layout, index)
        const usable = offer.lines.filter((line) => (line.volume ?? -1) >= 0 && (line.unitPrice ?? -1) >= 0).length
        return formula(row.count(`,${row.line('volume')},">=0",${row.line('price')},">=0"`), usable, integer)
      },
    },
    sumVolume: metric(layout, 'Sum of volumes (t)', 'sumVolume', volume, (row) => row.sum('volume')),
    sumValue: metric(layout, 'Sum of line totals', 'sumValue', money, (row) => row.sum('total')),
    volumeDifference: metric(layout, 'Stated volume − sum (t)', 'volumeDifference', volume, (row) =>
      difference(row, 'statedVolume', 'sumVolume', 'volume'),
    ),
    volumeVerdict: verdict(layout, 'Volume check', 'volumeVerdict', (row) => {
      const off = row.at('volumeDifference')
      return `IF(ISNUMBER(${off}),IF(ROUND(ABS(${off}),6)<=VolumeTolerance,"equal","differs"),"")`
    }),
    totalDifference: metric(layout, 'Stated total − sum', 'totalDifference', money, (row) =>
      difference(row, 'statedTotal', 'sumValue', 'total'),
    ),
    totalVerdict: verdict(layout, 'Total check', 'totalVerdict', (row) => {
      const off = row.at('totalDifference')
      const within = (limit: number | string, words: string, otherwise: string) =>
        `IF(ROUND(ABS(${off}),6)<=${limit},"${words}",${otherwise})`
      const rounding = within(totalToleranceExpression(row.at('statedTotal')), 'rounding', '"differs"')
      return `IF(ISNUMBER(${off}),${within(EXACT_TOTAL, 'equal', rounding)},"")`
    }),
    basis: {
      header: 'Basis of volume and total',
      cell: (offer, index) => {
        const row = new Row(layout, index)
        const lines = `AND(${row.at('usable')}=${row.at('lines')},${row.at('sumVolume')}>0,${row.at('sumValue')}>0)`
        const stated = `AND(N(${row.at('statedVolume')})>0,N(${row.at('statedTotal')})>0)`
        return formula(`IF(${lines},"lines",IF(${stated},"stated",""))`, offer.metrics.basis ?? '', body)
      },
    },
    total: metric(
      layout,
      'Total',
      'total',
      money,
      (row) =>
        `IF(${row.at('basis')}="lines",${row.at('sumValue')},IF(${row.at('basis')}="stated",${row.at('statedTotal')},NA()))`,
    ),
    vwap: metric(
      layout,
      'Price per tonne from lines',
      'vwap',
      price,
      (row) => `IF(${row.at('basis')}="lines",IFERROR(${row.at('sumValue')}/${row.at('sumVolume')},NA()),NA())`,
    ),
    pricePerTonne: metric(
      layout,
      'Price per tonne',
      'pricePerTonne',
      price,
      (row) => `IFERROR(${row.at('total')}/${row.at('volume')},NA())`,
    ),
  }
}

/** Stated figure minus sum; not available if a line lacks the figure. */
function difference(row: Row, stated: OfferKey, summed: OfferKey, part: DeliveryKey): string {
  const complete = `${row.count(`,${row.line(part)},${ANY_NUMBER}`)}=${row.at('lines')}`
  return `IF(AND(ISNUMBER(${row.at(stated)}),${row.at('lines')}>0,${complete}),${row.at(stated)}-${row.at(summed)},NA())`
}

function timing(
  layout: RfqLayout,
): Record<
  'firstDelivery' | 'lastDelivery' | 'oldestVintage' | 'newestVintage' | 'meanWait' | 'meanVintage' | 'onTimeShare',
  Column
> {
  const weightedMean = (row: Row, key: DeliveryKey, criteria: string) =>
    `IFERROR(${row.sum(key)}/${row.sum('volume', `,${row.line('volume')},">0"${criteria}`)},NA())`
  return {
    firstDelivery: dated(layout, 'First delivery', 'firstDelivery', '_xlfn.MINIFS'),
    lastDelivery: dated(layout, 'Last delivery', 'lastDelivery', '_xlfn.MAXIFS'),
    oldestVintage: metric(layout, 'Oldest vintage', 'oldestVintage', plainNumber, (row) =>
      extreme(row, '_xlfn.MINIFS', 'fromYear'),
    ),
    newestVintage: metric(layout, 'Newest vintage', 'newestVintage', plainNumber, (row) =>
      extreme(row, '_xlfn.MAXIFS', 'year'),
    ),
    meanWait: metric(layout, 'Mean wait (days)', 'meanWaitDays', oneDecimal, (row) =>
      weightedMean(row, 'tonneDays', `,${row.line('days')},${ANY_NUMBER}`),
    ),
    meanVintage: metric(layout, 'Mean vintage year', 'meanVintageYear', oneDecimal, (row) =>
      weightedMean(row, 'tonneYears', `,${row.line('year')},${ANY_NUMBER}`),
    ),
    onTimeShare: metric(
      layout,
      'Share due on time',
      'onTimeShare',
      percent,
      (row) => `IF(ISNUMBER(FulfilmentDays),${weightedMean(row, 'onTime', '')},NA())`,
    ),
  }
}

const extreme = (row: Row, name: string, key: DeliveryKey) =>
  `IF(${row.count(`,${row.line(key)},${ANY_NUMBER}`)}=0,NA(),${name}(${row.line(key)},${row.line('offer')},${row.at('offer')}))`

/** Spreadsheets treat dates before 1900 as text, which MIN and MAX ignore; in that case the report's own date is written. */
function dated(layout: RfqLayout, head: string, name: 'firstDelivery' | 'lastDelivery', extremum: string): Column {
  const cell = (offer: OfferReport, index: number): Cell => {
    const known = offer.metrics[name]
    const hasTextDate = offer.lines.some((line) => line.dueDate !== null && dateSerial(line.dueDate) === null)
    const expression = hasTextDate
      ? `IF(TRUE,${dateSerial(known) ?? 'NA()'})`
      : extreme(new Row(layout, index), extremum, 'due')
    return dateFormula(expression, known, calendarDate)
  }
  return { header: head, cell }
}

function valuation(
  layout: RfqLayout,
): Record<
  | 'prepaid'
  | 'prepaidShare'
  | 'prepaymentState'
  | 'presentValue'
  | 'presentValuePerTonne'
  | 'haircut'
  | 'riskPrice'
  | 'rate',
  Column
> {
  const money = (offer: OfferReport) => layout.numbers.money(offer.terms.currencyCode)
  const price = (offer: OfferReport) => layout.numbers.price(offer.terms.currencyCode)
  return {
    prepaid: metric(layout, 'Pre-paid', 'prepaid', money, (row) =>
      row.paid('amount', `,${row.payment('amount')},">0"`),
    ),
    prepaidShare: metric(layout, 'Pre-paid share', 'prepaidShare', percent, (row, offer) =>
      offer.shape === 'summary' ? 'NA()' : `IFERROR(${row.at('prepaid')}/${row.at('total')},NA())`,
    ),
    prepaymentState: {
      header: 'Pre-payment',
      cell: (offer, index) => {
        const share = new Row(layout, index).at('prepaidShare')
        const expression = `IF(ISNUMBER(${share}),IF(${share}>PrepaymentLimit+${ROUNDING_ALLOWANCE},"above limit","within limit"),"unknown")`
        return formula(expression, prepaymentState(layout, offer), body)
      },
    },
    presentValue: metric(layout, 'Present value', 'presentValue', money, (row) => {
      const share = `MIN(1,IF(ISNUMBER(${row.at('prepaidShare')}),${row.at('prepaidShare')},0))`
      const balance = `IF(${row.at('basis')}="lines",${row.sum('present')},${row.at('total')})`
      return `IF(${row.at('basis')}="",NA(),${row.paid('present')}+(1-${share})*${balance})`
    }),
    presentValuePerTonne: metric(
      layout,
      'Present value per tonne',
      'presentValuePerTonne',
      price,
      (row) => `IFERROR(${row.at('presentValue')}/${row.at('volume')},NA())`,
    ),
    haircut: metric(layout, 'Delivery-risk haircut', 'haircut', percent, (_row, offer) => haircutCellName(offer)),
    riskPrice: metric(
      layout,
      'Risk-adjusted price per tonne',
      'riskAdjustedPrice',
      price,
      (row) => `IFERROR(${row.at('presentValuePerTonne')}/(1-${row.at('haircut')}),NA())`,
    ),
    rate: rateColumn(layout),
  }
}

function prepaymentState({ report }: RfqLayout, { metrics }: OfferReport): string {
  if (metrics.prepaidShare === null) return 'unknown'
  return metrics.prepaidShare > report.settings.prepaymentShareLimit + Number(ROUNDING_ALLOWANCE)
    ? 'above limit'
    : 'within limit'
}

function haircutCellName({ terms }: OfferReport): string {
  if (terms.contractType === 'spot') return 'HaircutSpot'
  return terms.contractType === 'forward' ? 'HaircutForward' : 'HaircutOther'
}

function rateColumn({ report, currency }: RfqLayout): Column {
  const known = new Set(report.currency.rates.map((rate) => rate.currency))
  return {
    header: currency === null ? 'Exchange rate' : `Exchange rate (${currency} per unit)`,
    alignRight: true,
    cell: (offer) => {
      const code = offer.terms.currencyCode
      const expression = code !== null && known.has(code) ? `IF(ISNUMBER(Rate_${code}),Rate_${code},NA())` : 'NA()'
      return formula(expression, offer.compared.rate, exchangeRate)
    },
  }
}
const exchangeRate: Style = withNumberFormat(plainNumber, '0.0000##')

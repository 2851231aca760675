import { haircutKind, type MetricName } from '../../src/compare/offer/metrics.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { EXACT_TOTAL } from '../../src/compare/offer/reconciliation.js'
import { type At, type ColumnStyle, columnsOf } from '../layout/columns.js'
import * as style from '../xlsx/cell-styles.js'
import { dateSerial } from '../xlsx/cells.js'
import { haircutCell } from './inputs.js'
import type { DeliveryKey, OfferKey, PrepaymentKey, RfqLayout } from './layout.js'

type AtOffer = At<OfferKey>

/** Criterion of SUMIFS and COUNTIFS that matches every number the report accepts. */
const ANY_NUMBER = '">=-1E+300"'
/** The report's allowance for rounding errors of decimal fractions. */
const ROUNDING_ALLOWANCE = '1E-9'

/**
 * The metrics of an offer as formulas over `Deliveries` and `Prepayments`, each with the report model's figure as its
 * result. Definitions: src/compare/offer/metrics.ts, `Metrics`; offers are identified by number, never by text.
 */
export const metricColumns = (layout: RfqLayout) => ({
  ...sums(layout),
  ...timing(layout),
  ...valuation(layout),
  ...compared(layout),
})

/** What the metric columns have in common: styles in the offer's currency, and sums over the lines of an offer. */
function toolsOf({ offers, deliveries, prepayments, payments, numbers }: RfqLayout) {
  const { formula } = columnsOf<OfferReport, OfferKey>(offers)
  const line = (key: DeliveryKey) => deliveries.range(key)
  const payment = (key: PrepaymentKey) => prepayments.range(key)
  const ofOffer = (at: AtOffer, criteria: string) => `${line('offer')},${at('offer')}${criteria}`
  return {
    formula,
    line,
    payment,
    money: (offer: OfferReport) => numbers.money(offer.terms.currencyCode),
    price: (offer: OfferReport) => numbers.price(offer.terms.currencyCode),
    /** A column with a metric of the report model. */
    metric: (
      name: MetricName,
      header: string,
      cellStyle: ColumnStyle<OfferReport>,
      expression: (at: AtOffer, offer: OfferReport) => string,
    ) => formula(header, cellStyle, (offer, at) => [expression(at, offer), offer.metrics[name] as number | null]),
    count: (at: AtOffer, criteria = '') => `COUNTIFS(${ofOffer(at, criteria)})`,
    sum: (at: AtOffer, key: DeliveryKey, criteria = '') => `SUMIFS(${line(key)},${ofOffer(at, criteria)})`,
    /** Without pre-payments there is no such sheet. */
    paid: (at: AtOffer, key: PrepaymentKey, criteria = '') =>
      payments.length === 0 ? '0' : `SUMIFS(${payment(key)},${payment('offer')},${at('offer')}${criteria})`,
  }
}

/** One figure divided by another; not available if one of them is not. */
const ratio = (part: OfferKey, whole: OfferKey) => (at: AtOffer) => `IFERROR(${at(part)}/${at(whole)},NA())`

/** The figure from the lines or the stated one, by the basis of the offer. */
const byBasis = (at: AtOffer, lines: OfferKey, stated: OfferKey): string =>
  `IF(${at('basis')}="lines",${at(lines)},IF(${at('basis')}="stated",${at(stated)},NA()))`

/** src/compare/offer/reconciliation.ts, `totalTolerance`. */
const totalToleranceExpression = (stated: string): string =>
  `ROUND(MAX(${EXACT_TOTAL},TotalTolerance*ABS(${stated})),6)`

function sums(layout: RfqLayout) {
  const { formula, metric, line, count, sum, money, price } = toolsOf(layout)
  const { number } = columnsOf<OfferReport>()
  const { volume } = layout.numbers
  /** Stated figure minus sum; not available if a line lacks the figure. */
  const difference = (stated: OfferKey, summed: OfferKey, part: DeliveryKey) => (at: AtOffer) => {
    const complete = `${count(at, `,${line(part)},${ANY_NUMBER}`)}=${at('lines')}`
    return `IF(AND(ISNUMBER(${at(stated)}),${at('lines')}>0,${complete}),${at(stated)}-${at(summed)},NA())`
  }
  const volumes = difference('statedVolume', 'sumVolume', 'volume')
  const totals = difference('statedTotal', 'sumValue', 'total')
  return {
    statedVolume: number('Stated volume (t)', (offer) => offer.terms.statedVolume, volume),
    statedTotal: number('Stated total', (offer) => offer.terms.statedTotal, money),
    statedPrice: formula('Stated price per tonne', price, (offer, at) => {
      const [total, tonnes] = [at('statedTotal'), at('statedVolume')]
      return [`IF(AND(N(${total})>0,N(${tonnes})>0),${total}/${tonnes},NA())`, offer.metrics.statedPrice]
    }),
    lines: metric('lineCount', 'Lines', style.integer, (at) => count(at)),
    usable: formula('Lines with volume and price', style.integer, ({ lines }, at) => [
      count(at, `,${line('volume')},">=0",${line('price')},">=0"`),
      lines.filter((each) => (each.volume ?? -1) >= 0 && (each.unitPrice ?? -1) >= 0).length,
    ]),
    sumVolume: metric('sumVolume', 'Sum of volumes (t)', volume, (at) => sum(at, 'volume')),
    sumValue: metric('sumValue', 'Sum of line totals', money, (at) => sum(at, 'total')),
    volumeDifference: metric('volumeDifference', 'Stated volume − sum (t)', volume, volumes),
    volumeVerdict: formula('Volume check', style.body, ({ metrics }, at) => [
      `IF(ISNUMBER(${at('volumeDifference')}),${within(at('volumeDifference'), 'VolumeTolerance', 'equal')},"")`,
      metrics.volumeVerdict ?? '',
    ]),
    totalDifference: metric('totalDifference', 'Stated total − sum', money, totals),
    totalVerdict: formula('Total check', style.body, ({ metrics }, at) => {
      const difference = at('totalDifference')
      const rounding = within(difference, totalToleranceExpression(at('statedTotal')), 'rounding')
      const verdict = within(difference, EXACT_TOTAL, 'equal', rounding)
      return [`IF(ISNUMBER(${difference}),${verdict},"")`, metrics.totalVerdict ?? '']
    }),
    basis: formula('Basis of volume and total', style.body, ({ metrics }, at) => {
      const lines = `AND(${at('usable')}=${at('lines')},${at('sumVolume')}>0,${at('sumValue')}>0)`
      const stated = `AND(N(${at('statedVolume')})>0,N(${at('statedTotal')})>0)`
      return [`IF(${lines},"lines",IF(${stated},"stated",""))`, metrics.basis ?? '']
    }),
    total: metric('total', 'Own total', money, (at) => byBasis(at, 'sumValue', 'statedTotal')),
    pricePerTonne: metric('pricePerTonne', 'Own price per tonne', price, ratio('total', 'volume')),
  }
}

/** The word for a difference within a limit; otherwise another one. */
const within = (difference: string, limit: string | number, word: string, otherwise = '"differs"') =>
  `IF(ROUND(ABS(${difference}),6)<=${limit},"${word}",${otherwise})`

function timing(layout: RfqLayout) {
  const { formula, metric, line, count, sum } = toolsOf(layout)
  const { plainNumber, oneDecimal, percent } = style
  const weightedMean = (key: DeliveryKey, known?: DeliveryKey) => (at: AtOffer) => {
    const criteria = known === undefined ? '' : `,${line(known)},${ANY_NUMBER}`
    return `IFERROR(${sum(at, key)}/${sum(at, 'volume', `,${line('volume')},">0"${criteria}`)},NA())`
  }
  const extreme = (name: 'MINIFS' | 'MAXIFS', key: DeliveryKey) => (at: AtOffer) =>
    `IF(${count(at, `,${line(key)},${ANY_NUMBER}`)}=0,NA(),_xlfn.${name}(${line(key)},${line('offer')},${at('offer')}))`
  const dated = (header: string, name: 'firstDelivery' | 'lastDelivery', extremum: 'MINIFS' | 'MAXIFS') =>
    formula(header, style.calendarDate, (offer, at) => {
      const day = dateSerial(offer.metrics[name])
      return [hasTextDate(offer) ? `IF(TRUE,${day ?? 'NA()'})` : extreme(extremum, 'due')(at), day]
    })
  const onTime = (at: AtOffer) => `IF(ISNUMBER(FulfilmentDays),${weightedMean('onTime')(at)},NA())`
  return {
    firstDelivery: dated('First delivery', 'firstDelivery', 'MINIFS'),
    lastDelivery: dated('Last delivery', 'lastDelivery', 'MAXIFS'),
    oldestVintage: metric('oldestVintage', 'Oldest vintage', plainNumber, extreme('MINIFS', 'fromYear')),
    newestVintage: metric('newestVintage', 'Newest vintage', plainNumber, extreme('MAXIFS', 'year')),
    meanWait: metric('meanWaitDays', 'Mean wait (days)', oneDecimal, weightedMean('tonneDays', 'days')),
    meanVintage: metric('meanVintageYear', 'Mean vintage year', oneDecimal, weightedMean('tonneYears', 'year')),
    onTimeShare: metric('onTimeShare', 'Share due on time', percent, onTime),
  }
}

/** Spreadsheets treat dates before 1900 as text, which MIN and MAX ignore; in that case the report's own date is written. */
const hasTextDate = ({ lines }: OfferReport) =>
  lines.some(({ dueDate }) => dueDate !== null && dateSerial(dueDate) === null)

function valuation(layout: RfqLayout) {
  const { formula, metric, sum, paid, payment, money, price } = toolsOf(layout)
  const { percent } = style
  const rates = new Set(layout.report.currency.rates.map(({ currency }) => currency))
  const rateExpression = ({ terms: { currencyCode: code } }: OfferReport) =>
    code !== null && rates.has(code) ? `IF(ISNUMBER(Rate_${code}),Rate_${code},NA())` : 'NA()'
  const share = (at: AtOffer, { shape }: OfferReport) => (shape === 'summary' ? 'NA()' : ratio('prepaid', 'total')(at))
  const riskPrice = (at: AtOffer) => `IFERROR(${at('presentValuePerTonne')}/(1-${at('haircut')}),NA())`
  const perTonne = ratio('presentValue', 'volume')
  return {
    prepaid: metric('prepaid', 'Pre-paid', money, (at) => paid(at, 'amount', `,${payment('amount')},">0"`)),
    prepaidShare: metric('prepaidShare', 'Pre-paid share', percent, share),
    prepaymentState: formula('Pre-payment check', style.body, ({ metrics: { prepaidShare: share } }, at) => {
      const cell = at('prepaidShare')
      const known = `IF(${cell}>PrepaymentLimit+${ROUNDING_ALLOWANCE},"above limit","within limit")`
      const limit = layout.report.settings.prepaymentShareLimit + Number(ROUNDING_ALLOWANCE)
      const cached = share === null ? 'unknown' : share > limit ? 'above limit' : 'within limit'
      return [`IF(ISNUMBER(${cell}),${known},"unknown")`, cached]
    }),
    presentValue: metric('presentValue', 'Present value', money, (at) => {
      const prepaid = `MIN(1,IF(ISNUMBER(${at('prepaidShare')}),${at('prepaidShare')},0))`
      const balance = `IF(${at('basis')}="lines",${sum(at, 'present')},${at('total')})`
      return `IF(${at('basis')}="",NA(),${paid(at, 'present')}+(1-${prepaid})*${balance})`
    }),
    presentValuePerTonne: metric('presentValuePerTonne', 'Present value per tonne', price, perTonne),
    haircut: metric('haircut', 'Delivery-risk haircut', percent, (_at, { terms }) =>
      haircutCell(haircutKind(terms.contractType)),
    ),
    riskPrice: metric('riskAdjustedPrice', 'Own risk-adjusted price per tonne', price, riskPrice),
    rate: formula(
      layout.currency === null ? 'Exchange rate' : `Exchange rate (${layout.currency} per unit)`,
      style.exchangeRate,
      (offer) => [rateExpression(offer), offer.compared.rate],
    ),
  }
}

/** The same in the comparison currency. */
function compared({ offers, numbers, money, price, inCurrency, perTonne }: RfqLayout) {
  const { formula } = columnsOf<OfferReport, OfferKey>(offers)
  const times = (key: OfferKey) => (at: AtOffer) => `IFERROR(${at(key)}*${at('rate')},NA())`
  const cost = (at: AtOffer) =>
    `IF(PriceBasis="quoted",${at('total')},IF(PriceBasis="present-value",${at('presentValue')},${at('presentValue')}/(1-${at('haircut')})))`
  return {
    volume: formula('Volume (t)', numbers.volume, (offer, at) => [
      byBasis(at, 'sumVolume', 'statedVolume'),
      offer.metrics.volume,
    ]),
    coverage: formula('Coverage', style.percent, (offer, at) => [
      `IFERROR(MIN(1,${at('volume')}/TonnesAskedFor),NA())`,
      offer.metrics.coverage,
    ]),
    comparedTotal: formula(inCurrency('Total'), money, (offer, at) => [times('total')(at), offer.compared.total]),
    comparedPricePerTonne: formula(perTonne('Price per tonne'), style.asBold(price), (offer, at) => [
      times('pricePerTonne')(at),
      offer.compared.pricePerTonne,
    ]),
    comparedPrice: formula(perTonne('Risk-adjusted price per tonne'), price, (offer, at) => [
      `IFERROR(ROUND(${at('riskPrice')}*${at('rate')},6),NA())`,
      offer.compared.price,
    ]),
    cost: formula(inCurrency('Cost, by the price basis'), money, (offer, at) => [
      `IFERROR(${cost(at)}*${at('rate')},NA())`,
      offer.compared.cost,
    ]),
    costPerTonne: formula(perTonne('Cost per tonne, by the price basis'), price, (offer, at) => [
      `IFERROR(ROUND(${at('cost')}/${at('volume')},6),NA())`,
      offer.compared.costPerTonne,
    ]),
  }
}

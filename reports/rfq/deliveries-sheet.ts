import { type At, columnsOf } from '../layout/columns.js'
import { keys } from '../layout/grid.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import type { DeliveryKey, OfferLine, OfferPrepayment, PrepaymentKey, RfqLayout } from './layout.js'

/** `Deliveries`: the lines from which the workbook computes its sums and means. */
export function deliveriesSheet(layout: RfqLayout): SheetPlan {
  return tableSheet<OfferLine, DeliveryKey>(layout, {
    grid: layout.deliveries,
    title: 'Scheduled deliveries',
    note: 'One row per vintage of a scheduled delivery. Line total = volume × unit price, in the offer’s currency. Empty cells: not stated.',
    columns: { ...termColumns(layout), ...calculationColumns(layout) },
    working: keys('days factor present tonneDays onTime tonneYears'),
    rows: layout.lines,
    emptyText: layout.report.offers.length === 0 ? layout.noOffers : 'No offer has scheduled deliveries.',
    frozenColumns: 1,
  })
}

function termColumns({ deliveries, numbers }: RfqLayout) {
  const { text, codes, number, date, formulaOrEmpty } = columnsOf<OfferLine, DeliveryKey>(deliveries)
  const price = ({ offer }: OfferLine) => numbers.price(offer.terms.currencyCode)
  const money = ({ offer }: OfferLine) => numbers.money(offer.terms.currencyCode)
  return {
    offer: number('Offer no.', ({ offer }) => offer.sequence),
    due: date('Due date', ({ line }) => line.dueDate),
    year: number('Vintage year', ({ line }) => line.vintageYear),
    volume: number('Volume (t)', ({ line }) => line.volume, numbers.volume),
    price: number('Unit price (per t)', ({ line }) => line.unitPrice, price),
    total: formulaOrEmpty('Line total', money, ({ line }, at) => [`${at('volume')}*${at('price')}`, line.total]),
    currency: text('Currency', ({ offer }) => offer.terms.currency),
    label: text('Offer', ({ offer }) => offer.label),
    delivery: number('Delivery no.', ({ line }) => line.delivery),
    vintage: number('Vintage no.', ({ line }) => line.vintage),
    method: codes('Method', ({ line }) => line.method),
    periodStart: date('Period from', ({ line }) => line.periodStart),
    periodEnd: date('Period to', ({ line }) => line.periodEnd),
    fromYear: number('Vintage start year', ({ line }) => line.vintageFromYear),
    name: text('Vintage name', ({ line }) => line.name),
    mitigation: codes('Mitigation types', ({ line }) => line.mitigationTypes),
  }
}

/** The discount factor of a payment by its days from the as-of date; overdue and undated payments are not discounted. */
const factorOf = (days: string): string => `1/(1+DiscountRate)^(MAX(0,N(${days}))/365)`

/** Intermediate results the metrics are summed from, not rounded. */
function calculationColumns({ deliveries, numbers, report }: RfqLayout) {
  const limit = report.rfq.daysToFulfilment
  const { days, formula, formulaOrEmpty } = columnsOf<OfferLine, DeliveryKey>(deliveries)
  const money = ({ offer }: OfferLine) => numbers.money(offer.terms.currencyCode)
  const volumeOf = ({ line }: OfferLine) => Math.max(0, line.volume ?? 0)
  const isOnTime = ({ line }: OfferLine) => limit !== null && line.days !== null && line.days <= limit
  const volume = (at: At<DeliveryKey>) => `MAX(0,N(${at('volume')}))`
  return {
    days: days('Days from as-of date', 'due', ({ line }) => [line.dueDate, line.days], { band: 'Calculation' }),
    factor: formula('Discount factor', style.fourDecimals, ({ line }, at) => [
      factorOf(at('days')),
      line.discountFactor,
    ]),
    present: formulaOrEmpty('Discounted line total', money, ({ line: { total, discountFactor } }, at) => [
      `${at('total')}*${at('factor')}`,
      total === null ? null : total * discountFactor,
    ]),
    tonneDays: formula('Volume × days', style.integer, (line, at) => [
      `IF(ISNUMBER(${at('days')}),${volume(at)}*${at('days')},0)`,
      volumeOf(line) * (line.line.days ?? 0),
    ]),
    onTime: formula('Volume due on time (t)', numbers.volume, (line, at) => [
      `IF(AND(ISNUMBER(FulfilmentDays),ISNUMBER(${at('days')})),IF(${at('days')}<=FulfilmentDays,${volume(at)},0),0)`,
      isOnTime(line) ? volumeOf(line) : 0,
    ]),
    tonneYears: formula('Volume × vintage year', style.integer, (line, at) => [
      `${volume(at)}*N(${at('year')})`,
      volumeOf(line) * (line.line.vintageYear ?? 0),
    ]),
  }
}

/** `Prepayments`. */
export function prepaymentsSheet(layout: RfqLayout): SheetPlan {
  const { prepayments, offers, numbers } = layout
  const { text, number, date, days, formula, formulaOrEmpty } = columnsOf<OfferPrepayment, PrepaymentKey>(prepayments)
  const rowOf = new Map(layout.report.offers.map((offer, index) => [offer, index]))
  const money = ({ offer }: OfferPrepayment) => numbers.money(offer.terms.currencyCode)
  return tableSheet(layout, {
    grid: prepayments,
    title: 'Pre-payments',
    note: 'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.',
    rows: layout.payments,
    emptyText: layout.report.offers.length === 0 ? layout.noOffers : 'No offer requires a pre-payment.',
    working: keys('days factor present'),
    frozenColumns: 2,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      label: text('Offer', ({ offer }) => offer.label),
      number: number('No.', ({ payment }) => payment.number),
      due: date('Due date', ({ payment }) => payment.dueDate),
      amount: number('Amount', ({ payment }) => payment.amount, money),
      currency: text('Currency', ({ offer }) => offer.terms.currency, { style: style.body }),
      share: formulaOrEmpty('Share of total', style.percent, ({ offer, payment }, at) => [
        `${at('amount')}/${offers.cell('total', rowOf.get(offer) as number)}`,
        shareOf(payment.amount, offer.metrics.total),
      ]),
      days: days('Days from as-of date', 'due', ({ payment }) => [payment.dueDate, payment.days]),
      factor: formula('Discount factor', style.fourDecimals, ({ payment }, at) => [
        factorOf(at('days')),
        payment.discountFactor,
      ]),
      present: formula('Discounted amount', money, ({ payment }, at) => [
        `MAX(0,N(${at('amount')}))*${at('factor')}`,
        Math.max(0, payment.amount ?? 0) * payment.discountFactor,
      ]),
    },
  })
}

const shareOf = (amount: number | null, total: number | null) =>
  amount === null || total === null ? null : amount / total

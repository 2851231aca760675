import { daysFromAsOf } from '../layout/as-of.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { body, calendarDate, fourDecimals, percent, plainNumber, wrapped } from '../xlsx/cell-styles.js'
import { date, formula, number, text } from '../xlsx/cells.js'
import { discountFactorExpression } from './deliveries-sheet.js'
import { type OfferPrepayment, type PrepaymentKey, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.'

/** `Prepayments`. */
export function prepaymentsSheet(layout: RfqLayout): SheetPlan {
  const { prepayments, offers, numbers } = layout
  const at = (key: PrepaymentKey, index: number) => prepayments.at(key, index)
  const rowOf = new Map(layout.report.offers.map((offer, index) => [offer, index]))
  return tableSheet<OfferPrepayment, PrepaymentKey>({
    grid: prepayments,
    heading: rfqHeading(layout, 'Pre-payments', NOTE),
    rows: layout.payments,
    emptyText: 'No offer requires a pre-payment.',
    frozenColumns: 2,
    columns: {
      offer: { header: 'Offer no.', alignRight: true, cell: ({ offer }) => number(offer.sequence, plainNumber) },
      label: { header: 'Offer', cell: ({ offer }) => text(offer.label, wrapped) },
      number: { header: 'No.', alignRight: true, cell: ({ payment }) => number(payment.number, plainNumber) },
      due: { header: 'Due date', cell: ({ payment }) => date(payment.dueDate, calendarDate) },
      amount: {
        header: 'Amount',
        alignRight: true,
        cell: ({ offer, payment }) => number(payment.amount, numbers.money(offer.terms.currencyCode)),
      },
      currency: { header: 'Currency', cell: ({ offer }) => text(offer.terms.currency, body) },
      share: {
        header: 'Share of total',
        alignRight: true,
        cell: ({ offer, payment }, index) => {
          const { total } = offer.metrics
          if (payment.amount === null || total === null) return text(null, percent)
          const totalCell = offers.cell('total', rowOf.get(offer) as number)
          return formula(`${at('amount', index)}/${totalCell}`, payment.amount / total, percent)
        },
      },
      days: {
        header: 'Days from as-of date',
        alignRight: true,
        cell: ({ payment }, index) => daysFromAsOf(at('due', index), payment.dueDate, payment.days),
      },
      factor: {
        header: 'Discount factor',
        alignRight: true,
        cell: ({ payment }, index) =>
          formula(discountFactorExpression(at('days', index)), payment.discountFactor, fourDecimals),
      },
      present: {
        header: 'Discounted amount',
        alignRight: true,
        cell: ({ offer, payment }, index) =>
          formula(
            `MAX(0,N(${at('amount', index)}))*${at('factor', index)}`,
            Math.max(0, payment.amount ?? 0) * payment.discountFactor,
            numbers.money(offer.terms.currencyCode),
          ),
      },
    },
  })
}

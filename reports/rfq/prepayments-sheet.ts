import { columnsOf, working } from '../layout/columns.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { discountFactorExpression } from './deliveries-sheet.js'
import { type OfferPrepayment, type PrepaymentKey, type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.'

/** `Prepayments`. */
export function prepaymentsSheet(layout: RfqLayout): SheetPlan {
  const { prepayments, offers, numbers } = layout
  const { text, number, date, days, formula, formulaOrEmpty } = columnsOf<OfferPrepayment, PrepaymentKey>(prepayments)
  const rowOf = new Map(layout.report.offers.map((offer, index) => [offer, index]))
  const money = ({ offer }: OfferPrepayment) => numbers.money(offer.terms.currencyCode)
  return tableSheet({
    grid: prepayments,
    heading: rfqHeading(layout, 'Pre-payments', NOTE),
    rows: layout.payments,
    emptyText: 'No offer requires a pre-payment.',
    frozenColumns: 2,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      label: text('Offer', ({ offer }) => offer.label),
      number: number('No.', ({ payment }) => payment.number),
      due: date('Due date', ({ payment }) => payment.dueDate),
      amount: number('Amount', ({ payment }) => payment.amount, money),
      currency: text('Currency', ({ offer }) => offer.terms.currency, { look: style.body }),
      share: formulaOrEmpty('Share of total', style.percent, ({ offer, payment }, at) => [
        `${at('amount')}/${offers.cell('total', rowOf.get(offer) as number)}`,
        shareOf(payment.amount, offer.metrics.total),
      ]),
      ...working({
        days: days('Days from as-of date', 'due', ({ payment }) => [payment.dueDate, payment.days]),
        factor: formula('Discount factor', style.fourDecimals, ({ payment }, at) => [
          discountFactorExpression(at('days')),
          payment.discountFactor,
        ]),
        present: formula('Discounted amount', money, ({ payment }, at) => [
          `MAX(0,N(${at('amount')}))*${at('factor')}`,
          Math.max(0, payment.amount ?? 0) * payment.discountFactor,
        ]),
      }),
    },
  })
}

const shareOf = (amount: number | null, total: number | null) =>
  amount === null || total === null ? null : amount / total

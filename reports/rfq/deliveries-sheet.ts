import { ratio } from '../../src/core/numbers.js'
import { columnsOf } from '../layout/columns.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import type { DeliveryKey, OfferLine, OfferPrepayment, RfqLayout } from './layout.js'

/** `Deliveries`: the lines whose sums are the totals of the offers. */
export function deliveriesSheet(layout: RfqLayout): SheetPlan {
  const { deliveries, numbers } = layout
  const { text, codes, number, date, formula } = columnsOf<OfferLine, DeliveryKey>(deliveries)
  const price = ({ offer }: OfferLine) => numbers.price(offer.terms.currencyCode)
  const money = ({ offer }: OfferLine) => numbers.money(offer.terms.currencyCode)
  return tableSheet<OfferLine, DeliveryKey>(layout, {
    grid: deliveries,
    title: 'Scheduled deliveries',
    note: 'One row per vintage of a scheduled delivery. Line total = volume × unit price, in the offer’s currency. Empty cells: not stated.',
    rows: layout.lines,
    emptyText: 'No offer has scheduled deliveries.',
    frozenColumns: 1,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      due: date('Due date', ({ line }) => line.dueDate),
      year: number('Vintage year', ({ line }) => line.vintageYear),
      volume: number('Volume (t)', ({ line }) => line.volume, numbers.volume),
      price: number('Unit price (per t)', ({ line }) => line.unitPrice, price),
      total: formula('Line total', money, ({ line }, at) => [`${at('volume')}*${at('price')}`, line.total]),
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
    },
  })
}

/** `Prepayments`. */
export function prepaymentsSheet(layout: RfqLayout): SheetPlan {
  const { text, number, date, figure } = columnsOf<OfferPrepayment>()
  const money = ({ offer }: OfferPrepayment) => layout.numbers.money(offer.terms.currencyCode)
  const share = ({ offer, payment }: OfferPrepayment) => ratio(payment.amount, offer.metrics.total)
  return tableSheet(layout, {
    grid: 'Prepayments',
    title: 'Pre-payments',
    note: 'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.',
    rows: layout.payments,
    frozenColumns: 2,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      label: text('Offer', ({ offer }) => offer.label),
      number: number('No.', ({ payment }) => payment.number),
      due: date('Due date', ({ payment }) => payment.dueDate),
      amount: number('Amount', ({ payment }) => payment.amount, money),
      currency: text('Currency', ({ offer }) => offer.terms.currency, { style: style.body }),
      share: figure('Share of total', share, style.percent),
    },
  })
}

import { ratio } from '../../src/core/numbers.js'
import { columnsOf } from '../layout/columns.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { OfferLine, OfferPrepayment, RfqLayout } from './layout.js'

/** `Deliveries`: the lines whose sums are the totals of the offers. */
export function deliveriesSheet(layout: RfqLayout): WriteSheet {
  const { text, codes, number, date, formula } = columnsOf<OfferLine>()
  return tableSheet(layout, {
    name: 'Deliveries',
    title: 'Scheduled deliveries',
    note: 'One row per vintage of a delivery. Line total = volume × unit price, in the offer’s currency. Empty: not stated.',
    rows: layout.lines,
    frozenColumns: 1,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      due: date('Due date', ({ line }) => line.dueDate),
      year: number('Vintage year', ({ line }) => line.vintageYear),
      volume: number('Volume (t)', ({ line }) => line.volume, layout.tonnes),
      price: number('Unit price (per t)', ({ line }) => line.unitPrice, style.price),
      total: formula('Line total', style.total, ({ line }, at) => [`${at('volume')}*${at('price')}`, line.total]),
      currency: text('Currency', ({ offer }) => offer.terms.currency),
      label: text('Offer', ({ offer }) => offer.label),
      method: codes('Method', ({ line }) => line.method),
      name: text('Vintage name', ({ line }) => line.name),
      periodStart: date('Period from', ({ line }) => line.periodStart),
      periodEnd: date('Period to', ({ line }) => line.periodEnd),
      mitigation: codes('Mitigation types', ({ line }) => line.mitigationTypes),
      delivery: number('Delivery no.', ({ line }) => line.delivery),
      vintage: number('Vintage no.', ({ line }) => line.vintage),
    },
  })
}

/** `Prepayments`. */
export function prepaymentsSheet(layout: RfqLayout): WriteSheet {
  const { text, number, date, figure } = columnsOf<OfferPrepayment>()
  const share = ({ offer, payment }: OfferPrepayment) => ratio(payment.amount, offer.metrics.total)
  return tableSheet(layout, {
    name: 'Prepayments',
    title: 'Pre-payments',
    note: 'One row per pre-payment, in the offer’s currency. Pre-payments are part of the total, not in addition to it.',
    rows: layout.payments,
    frozenColumns: 1,
    columns: {
      offer: number('Offer no.', ({ offer }) => offer.sequence),
      label: text('Offer', ({ offer }) => offer.label),
      due: date('Due date', ({ payment }) => payment.dueDate),
      amount: number('Amount', ({ payment }) => payment.amount, style.total),
      currency: text('Currency', ({ offer }) => offer.terms.currency),
      share: figure('Share of total', share, style.percent),
    },
  })
}

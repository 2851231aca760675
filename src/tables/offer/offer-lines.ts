import type { OfferReport } from '../../compare/offer/offer-report-model.js'
import { ratio } from '../../core/numbers.js'
import { type Column, column, money } from '../column.js'

const offerOf = ({ sequence, label, terms }: OfferReport) => ({ offer: sequence, label, currency: terms.currency })

/** The vintages of the deliveries of an offer. */
export const offerLines = (offer: OfferReport) => offer.lines.map((line) => ({ ...line, ...offerOf(offer) }))
type OfferLine = ReturnType<typeof offerLines>[number]

/** What is paid before delivery. */
export const offerPrepayments = (offer: OfferReport) =>
  offer.prepayments.map((payment) => ({
    ...payment,
    ...offerOf(offer),
    share: ratio(payment.amount, offer.metrics.total),
  }))
type OfferPrepayment = ReturnType<typeof offerPrepayments>[number]

/** The table of the deliveries of offers. */
export const DELIVERY_COLUMNS: readonly Column<OfferLine>[] = [
  column('offer', 'Offer no.', 'id', 0, ({ offer }) => offer),
  column('dueDate', 'Due', 'date', 9, ({ dueDate }) => dueDate),
  column('vintage', 'Vintage', 'id', 7, ({ vintageYear }) => vintageYear),
  column('tonnes', 'Tonnes', 'tonnes', 9, ({ volume }) => volume),
  column('price', 'Price', 'price', 9, ({ unitPrice, currency }) => money(unitPrice, currency)),
  column('total', 'Total', 'money', 9, ({ total, currency }) => money(total, currency)),
  column('name', 'Vintage name', 'text', 5, ({ name }) => name),
  column('periodStart', 'Period from', 'date', 4, ({ periodStart }) => periodStart),
  column('periodEnd', 'Period to', 'date', 4, ({ periodEnd }) => periodEnd),
  column('mitigation', 'Mitigation', 'text', 2, ({ mitigationTypes }) => mitigationTypes),
  column('method', 'Method', 'text', 1, ({ method }) => method),
  column('label', 'Offer', 'text', 0, ({ label }) => label),
  column('delivery', 'Delivery', 'id', 0, ({ delivery }) => delivery),
  column('vintageNumber', 'Vintage no.', 'id', 0, ({ vintage }) => vintage),
]

/** The table of what offers ask to be paid before delivery. */
export const PREPAYMENT_COLUMNS: readonly Column<OfferPrepayment>[] = [
  column('offer', 'Offer no.', 'id', 0, ({ offer }) => offer),
  column('label', 'Offer', 'text', 0, ({ label }) => label),
  column('dueDate', 'Due', 'date', 9, ({ dueDate }) => dueDate),
  column('amount', 'Amount', 'money', 9, ({ amount, currency }) => money(amount, currency)),
  column('share', 'Of the total', 'percent', 7, ({ share }) => share),
]

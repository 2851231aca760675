import type { FieldValue } from '../documents/document-fields.js'
import { priceOffer } from '../documents/offer-price.js'
import { plausibleOrNull } from '../numbers.js'
import {
  formatAmount,
  formatExactPrice,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
  truncate,
} from '../text/number-format.js'
import { capitalized, changeSuffix, formatDay, formatValue, numberChange, quote, signedTotal } from './change-text.js'
import { type DeliveryChanges, describeDeliveries, type LineChange } from './delivery-changes.js'
import {
  type Clause,
  type DocumentDifference,
  type Fields,
  itemDifferences,
  itemPattern,
  itemsOf,
  matchItems,
} from './document-difference.js'
import { describeDate, describeField, describeText } from './other-fields.js'

/** The figures of an offer, in its own currency. */
interface Figures {
  volume: number | null
  total: number | null
  pricePerTonne: number | null
  currency: string | null
}

const DELIVERIES = 'offer.scheduledDeliveries'
const PREPAYMENTS = 'offer.prePayments'

/** Describes the changes of an offer: first its figures, once, then what changed in detail. */
export function describeOfferChanges(difference: DocumentDifference): Clause[] {
  const { year } = difference
  const date = difference.take('offer.expiryDate')
  const notes = difference.take('offer.additionalNotesToBuyer')
  const contract = difference.take('offer.contractType')
  const listing = difference.take('listingId')
  const deliveries = describeDeliveries(difference, DELIVERIES)
  return [
    ...describeFigures(difference, deliveries),
    ...describeStatus(difference),
    ...deliveries.clauses,
    ...describeReview(difference),
    ...(date === null ? [] : [describeDate('Expires', date, year)]),
    ...describePrepayments(difference),
    ...(contract === null ? [] : [{ message: contractText(contract), fields: [contract] }]),
    ...(notes === null ? [] : [describeText('Notes', notes, year)]),
    ...(listing === null ? [] : [{ message: 'Offered from another listing', fields: [listing] }]),
    ...describeNames(difference),
    ...describeSubmission(difference),
  ]
}

/** `Submitted 13 Mar: 8,670 t at 28.80 USD/t`. */
export function describeNewOffer(fields: Fields, year: string): string {
  const day = formatDay(fields.get('submittedAt') ?? null, year)
  const { volume, total, pricePerTonne, currency } = figuresOf(fields)
  const price = pricePerTonne === null ? null : formatPricePerTonne(pricePerTonne, currency)
  const amount = volume === null ? null : formatTonnes(volume)
  const terms =
    amount !== null && price !== null
      ? `${amount} at ${price}`
      : (amount ?? (total === null ? 'no volume and price stated' : formatTotal(total, currency)))
  const status = fields.get('status')
  const more = typeof status !== 'string' || status === 'submitted' ? '' : `; status ${statusText(status)}`
  return `Submitted${day === null ? '' : ` ${day}`}: ${terms}${more}`
}

function figuresOf(fields: Fields): Figures {
  const number = (value: FieldValue | undefined) => (typeof value === 'number' ? plausibleOrNull(value) : null)
  const stated = { volume: number(fields.get('offer.totalVolume')), total: number(fields.get('offer.totalPrice')) }
  const vintages = itemsOf(fields, DELIVERIES)
    .flatMap((delivery) => itemsOf(delivery, 'vintages'))
    .map((line) => ({ volume: number(line.get('volume')), unitPrice: number(line.get('unitPrice')) }))
  const { pricePerTonne, volume, total } = priceOffer(vintages, stated)
  const currency = fields.get('offer.currency')
  return {
    volume: stated.volume ?? volume,
    total: stated.total ?? total,
    pricePerTonne,
    currency: typeof currency === 'string' ? truncate(currency, 8) : null,
  }
}

/** Price, volume and total in one clause. */
function describeFigures(difference: DocumentDifference, { unitPrice, onlyVolume }: DeliveryChanges): Clause[] {
  const [old, now] = [figuresOf(difference.before), figuresOf(difference.after)]
  const currency = difference.take('offer.currency')
  const stated = ['offer.totalVolume', 'offer.totalPrice'].flatMap((field) => {
    const [before, after] = [difference.before.get(field), difference.after.get(field)]
    // Anything but a number is described by its name.
    const isNumber = [before, after].every((value) => value === undefined || typeof value === 'number')
    return isNumber ? (difference.take(field) ?? []) : []
  })
  const price = unitPrice === null ? priceText(old, now) : unitPriceText(unitPrice, old, now)
  const parts = [price, volumeText(old, now)].filter((part) => part !== null)
  const total = totalText(old, now, parts.length > 0)
  if (total !== null) parts.push(total)
  if (currency !== null) parts.push(describeField('currency', currency, difference.year))
  const isTold = onlyVolume !== null && onlyVolume.before === old.volume && onlyVolume.after === now.volume
  const fields = [
    ...(unitPrice?.fields ?? []),
    ...(isTold ? onlyVolume.fields : []),
    ...stated,
    ...(currency === null ? [] : [currency]),
  ]
  const clauses = parts.length === 0 ? [] : [{ message: capitalized(parts.join('; ')), fields }]
  if (onlyVolume === null || isTold) return clauses
  const message = `Volume of the delivery ${numberChange(onlyVolume.before, onlyVolume.after, formatAmount)} t`
  return [...clauses, { message, fields: onlyVolume.fields }]
}

const hasSameCurrency = (old: Figures, now: Figures) => old.currency === now.currency

/** `28.80 → 28.10 USD (−2.4 %)`, or `28.80 USD → 26.10 EUR`. */
function amounts(before: number, after: number, format: (value: number) => string, old: Figures, now: Figures): string {
  const unit = (currency: string | null) => (currency === null ? '' : ` ${currency}`)
  if (hasSameCurrency(old, now))
    return `${numberChange(before, after, format)}${unit(now.currency)}${changeSuffix(before, after)}`
  return `${format(before)}${unit(old.currency)} → ${format(after)}${unit(now.currency)}`
}

const unitPriceText = ({ before, after, where }: LineChange, old: Figures, now: Figures) =>
  `unit price ${amounts(before, after, formatExactPrice, old, now)}${where}`

function priceText(old: Figures, now: Figures): string | null {
  const [before, after] = [old.pricePerTonne, now.pricePerTonne]
  if (before === null || after === null) return null
  const isSame = formatExactPrice(before) === formatExactPrice(after) && hasSameCurrency(old, now)
  return isSame ? null : `price per tonne ${amounts(before, after, formatExactPrice, old, now)}`
}

function volumeText(old: Figures, now: Figures): string | null {
  if (old.volume === now.volume) return null
  if (old.volume === null) return `volume ${formatTonnes(now.volume ?? 0)} (none stated before)`
  if (now.volume === null) return `no volume any more (was ${formatTonnes(old.volume)})`
  return `volume ${numberChange(old.volume, now.volume, formatAmount)} t${changeSuffix(old.volume, now.volume)}`
}

/** @param isDetail whether the reader already knows in which direction the price or the volume changed */
function totalText(old: Figures, now: Figures, isDetail: boolean): string | null {
  if (old.total === now.total && hasSameCurrency(old, now)) return null
  if (old.total === null)
    return now.total === null ? null : `total ${formatTotal(now.total, now.currency)} (none before)`
  if (now.total === null) return `no total any more (was ${formatTotal(old.total, old.currency)})`
  const isPlainDifference = isDetail && hasSameCurrency(old, now)
  if (isPlainDifference) return `total ${signedTotal(now.total - old.total, now.currency)}`
  return `total ${amounts(old.total, now.total, (value) => formatTotal(value, null), old, now)}`
}

const KNOWN_STATUS = new Set(['submitted', 'accepted', 'rejected', 'pending'])
const statusText = (value: FieldValue) =>
  value === null ? 'not stated' : KNOWN_STATUS.has(String(value)) ? String(value) : quote(value)

function describeStatus(difference: DocumentDifference): Clause[] {
  const status = difference.take('status')
  if (status === null) return []
  const { after } = status
  const isDecided = after === 'accepted' || after === 'rejected'
  const message = `${isDecided ? capitalized(after) : `Status ${statusText(after)}`} (was ${statusText(status.before)})`
  return [{ event: isDecided ? after : 'status', message, fields: [status] }]
}

function describeReview(difference: DocumentDifference): Clause[] {
  const status = difference.take('offer.review.status')
  const comment = difference.take('offer.review.comment')
  // Who reviewed it in which system, and when, says nothing about the offer.
  const others = difference.takeAll(/^offer\.review\.(offerId|source|sourceId|createdAt|updatedAt)$/)
  const clauses: Clause[] = []
  if (status !== null) {
    const was = status.before === null ? '' : ` (was ${statusText(status.before)})`
    const message = status.after === null ? `Review removed${was}` : `Review ${statusText(status.after)}${was}`
    clauses.push({ event: 'review', message, fields: [status] })
  }
  if (comment !== null) clauses.push(describeText('Review comment', comment, difference.year))
  if (others.length > 0) {
    const [first] = clauses
    if (first !== undefined) first.fields.push(...others)
    else clauses.push({ message: 'Review updated', fields: others })
  }
  return clauses
}

function describePrepayments(difference: DocumentDifference): Clause[] {
  const { before, after, year } = difference
  if (difference.takeAll(itemPattern(PREPAYMENTS)).length === 0) return []
  const pairs = matchItems(before, after, PREPAYMENTS)
  const { currency } = figuresOf(after)
  const text = (item: Fields) => {
    const [amount, date] = [item.get('amount') ?? null, formatDay(item.get('paymentDueDate') ?? null, year)]
    const money = typeof amount === 'number' ? formatTotal(amount, currency) : 'amount not stated'
    return date === null ? money : `${money} due ${date}`
  }
  return pairs.flatMap(({ number, before: old, after: now }): Clause[] => {
    const fields = itemDifferences(`${PREPAYMENTS}[${number - 1}]`, old, now)
    if (fields.length === 0) return []
    const name = pairs.length === 1 ? 'Prepayment' : `Prepayment ${number}`
    if (old === null) return [{ message: `${name} added: ${text(now ?? new Map())}`, fields }]
    if (now === null) return [{ message: `${name} removed (was ${text(old)})`, fields }]
    const [from, to] = [old.get('amount'), now.get('amount')]
    const isOnlyAmount = old.get('paymentDueDate') === now.get('paymentDueDate')
    if (isOnlyAmount && typeof from === 'number' && typeof to === 'number' && from !== to)
      return [{ message: `${name} ${amountChange(from, to, currency)}`, fields }]
    const [was, is] = [text(old), text(now)]
    return [{ message: was === is ? `${name}: other details` : `${name} ${was} → ${is}`, fields }]
  })
}

const amountChange = (before: number, after: number, currency: string | null) =>
  `${numberChange(before, after, (value) => formatTotal(value, null))} ${currency ?? ''}`.trimEnd() +
  changeSuffix(before, after)

const contractText = ({ before, after }: { before: FieldValue; after: FieldValue }) => {
  const name = (value: FieldValue) =>
    value === null ? 'not stated' : value === 'spot' || value === 'forward' ? value : quote(value)
  return `Contract ${name(after)} (was ${name(before)})`
}

function describeNames(difference: DocumentDifference): Clause[] {
  return Object.entries({ projectName: 'Project', projectDeveloperName: 'Developer' }).flatMap(([field, name]) => {
    const found = difference.take(field)
    return found === null ? [] : [describeText(name, found, difference.year)]
  })
}

function describeSubmission(difference: DocumentDifference): Clause[] {
  const found = difference.take('submittedAt')
  if (found === null) return []
  const message =
    found.after === null ? 'Time of submission removed' : `Submitted again ${formatValue(found.after, difference.year)}`
  return [{ message, fields: [found] }]
}

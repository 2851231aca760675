import { memberOf } from '../documents/json-text.js'
import { parseDocument } from '../documents/observation.js'
import { priceOffer } from '../documents/offer-price.js'
import type { Version } from '../records.js'
import { truncate } from '../text/clean-text.js'
import { formatCount, formatExactPrice, formatRange } from '../text/number-format.js'
import type { Timestamp } from '../time/clock.js'
import {
  asResponse,
  type Change,
  compareBodies,
  compareDocuments,
  type Item,
  type ReadBody,
} from './compare-documents.js'
import { capitalized, describeValues, fieldName, formatDay, formatList, formatValue, type Style } from './field-text.js'

/** The maximum number of sentences about one version; further differences are only counted. */
export const MAX_SENTENCES = 30
const MAX_LENGTH = 600

interface Context {
  /** Of the version before and after. */
  styles: readonly [Style, Style]
  /** Quotekeeper closed the RFQ in this version. */
  isClosedByUs: boolean
}
type Rule = string | ((change: Change, context: Context) => string)

const DELIVERY = 'offer.scheduledDeliveries[]'
const VINTAGE = `${DELIVERY}.vintages[]`
const PREPAYMENT = 'offer.prePayments[]'

/** Fields by their paths, the most important first: their names, or how they are described. Others follow, named by their paths. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['state', describeState],
  ['pricePerTonne', 'Price per tonne'],
  ['offer.totalVolume', 'Volume'],
  ['offer.totalPrice', 'Total'],
  ['offer.currency', 'Currency'],
  ['status', 'Status'],
  ['responseDueDate', 'Response due date'],
  ['fulfilmentDueDate', 'Delivery due date'],
  ['minVolume', 'Minimum volume'],
  ['maxVolume', 'Maximum volume'],
  ['minVintageYear', 'Minimum vintage year'],
  ['maxVintageYear', 'Maximum vintage year'],
  ['pricing.minUnitPrice', 'Minimum unit price'],
  ['pricing.maxUnitPrice', 'Maximum unit price'],
  [DELIVERY, describeItem],
  [`${DELIVERY}.fulfilmentDueDate`, 'Due date'],
  [`${DELIVERY}.fulfilmentMethod`, 'Delivery method'],
  [VINTAGE, describeItem],
  [`${VINTAGE}.reportingPeriodStart`, describePeriod],
  [`${VINTAGE}.reportingPeriodEnd`, describePeriod],
  [`${VINTAGE}.unitPrice`, 'Unit price'],
  [`${VINTAGE}.volume`, 'Volume'],
  [`${VINTAGE}.mitigationTypes`, 'Mitigation types'],
  [`${VINTAGE}.name`, 'Name of the vintage'],
  ['offer.review.status', 'Review'],
  ['offer.review.comment', 'Review comment'],
  ['offer.expiryDate', 'Expiry date'],
  [PREPAYMENT, describeItem],
  [`${PREPAYMENT}.amount`, 'Prepayment'],
  [`${PREPAYMENT}.paymentDueDate`, 'Prepayment due date'],
  ['offer.contractType', 'Contract type'],
  ['offer.additionalNotesToBuyer', 'Notes'],
  ['listingId', () => 'Offered from another listing'],
  ['listingIds', 'Invited listings'],
  ['projectName', 'Project'],
  ['projectDeveloperName', 'Developer'],
  ['submittedAt', 'Time of submission'],
])
const ORDER = [...RULES.keys()]
/** What the items of a list are called, in a sentence about something in them. */
const NOUNS = new Map([
  ['scheduledDeliveries', 'delivery'],
  ['vintages', 'vintage'],
  ['prePayments', 'prepayment'],
])

/**
 * What a version of an RFQ or an offer changed, in sentences.
 * @param previous null for the first version
 * @param isClosedByUs Quotekeeper closed the RFQ in this version
 */
export function changesOfVersion(
  previous: ReadBody | null,
  version: ReadBody & Pick<Version, 'kind' | 'observedAt'>,
  isClosedByUs = false,
): string[] {
  const { kind, observedAt, shape } = version
  if (previous === null) {
    const [describeNew, body] = [kind === 'rfq' ? describeNewRfq : describeNewOffer, asResponse(version)]
    return [sentence(describeNew(body, styleOf(body, observedAt)))]
  }
  const sentences = describeChanges(previous, version, observedAt, isClosedByUs)
  if (previous.shape === shape) return sentences
  const read =
    shape === 'full' ? 'Read in full; before, only part of it was known.' : 'Could no longer be read in full.'
  return [read, ...sentences]
}

/**
 * Describes how two versions differ, the most important first. The same difference in several places is one sentence.
 * @param observedAt when the later version was observed
 * @param isClosedByUs Quotekeeper closed the RFQ in this version
 */
export function describeChanges(
  before: ReadBody,
  after: ReadBody,
  observedAt: Timestamp,
  isClosedByUs = false,
): string[] {
  const [old, now] = [asResponse(before), asResponse(after)]
  const styles = [styleOf(old, observedAt), styleOf(now, observedAt)] as const
  const figures = compareBodies(figuresOf(old), figuresOf(now))
  const others = compareDocuments(before, after).filter(({ field }) => figures.every((each) => each.field !== field))
  const rankOf = ({ field }: Change) => ORDER.indexOf(patternOf(field)) + 1 || ORDER.length + 1
  const places = new Map<string, Set<string>>()
  const changes = [...figures, ...others].sort((a, b) => rankOf(a) - rankOf(b))
  for (const change of changes) {
    // Whoever changes an offer submits it again.
    if (change.field === 'submittedAt' && changes.length > 1) continue
    // The price of a line says nothing new if it is that of the whole offer.
    const isPrice = patternOf(change.field) === `${VINTAGE}.unitPrice`
    if (isPrice && places.has(describeValues('Price per tonne', change, styles))) continue
    const rule = RULES.get(patternOf(change.field)) ?? fieldName(change.field.replace(/^offer\./, ''))
    const message =
      typeof rule === 'string' ? describeValues(rule, change, styles) : rule(change, { styles, isClosedByUs })
    places.set(message, (places.get(message) ?? new Set<string>()).add(placeOf(change)))
  }
  const all = [...places].map(([message, found]) => {
    const where = formatList([...found].filter(Boolean))
    return sentence(where === '' ? message : `${message} in ${where}`)
  })
  const more = all.length - MAX_SENTENCES
  return more > 0 ? [...all.slice(0, MAX_SENTENCES), `${formatCount(more, 'more difference')}.`] : all
}

const patternOf = (field: string) => field.replace(/\[\d+\]/g, '[]')

/** With a full stop, and shortened: numbers can have hundreds of digits. */
const sentence = (text: string) =>
  text.length > MAX_LENGTH ? truncate(text, MAX_LENGTH) : /[.!?]”$/.test(text) ? text : `${text}.`

/** `vintage 2024 of delivery 2`; empty if there is only one. An added or removed item, and a period, name themselves. */
function placeOf({ field, items }: Change): string {
  const own = RULES.get(patternOf(field))
  const outer = own === describeItem || own === describePeriod ? items.slice(0, -1) : items
  return outer
    .flatMap((item) => (item.siblings.length > 1 && NOUNS.has(item.list) ? itemName(item) : []))
    .reverse()
    .join(' of ')
}

/** `delivery 2`; of a vintage, its year if no other vintage of the delivery has it: `vintage 2024`. */
function itemName({ list, number, siblings }: Item): string {
  const yearOf = (item: unknown) => /^\d{4}(?=-)/.exec(textOf(item, 'reportingPeriodStart'))?.[0]
  const year = yearOf(siblings[number - 1])
  // To look for a year again in each of thousands of vintages would take too long.
  const isUnique =
    year !== undefined && siblings.length <= 100 && siblings.filter((item) => yearOf(item) === year).length === 1
  return `${NOUNS.get(list)} ${isUnique ? year : siblings.length > 1 ? number : ''}`.trim()
}

function describeItem(change: Change, { styles }: Context): string {
  const item = change.items.at(-1)
  return describeValues(item === undefined ? 'Item' : capitalized(itemName(item)), change, styles)
}

/** Both dates of a period have the same sentence. */
function describePeriod({ items }: Change, { styles: [from, to] }: Context): string {
  const item = items.at(-1)
  return `Vintage ${periodText(item?.before, from)} → ${periodText(item?.after, to)}`
}

/** `2024` for a calendar year, otherwise both days. */
function periodText(vintage: unknown, { year }: Style): string {
  const dates = [textOf(vintage, 'reportingPeriodStart'), textOf(vintage, 'reportingPeriodEnd')]
  const calendarYear = /^(\d{4})-01-01–\1-12-31$/.exec(dates.join('–'))?.[1]
  return calendarYear ?? dates.map((date) => formatDay(date, year) ?? 'unknown').join('–')
}

function describeState(change: Change, { styles, isClosedByUs }: Context): string {
  const { before, after } = change
  if (after === 'closed') return isClosedByUs ? 'Closed by Quotekeeper' : 'Closed'
  if (after === 'open') return before === 'closed' ? 'Opened again' : 'Opened'
  return describeValues('State', change, styles)
}

/** `First seen: open, 10,000–50,000 t at up to 30.00 USD/t, responses due 12 Dec`. */
function describeNewRfq(body: unknown, style: Style): string {
  const { document } = parseDocument('rfq', body)
  const { state = null, minVolume = null, maxVolume = null, pricing, responseDueDate } = document ?? {}
  const volume = formatRange(minVolume, maxVolume)
  const price = formatRange(pricing?.minUnitPrice ?? null, pricing?.maxUnitPrice ?? null, formatExactPrice)
  const due = formatDay(responseDueDate, style.year)
  const facts = [
    state === null ? 'state unknown' : formatValue('state', state, style),
    [volume && `${volume} t`, price && `${price} ${style.currency}/t`].filter(Boolean).join(' at '),
    due && `responses due ${due}`,
  ]
  return `First seen: ${facts.filter(Boolean).join(', ')}`
}

/** `Submitted 13 Mar: 8,670 t at 28.80 USD/t`. */
function describeNewOffer(body: unknown, style: Style): string {
  const { status = null, submittedAt } = parseDocument('response', body).document ?? {}
  const { pricePerTonne: unitPrice, offer } = figuresOf(body)
  const { totalVolume: volume, totalPrice } = offer
  const day = formatDay(submittedAt, style.year)
  const terms = formatValue('', { volume, unitPrice, amount: volume === null ? totalPrice : null }, style)
  const more = status === null || status === 'submitted' ? '' : `; status ${formatValue('status', status, style)}`
  return `Submitted${day === null ? '' : ` ${day}`}: ${terms}${more}`
}

/** The figures of an offer, in the form of a response; null for what is not known, and for an RFQ. */
function figuresOf(body: unknown) {
  const offer = parseDocument('response', body).document?.offer
  const stated = { volume: offer?.totalVolume ?? null, total: offer?.totalPrice ?? null }
  const lines = offer?.scheduledDeliveries.flatMap(({ vintages }) => vintages) ?? []
  const { pricePerTonne, volume, total } = priceOffer(lines, stated)
  return { pricePerTonne, offer: { totalVolume: stated.volume ?? volume, totalPrice: stated.total ?? total } }
}

const textOf = (value: unknown, name: string): string => {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : ''
}

function styleOf(body: unknown, observedAt: Timestamp): Style {
  const currency = textOf(memberOf(body, 'offer'), 'currency') || textOf(memberOf(body, 'pricing'), 'currency')
  return { year: observedAt.slice(0, 4), currency: truncate(currency, 8) }
}

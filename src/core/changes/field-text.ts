import { isUuid } from '../documents/identifier.js'
import { memberOf } from '../documents/json-text.js'
import { oneLine, truncate } from '../text/clean-text.js'
import {
  dayParts,
  formatAmount,
  formatChange,
  formatDecimal,
  formatExactPrice,
  formatFourDecimals,
  formatPricePerTonne,
  formatTonnes,
  formatTotal,
} from '../text/number-format.js'
import { isCalendarDate } from '../time/calendar-days.js'
import type { Change } from './compare-documents.js'

const isIdentifier = (value: unknown) => typeof value === 'string' && isUuid(value)
const isDate = (value: unknown): value is string => typeof value === 'string' && DATE.test(value)

/** The maximum length of a quoted text, and of a name. */
const MAX_LENGTH = 60
/** A common beginning of two texts that is longer than this is left out. */
const MAX_COMMON = 24
const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/
/** Fields whose values are words of the API, written without quotation marks. */
const HAS_WORDS = /(?:^|\.)(?:status|state|contractTypes?|reasonForPurchase|currency|mitigationTypes|m..VintageYear)$/
const WORDS = /^[a-z]{1,30}(?:, [a-z]{1,30})*$/i
/** How the numbers of a field are written, and in which unit. */
const NUMBERS: readonly [fields: RegExp, format: (value: number) => string, unit: 't' | 'currency' | null][] = [
  [/volume$/i, formatAmount, 't'],
  [/(?:unitPrice|pricePerTonne)$/i, formatExactPrice, 'currency'],
  [/(?:totalPrice|amount)$/i, (value) => formatTotal(value, null), 'currency'],
  [/(?:year|number)$/i, String, null],
]
const list = new Intl.ListFormat('en-GB')

/** How the values of a version are written. */
export interface Style {
  /** The year whose dates are written without it. */
  year: string
  /** Empty if it is not known. */
  currency: string
}

/**
 * Describes a difference: `Name 28.80 → 28.10 USD (−2.4 %)`, `Name: “a” → “b”`, `Name added: yes`, `Name removed (was 1 Dec)`.
 * @param name of the field
 * @param styles of the version before and after
 */
export function describeValues(name: string, change: Change, styles: readonly [Style, Style]): string {
  const { field, before, after } = change
  if (/ids?$/i.test(field) || isIdentifier(before) || isIdentifier(after)) return `${name} changed`
  const [old, now] = [formatValue(field, before, styles[0]), formatValue(field, after, styles[1])]
  if (before === null) return `${name} added: ${now}`
  if (after === null) return `${name} removed (was ${old})`
  if (typeof before === 'number' && typeof after === 'number')
    return `${name} ${numberChange(field, before, after, styles)}`
  if (isDate(before) && isDate(after))
    return old === now ? `${name}: another time on ${now}` : `${name} ${old} → ${now}`
  const isText = typeof before === 'string' && typeof after === 'string' && old.startsWith('“') && now.startsWith('“')
  return `${name}: ${isText ? quotedChange(before, after) : `${old} → ${now}`}`
}

/** `28.80 → 28.10 USD (−2.4 %)`, with all digits if both would look the same; `28.80 USD → 26.10 EUR`. */
function numberChange(field: string, before: number, after: number, [from, to]: readonly [Style, Style]): string {
  const usual = numberFormat(field, to)
  const format = usual.format(before) === usual.format(after) ? formatDecimal : usual.format
  const [old, now] = [numberFormat(field, from).unit, usual.unit]
  if (old !== now) return `${format(before)}${old} → ${format(after)}${now}`
  const share = after / before - 1
  const isTold = now !== '' && before > 0 && after > 0 && Math.abs(share) >= 0.0005 && Math.abs(share) <= 10
  return `${format(before)} → ${format(after)}${now}${isTold ? ` (${formatChange(share)})` : ''}`
}

function numberFormat(field: string, { currency }: Style) {
  const [, format = formatFourDecimals, unit = ''] = NUMBERS.find(([fields]) => fields.test(field)) ?? []
  return { format, unit: ` ${unit === 'currency' ? currency : (unit ?? '')}`.trimEnd() }
}

/** A value of any kind in words. */
export function formatValue(field: string, value: unknown, style: Style): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return value === null ? 'nothing' : itemText(value, style)
  if (typeof value === 'number') {
    const { format, unit } = numberFormat(field, style)
    return `${format(value)}${unit}`
  }
  const text = String(value)
  if (HAS_WORDS.test(field) && WORDS.test(text)) return lowerWords(text)
  return formatDay(text, style.year) ?? quote(text)
}

/** An item of a list: `500 t at 28.00 USD/t, due 30 Jun 2027`, or some of its values. */
function itemText(item: object, style: Style): string {
  const { currency, year } = style
  const lineOf = (line: unknown) => {
    const [volume, price] = [memberOf(line, 'volume'), memberOf(line, 'unitPrice')]
    if (typeof volume !== 'number') return []
    return typeof price === 'number'
      ? `${formatTonnes(volume)} at ${formatPricePerTonne(price, currency)}`
      : formatTonnes(volume)
  }
  const [amount, vintages] = [memberOf(item, 'amount'), memberOf(item, 'vintages')]
  const due = formatDay(memberOf(item, 'fulfilmentDueDate') ?? memberOf(item, 'paymentDueDate'), year)
  const parts = [
    formatList([item, ...(Array.isArray(vintages) ? vintages : [])].flatMap(lineOf), 2),
    typeof amount === 'number' ? formatTotal(amount, currency) : '',
    due === null ? '' : `due ${due}`,
  ].filter(Boolean)
  if (parts.length > 0) return parts.join(', ')
  const values = Object.values(item).filter((value) => typeof value !== 'object')
  return formatList(values.map((value) => formatValue('', value, style))) || 'without details'
}

/** `12 Dec`, or `12 Dec 2027` if the year is not the given one; null for anything but an ISO date or timestamp. */
export function formatDay(value: unknown, year: string): string | null {
  const date = isDate(value) ? value.slice(0, 10) : ''
  if (!isCalendarDate(date)) return null
  const { day, month } = dayParts(date)
  return `${day} ${month}${date.startsWith(year) ? '' : ` ${date.slice(0, 4)}`}`
}

/** `a`, `a and b`, `a, b and c`; after the first few, only their number. */
export function formatList(items: readonly string[], max = 4): string {
  const more = items.length - max
  return list.format(more > 0 ? [...items.slice(0, max), `${more} more`] : items)
}

/** `“text”` on one line, shortened. */
const quote = (text: string): string => `“${truncate(oneLine(text), MAX_LENGTH)}”`

/** Two texts, without a long beginning that they have in common: `“…in 2027” → “…in 2028”`. */
function quotedChange(before: string, after: string): string {
  const [old, now] = [oneLine(before), oneLine(after)]
  let same = 0
  while (same < old.length && same < now.length && old[same] === now[same]) same++
  const from = same > MAX_COMMON ? old.lastIndexOf(' ', same - 8) + 1 : 0
  const part = (text: string) => quote(from === 0 ? text : `…${text.slice(from)}`)
  return `${part(old)} → ${part(now)}`
}

/** `buy to retire` of `buyToRetire`; abbreviations stay. */
const lowerWords = (text: string) =>
  text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(?<!\p{Lu})\p{Lu}(?!\p{Lu})/gu, (letter) => letter.toLowerCase())

/** Names a field by its path: `additionalInfo.deliveryPort[1]` is `Additional info, delivery port 2`. */
export function fieldName(path: string): string {
  const words = path
    .split('.')
    .map((part) =>
      lowerWords(part.replace(/\[(\d+)\]/g, (_, at) => ` ${Number(at) + 1}`).replace(/[^\p{L}\p{N}()]+/gu, ' ')).trim(),
    )
    .filter(Boolean)
  return capitalized(truncate(words.join(', '), MAX_LENGTH) || 'a field without a name')
}

/** With a capital first letter. */
export const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

import type { FieldValue } from '../documents/document-fields.js'
import { isUuid } from '../documents/identifier.js'
import { oneLine } from '../text/clean-text.js'
import { formatChange, formatDecimal, formatFourDecimals, formatTotal, truncate } from '../text/number-format.js'

/** The maximum length of a quoted text. */
const MAX_QUOTED = 60
const MAX_NAME = 60
/** A common beginning of two texts that is longer than this is left out. */
const MAX_COMMON = 24
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i
const list = new Intl.ListFormat('en-GB')

/** `12 Dec`, or `12 Dec 2027` if the year is not the given one; null for anything but an ISO date or timestamp. */
export function formatDay(value: FieldValue, year: string): string | null {
  const [, ofDate, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.exec(String(value)) ?? []
  const name = MONTHS[Number(month) - 1]
  if (name === undefined || day === undefined) return null
  return `${Number(day)} ${name}${ofDate === year ? '' : ` ${ofDate}`}`
}

/** `a`, `a and b`, `a, b and c`; after the first few, only their number. */
export function formatList(items: readonly string[], max = 4): string {
  const more = items.length - max
  return list.format(more > 0 ? [...items.slice(0, max), `${more} more`] : items)
}

/** `“text”` on one line, shortened. */
export const quote = (value: unknown, max = MAX_QUOTED): string => `“${truncate(oneLine(String(value)), max)}”`

/** Two texts, without a long beginning that they have in common: `“…in 2027” → “…in 2028”`. */
export function quotedChange(before: string, after: string): string {
  const [old, now] = [oneLine(before), oneLine(after)]
  let same = 0
  while (same < old.length && same < now.length && old[same] === now[same]) same++
  const space = old.lastIndexOf(' ', same - 8)
  const from = same > MAX_COMMON && space > 0 ? space + 1 : 0
  const part = (text: string) => quote(from === 0 ? text : `…${text.slice(from)}`)
  return `${part(old)} → ${part(now)}`
}

/** A value that is not null, in words. */
export function formatValue(value: FieldValue, year: string): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatFourDecimals(value)
  // Numbers with more digits than a double holds are text.
  return formatDay(value, year) ?? (NUMBER.test(String(value)) ? truncate(String(value), MAX_QUOTED) : quote(value))
}

/** Whether a value means nothing to a reader. */
export const isIdentifier = (value: FieldValue): boolean => typeof value === 'string' && isUuid(value)

/** ` (−3 %)`; nothing if the change is not known, or too small or too large to say something. */
export function changeSuffix(before: number, after: number): string {
  const share = after / before - 1
  const isTold = Number.isFinite(share) && before > 0 && after > 0 && Math.abs(share) >= 0.0005 && Math.abs(share) <= 10
  return isTold ? ` (${formatChange(share)})` : ''
}

/** `28.80 → 28.10`; with all digits if both would look the same. */
export function numberChange(before: number, after: number, format: (value: number) => string): string {
  const [old, now] = [format(before), format(after)]
  return old === now ? `${formatDecimal(before)} → ${formatDecimal(after)}` : `${old} → ${now}`
}

/** `+1,230 USD`, `−28,167 USD`. */
export const signedTotal = (difference: number, currency: string | null): string =>
  `${difference > 0 ? '+' : ''}${formatTotal(difference, currency)}`

/** Names a field of a document in words: `additionalInfo.deliveryPort[1]` is `Additional info, delivery port 2`. */
export function fieldName(path: string): string {
  const words = path
    .replace(/^offer\./, '')
    .split('.')
    .map((part) =>
      part
        .replace(/\[(\d+)\]/g, (_, at) => ` ${Number(at) + 1}`)
        .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
        .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
        .replace(/[^\p{L}\p{N}()]+/gu, ' ')
        .trim(),
    )
    .filter(Boolean)
    .map((part) => part.replace(/\p{Lu}(?=\p{Ll}|$)/gu, (letter) => letter.toLowerCase()))
    .map((part) => part.replace(/^(min|max)(?= )/, '$1imum'))
  return capitalized(truncate(words.join(', '), MAX_NAME) || 'a field without a name')
}

/** With a capital first letter. */
export const capitalized = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())

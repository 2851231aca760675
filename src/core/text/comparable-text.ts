import { comparableId } from '../documents/identifier.js'
import { isCalendarDate } from '../time/calendar-days.js'

const CANONICAL_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d'
const INSTANT = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})T${TIME}(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-]${TIME})$`)
const ASCII = /^[\0-\x7f]*$/

/** A text in composed characters (NFC). */
export const composed = (text: string): string => (ASCII.test(text) ? text : text.normalize('NFC'))

/** A text or name in the form in which it is searched: in composed characters and lower case. */
export const searchable = (text: string): string => composed(text).toLowerCase()

/** A timestamp in UTC with milliseconds; any other text as it is. */
export function comparableInstant(text: string): string {
  if (text[10] !== 'T' || CANONICAL_INSTANT.test(text)) return text
  const [, date] = INSTANT.exec(text) ?? []
  // `Date` reads 30 February as 2 March.
  if (date === undefined || !isCalendarDate(date)) return text
  const inUtc = new Date(text).toISOString()
  // Years of other than four digits do not sort as text.
  return CANONICAL_INSTANT.test(inUtc) ? inUtc : text
}

/** A text in the form in which documents are compared: that of its instant, its UUID or its characters. Bodies stay as sent. */
export const comparableText = (text: string): string => comparableInstant(comparableId(composed(text)))

/** The words of a search. Something matches that contains all of them. */
export const searchWords = (search: string): string[] => searchable(search).split(/\s+/).filter(Boolean)

/** The text of several names that is searched. */
export const searchTextOf = (...names: readonly (string | number | null)[]): string =>
  searchable(names.filter((name) => name !== null).join(' '))

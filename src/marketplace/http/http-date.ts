const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'
/** The three formats of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 (two-digit year), asctime. */
const FORMATS = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^[A-Z][a-z]{2} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/**
 * Parses an HTTP date. `Date.parse` is too lenient: it also accepts local times and other formats.
 * @param text a header value
 * @param now decides the century of a two-digit year
 * @returns null if the text is not an HTTP date
 */
export function parseHttpDate(text: string, now: Date): Date | null {
  for (const format of FORMATS) {
    const found = format.exec(text.trim())?.groups as DateParts | undefined
    if (found) return toDate(found, now)
  }
  return null
}

type DateParts = Record<'day' | 'month' | 'year' | 'hour' | 'minute' | 'second', string>

function toDate(parts: DateParts, now: Date): Date | null {
  const [day, hour, minute, second] = [+parts.day, +parts.hour, +parts.minute, +parts.second]
  if (hour > 23 || minute > 59 || second > 60) return null
  const year = parts.year.length === 2 ? expandYear(+parts.year, now.getUTCFullYear()) : +parts.year
  const date = new Date(0)
  date.setUTCFullYear(year, MONTHS.indexOf(parts.month), day)
  if (date.getUTCDate() !== day) return null
  date.setUTCHours(hour, minute, second)
  return date
}

/** RFC 9110 §5.6.7: a two-digit year more than 50 years in the future belongs to the previous century. */
function expandYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}

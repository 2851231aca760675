import type { DatedRate } from '../../core/decision/exchange-rates.js'
import { CURRENCY_CODE, SETTING_LIMITS } from '../../core/decision/settings.js'

/** The text is not a file of rates, or has an error. The message says where, what was found and what is expected. */
export class RateFileError extends Error {
  override name = 'RateFileError'
}

export interface ParsedRates {
  /** In the order of the file. */
  rates: DatedRate[]
  /** The date of the newest row that has a rate; null if there is none. */
  newest: string | null
}

interface RateFileOptions {
  /** The name of the source for messages. */
  source: string
  /** Skips rates dated before this day, `YYYY-MM-DD`. */
  from: string
  /** Skips rates dated after this day. */
  to: string
  /** Whether messages omit what was found, because it may repeat a secret of the URL. */
  hidesFound?: boolean
}

const [MIN_RATE, MAX_RATE] = SETTING_LIMITS.rate
const FIRST_COLUMN = 'Date'
const EXPECTED =
  'a CSV file of reference rates, such as eurofxref-hist.csv of the European Central Bank: a first line "Date,USD,GBP,…", ' +
  'then lines such as "2026-01-30,1.0837,0.8335,…" with units of each currency per euro, N/A where there is none'

/**
 * Parses rates in the format of the European Central Bank's historical reference rates. Values may be absent (`N/A` or empty), and lines may end
 * with a comma. Rates of skipped days are not validated.
 * @throws RateFileError
 */
export function parseRateFile(text: string, { source, from, to, hidesFound = false }: RateFileOptions): ParsedRates {
  const fail = (line: number, found: string, expected: string): never => {
    throw new RateFileError(`${source}, line ${line}: found ${found}; expected ${expected}`)
  }
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const quote = hidesFound ? () => HIDDEN : quoteFound
  const currencies = parseHead(head, { fail, quote })
  const rates: DatedRate[] = []
  const dates = new Set<string>()
  let newest: string | null = null
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const at = index + 2
    const [date = '', ...values] = line.split(',').map((cell) => cell.trim())
    if (!isDate(date)) fail(at, quote(date), 'a date, YYYY-MM-DD')
    if (dates.has(date)) fail(at, `a second line of ${date}`, 'one line for each day')
    dates.add(date)
    const found = values.length === currencies.length + 1 && values.at(-1) === '' ? values.slice(0, -1) : values
    if (found.length !== currencies.length)
      fail(at, `${found.length} rates`, `${currencies.length}, one for each currency of the first line`)
    if (date < from || date > to) continue
    for (const [column, currency] of currencies.entries()) {
      const value = found[column] ?? ''
      if (/^(n\/a)?$/i.test(value)) continue
      const rate = /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
      if (!(rate >= MIN_RATE && rate <= MAX_RATE))
        fail(at, `${quote(value)} for ${currency}`, `a number from ${MIN_RATE} to ${MAX_RATE}, or N/A`)
      rates.push({ currency, date, rate })
      if (newest === null || date > newest) newest = date
    }
  }
  if (dates.size === 0) fail(2, 'nothing', 'rates below the first line')
  return { rates, newest }
}

/** The currencies of the columns after the first one. */
function parseHead(
  head: string,
  { fail, quote }: { fail: (line: number, found: string, expected: string) => never; quote: (text: string) => string },
): string[] {
  if (head.trim() === '') return fail(1, 'nothing', EXPECTED)
  if (head.trimStart().startsWith('<')) return fail(1, 'a web page or XML', EXPECTED)
  const [first = '', ...columns] = head.split(',').map((cell) => cell.trim())
  if (first.toLowerCase() !== FIRST_COLUMN.toLowerCase()) return fail(1, quote(first), EXPECTED)
  const currencies = columns.at(-1) === '' ? columns.slice(0, -1) : columns
  if (currencies.length === 0) return fail(1, 'no currency', EXPECTED)
  for (const [index, currency] of currencies.entries()) {
    if (!CURRENCY_CODE.test(currency)) return fail(1, quote(currency), 'a currency code of three capital letters')
    if (currencies.indexOf(currency) < index) return fail(1, `a second column ${currency}`, 'one for each currency')
  }
  return currencies
}

const isDate = (text: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

const MAX_QUOTED = 40
const HIDDEN = '“…”'
const quoteFound = (text: string) => JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)

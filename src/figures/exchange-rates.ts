import { readFile, stat } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { type DatedRate, dayBefore, RECORDED_RATE_DAYS, withKnownRates } from '../core/decision/exchange-rates.js'
import type { RateSource } from '../core/decision/rate-source.js'
import { CURRENCY_CODE, SETTING_LIMITS, type Settings } from '../core/decision/settings.js'
import { maxOf } from '../core/numbers.js'
import { isCalendarDate } from '../core/time/calendar-days.js'
import type { Clock } from '../core/time/clock.js'
import { createDispatcher } from '../marketplace/dispatcher.js'
import { describeNetworkError } from '../marketplace/errors.js'
import type { ExchangeRates } from '../store/contract.js'

/**
 * The settings of a comparison as of a moment, with the exchange rates of `ratesFrom` known at that time. Rates that they already have
 * stay.
 * @throws StoreError
 */
export async function settingsAt(
  store: Pick<ExchangeRates, 'ratesAt'>,
  settings: Settings,
  at: Date,
): Promise<Settings> {
  const { ratesFrom } = settings
  return ratesFrom === null ? settings : withKnownRates(settings, await store.ratesAt(ratesFrom, at))
}

/**
 * Reads a source of exchange rates and records new rates. Changes nothing if the source cannot be read.
 * @returns how many rates are new or were corrected, and the date of the newest one that was read
 * @throws RateFileError, StoreError; the reason of the signal when it is aborted
 */
export async function refreshRates(
  store: Pick<ExchangeRates, 'recordRates'>,
  source: RateSource,
  { now, signal }: { now: Clock; signal?: AbortSignal },
) {
  const { rates, newest } = await readRates(source, { now: now(), ...(signal && { signal }) })
  return { recorded: await store.recordRates(source.name, rates, now()), newest }
}

/** The source cannot be read, or is no file of rates. The message names it and says what is expected. */
class RateFileError extends Error {
  override name = 'RateFileError'
}

/** In 2026, the file of the European Central Bank has 2.5 MB, or 0.6 MB zipped. */
const LIMITS = {
  /** From connecting to the last byte, in milliseconds. */
  timeoutMs: 30_000,
  /** The maximum size of what is read. */
  maxBytes: 16 * 2 ** 20,
  /** The maximum size after unzipping. */
  maxUnzippedBytes: 64 * 2 ** 20,
}
export type RateLimits = typeof LIMITS

/**
 * Reads rates from a file or a URL, as CSV or zipped CSV. Does not follow redirects.
 * @param options rates after `now` are skipped, and those that are too old to be recorded
 * @throws RateFileError; the reason of the signal when it is aborted
 */
export async function readRates(
  source: RateSource,
  { now, signal, limits }: { now: Date; signal?: AbortSignal; limits?: Partial<RateLimits> },
) {
  const allowed = { ...LIMITS, ...limits }
  try {
    const read = source.kind === 'file' ? readSmallFile(source.path, allowed) : download(source.url, allowed, signal)
    const text = new TextDecoder().decode(unzipped(await read, allowed))
    return parseRates(text, { from: dayBefore(now, RECORDED_RATE_DAYS), to: dayBefore(now) })
  } catch (error) {
    signal?.throwIfAborted()
    throw new RateFileError(`${source.name}: ${(error as Error).message}`)
  }
}

async function readSmallFile(path: string, { maxBytes }: RateLimits): Promise<Buffer> {
  const file = await stat(path)
  // Reading a named pipe would wait for somebody to write to it.
  if (!file.isFile()) throw new Error(`not a regular file: ${path}`)
  if (file.size > maxBytes) throw tooLarge(maxBytes)
  return readFile(path)
}

async function download(url: string, { timeoutMs, maxBytes }: RateLimits, signal?: AbortSignal): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url)
  const deadline = AbortSignal.timeout(timeoutMs)
  const dispatcher = createDispatcher(origin, timeoutMs)
  try {
    const { statusCode, body } = await dispatcher.request({
      origin,
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'text/csv, application/zip, */*', 'user-agent': 'quotekeeper' },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    if (statusCode !== 200)
      throw new Error(`HTTP ${statusCode}; expected 200 and a file of rates (redirects are not followed)`)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw new Error(deadline.aborted ? `no reply within ${timeoutMs / 1000} s` : describeNetworkError(error))
  } finally {
    await dispatcher.destroy()
  }
}

const tooLarge = (maxBytes: number) =>
  new Error(`larger than ${Math.round(maxBytes / 2 ** 20)} MiB; expected a file of rates`)

/** The first CSV file of a zip archive, which begins with `PK`; other bytes as they are. */
function unzipped(bytes: Buffer, { maxUnzippedBytes }: RateLimits): Uint8Array {
  if (bytes.toString('latin1', 0, 2) !== 'PK') return bytes
  let isFound = false
  const files = unzipSync(bytes, {
    // The size that the archive states is all that fflate writes.
    filter({ name, originalSize }) {
      if (isFound || !name.toLowerCase().endsWith('.csv')) return false
      if (originalSize > maxUnzippedBytes) throw tooLarge(maxUnzippedBytes)
      isFound = true
      return true
    },
  })
  const [table] = Object.values(files)
  if (table === undefined) throw new Error('the zip archive has no CSV file')
  return table
}

const [MIN_RATE, MAX_RATE] = SETTING_LIMITS.rate
const HEAD =
  'a CSV file of reference rates, such as eurofxref-hist.csv of the European Central Bank: a first line "Date,USD,GBP,…", ' +
  'then lines such as "2026-01-30,1.0837,0.8335,…" with units of each currency per euro, N/A where there is none'

/**
 * Parses rates in the format of the European Central Bank's historical reference rates. Values may be absent (`N/A` or empty), and lines may end
 * with a comma. Rates of days outside the period are not validated. No error quotes what was found, which may repeat a secret of the URL.
 * @returns `rates` in the order of the file, and the date of the newest one
 */
export function parseRates(text: string, { from, to }: { from: string; to: string }) {
  const check = (isAsExpected: boolean, line: number, expected: string) => {
    if (!isAsExpected) throw new Error(`line ${line}: expected ${expected}`)
  }
  const [head = [], ...lines] = text.split(/\r\n|\r|\n/).map((line) => line.split(',').map((cell) => cell.trim()))
  const [first = '', ...currencies] = withoutEmptyEnd(head)
  const isHead = /^date$/i.test(first) && currencies.length > 0 && currencies.every((code) => CURRENCY_CODE.test(code))
  check(isHead && new Set(currencies).size === currencies.length, 1, HEAD)
  const rates: DatedRate[] = []
  const dates = new Set<string>()
  for (const [index, cells] of lines.entries()) {
    const line = index + 2
    const [date = '', ...values] = cells.length > currencies.length + 1 ? withoutEmptyEnd(cells) : cells
    if (date === '' && values.length === 0) continue
    check(isCalendarDate(date) && !dates.has(date), line, 'a date, YYYY-MM-DD, and one line for each day')
    dates.add(date)
    check(values.length === currencies.length, line, `${currencies.length} rates, one for each currency of line 1`)
    if (date < from || date > to) continue
    for (const [column, currency] of currencies.entries()) {
      const value = values[column] ?? ''
      if (/^(n\/a)?$/i.test(value)) continue
      const rate = /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
      check(
        rate >= MIN_RATE && rate <= MAX_RATE,
        line,
        `a number from ${MIN_RATE} to ${MAX_RATE}, or N/A, for ${currency}`,
      )
      rates.push({ currency, date, rate })
    }
  }
  check(dates.size > 0, 2, 'rates')
  return { rates, newest: maxOf(rates.map(({ date }) => date)) }
}

const withoutEmptyEnd = (cells: string[]): string[] => (cells.at(-1) === '' ? cells.slice(0, -1) : cells)

import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import { type DatedRate, dayBefore, RECORDED_RATE_DAYS, withKnownRates } from '../core/decision/exchange-rates.js'
import type { RateSource } from '../core/decision/rate-source.js'
import { SETTING_LIMITS, type Settings } from '../core/decision/settings.js'
import { maxOf } from '../core/numbers.js'
import { isCalendarDate } from '../core/time/calendar-days.js'
import type { Clock } from '../core/time/clock.js'
import { createDispatcher } from '../marketplace/dispatcher.js'
import { describeNetworkError } from '../marketplace/errors.js'
import type { Store } from '../store/contract.js'

/**
 * The settings of a comparison as of a moment, with the exchange rates of `ratesFrom` known at that time. Rates that they already have
 * stay.
 * @throws StoreError
 */
export async function settingsAt(store: Pick<Store, 'ratesAt'>, settings: Settings, at: Date): Promise<Settings> {
  const { ratesFrom } = settings
  return ratesFrom === null ? settings : withKnownRates(settings, await store.ratesAt(ratesFrom, at))
}

/**
 * Reads a source of exchange rates and records new rates. Changes nothing if the source cannot be read.
 * @returns how many rates are new or were corrected, and the date of the newest one that was read
 * @throws RateFileError, StoreError; the reason of the signal when it is aborted
 */
export async function refreshRates(
  store: Pick<Store, 'recordRates'>,
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

/** From connecting to the last byte, in milliseconds. */
const TIMEOUT_MS = 30_000
/** In 2026, the file of the European Central Bank has 2.5 MB, or 0.6 MB zipped. */
const MAX_DOWNLOADED_BYTES = 16 * 2 ** 20
const MAX_UNZIPPED_BYTES = 64 * 2 ** 20

/**
 * Reads rates from a file or a URL, as CSV or zipped CSV. Does not follow redirects.
 * @param options rates after `now` are skipped, and those that are too old to be recorded
 * @throws RateFileError; the reason of the signal when it is aborted
 */
export async function readRates(source: RateSource, { now, signal }: { now: Date; signal?: AbortSignal }) {
  try {
    const bytes = await (source.kind === 'file' ? readFile(source.path) : download(source.url, signal))
    const period = { from: dayBefore(now, RECORDED_RATE_DAYS), to: dayBefore(now) }
    return parseRates(new TextDecoder().decode(unzipped(bytes)), period)
  } catch (error) {
    signal?.throwIfAborted()
    throw new RateFileError(`${source.name}: ${describeNetworkError(error)}`)
  }
}

async function download(url: string, signal?: AbortSignal): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = createDispatcher(origin, TIMEOUT_MS, { maxResponseSize: MAX_DOWNLOADED_BYTES })
  try {
    const { statusCode, body } = await dispatcher.request({
      origin,
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'text/csv, application/zip, */*', 'user-agent': 'quotekeeper' },
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
    })
    if (statusCode !== 200)
      throw new Error(`HTTP ${statusCode}; expected 200 and a file of rates (redirects are not followed)`)
    return Buffer.from(await body.arrayBuffer())
  } finally {
    await dispatcher.destroy()
  }
}

/** The first CSV file of a zip archive, which begins with `PK`; other bytes as they are. */
function unzipped(bytes: Buffer): Uint8Array {
  if (bytes.toString('latin1', 0, 2) !== 'PK') return bytes
  let bytesLeft = MAX_UNZIPPED_BYTES
  const files = unzipSync(bytes, {
    // The size that the archive states is all that fflate writes.
    filter({ name, originalSize }) {
      bytesLeft -= originalSize
      return bytesLeft >= 0 && name.toLowerCase().endsWith('.csv')
    },
  })
  const [table] = Object.values(files)
  if (table === undefined) throw new Error('the zip archive has no CSV file of at most 64 MiB')
  return table
}

const [MIN_RATE, MAX_RATE] = SETTING_LIMITS.rate
const FORMAT =
  'a CSV file of reference rates, such as eurofxref-hist.csv of the European Central Bank: a first line "Date,USD,GBP,…", ' +
  'then one line for each day, such as "2026-01-30,1.0837,0.8335,…", with units of each currency per euro ' +
  `from ${MIN_RATE} to ${MAX_RATE}, N/A where there is none`

/**
 * Parses rates in the format of the European Central Bank's historical reference rates. Values may be absent (`N/A` or empty), and lines may end
 * with a comma. Rates of days outside the period are not validated. No error quotes what was found, which may repeat a secret of the URL.
 * @returns `rates` in the order of the file, and the date of the newest one
 */
export function parseRates(text: string, { from, to }: { from: string; to: string }) {
  const check = (isAsExpected: boolean, line: number) => {
    if (!isAsExpected) throw new Error(`line ${line}: expected ${FORMAT}`)
  }
  const [head = [], ...lines] = text.split(/\r\n|\r|\n/).map((line) => line.split(',').map((cell) => cell.trim()))
  const currencies = head.slice(1).filter(Boolean)
  check(/^[Dd]ate(,[A-Z]{3})+,?$/.test(head.join()) && new Set(currencies).size === currencies.length, 1)
  const rates: DatedRate[] = []
  const dates = new Set<string>()
  for (const [index, [date = '', ...values]] of lines.entries()) {
    const line = index + 2
    if (date === '' && values.length === 0) continue
    const areComplete = values.length >= currencies.length && !values.slice(currencies.length).some(Boolean)
    check(isCalendarDate(date) && !dates.has(date) && areComplete, line)
    dates.add(date)
    if (date < from || date > to) continue
    for (const [column, currency] of currencies.entries()) {
      const value = values[column] ?? ''
      if (/^(n\/a)?$/i.test(value)) continue
      const rate = Number(value)
      check(rate >= MIN_RATE && rate <= MAX_RATE, line)
      rates.push({ currency, date, rate })
    }
  }
  check(dates.size > 0, 2)
  return { rates, newest: maxOf(rates.map(({ date }) => date)) }
}

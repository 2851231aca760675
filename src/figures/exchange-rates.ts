import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type DatedRate, dayBefore, RECORDED_RATE_DAYS, withKnownRates } from '../core/decision/exchange-rates.js'
import type { RateSource } from '../core/decision/rate-source.js'
import { CURRENCY_CODE, SETTING_LIMITS, type Settings } from '../core/decision/settings.js'
import { maxOf } from '../core/numbers.js'
import { truncate } from '../core/text/clean-text.js'
import { UserFacingError } from '../core/user-facing-error.js'
import { describeNetworkError } from '../marketplace/errors.js'
import { sendOnce } from '../marketplace/http-exchange.js'
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

/** The source cannot be read, or is no file of rates. The message names it and says what is expected. */
class RateFileError extends UserFacingError {}

/** From connecting to the last byte, in milliseconds. */
const TIMEOUT_MS = 30_000
/** In 2026, the file of the European Central Bank has 2.5 MB, or 0.6 MB zipped. */
const MAX_UNZIPPED_BYTES = 64 * 2 ** 20

/**
 * Reads rates from a file or a URL, as CSV or zipped CSV. Does not follow redirects. Days that are not recorded are skipped.
 * @throws RateFileError; the reason of the signal when it is aborted
 */
export async function readRates(source: RateSource, now: Date, signal = new AbortController().signal) {
  try {
    const bytes = await (source.kind === 'file' ? readFile(source.path) : download(source.url, signal))
    const text = new TextDecoder().decode(await unzipped(bytes))
    return parseRates(text, [dayBefore(now, RECORDED_RATE_DAYS), dayBefore(now)], source.kind === 'file')
  } catch (error) {
    signal.throwIfAborted()
    throw new RateFileError(`${source.name}: ${describeNetworkError(error)}`)
  }
}

async function download(url: string, signal: AbortSignal): Promise<Buffer> {
  const headers = { accept: 'text/csv, application/zip, */*' }
  const { status, body } = await sendOnce(url, { method: 'GET', headers, timeoutMs: TIMEOUT_MS, signal })
  if (status !== 200) throw new Error(`HTTP ${status}; expected 200 and a file of rates (redirects are not followed)`)
  return body
}

/** The first CSV file of a zip archive, which begins with `PK`; other bytes as they are. */
async function unzipped(bytes: Buffer): Promise<Uint8Array> {
  if (bytes.toString('latin1', 0, 2) !== 'PK') return bytes
  const { unzipSync } = await import('fflate')
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
const isDate = (text: string) => z.iso.date().safeParse(text).success

/**
 * Parses rates in the format of the European Central Bank's historical reference rates: a first line `Date,USD,GBP,…`, then one for each day,
 * with units of each currency per euro, or `N/A` or nothing. No error quotes what a URL replied, which may repeat a secret of it.
 * @param days the first and the last one; rates of others are skipped
 * @returns `rates` in the order of the file, and the date of the newest one
 */
export function parseRates(text: string, [from, to]: readonly [string, string], isFile: boolean) {
  const [[, ...currencies] = [], ...lines] = text
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.trim()))
  const rates = lines.flatMap(([date = '', ...values], index) =>
    values.flatMap((value, at): DatedRate[] => {
      if (date < from || /^(n\/a)?$/i.test(value)) return []
      const [line, currency = '', rate] = [`line ${index + 2}`, currencies[at], Number(value)]
      if (!isDate(date)) throw new Error(`${line}: Expected a date`)
      if (!CURRENCY_CODE.test(currency)) throw new Error(`${line}: Expected a currency in the first line`)
      if (rate >= MIN_RATE && rate <= MAX_RATE) return date > to ? [] : [{ currency, date, rate }]
      const found = isFile ? `${currency} “${truncate(value, 20)}”` : `The rate of ${currency}`
      throw new Error(`${line}: ${found} is no number from 0.000000001 to 1,000,000,000`)
    }),
  )
  const newest = maxOf(rates.map(({ date }) => date))
  if (newest === null) throw new Error(`no line of a day since ${from} with a rate under a currency`)
  if (new Set(rates.map(({ currency, date }) => currency + date)).size < rates.length)
    throw new Error('a day has several rates of a currency')
  return { rates, newest }
}

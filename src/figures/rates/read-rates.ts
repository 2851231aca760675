import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { strFromU8, unzipSync } from 'fflate'
import { dayBefore, RECORDED_RATE_DAYS } from '../../core/decision/exchange-rates.js'
import type { RateSource } from '../../core/decision/rate-source.js'
import { createDispatcher } from '../../marketplace/dispatcher.js'
import { describeNetworkError } from '../../marketplace/network-error.js'
import { type ParsedRates, parseRateFile, RateFileError } from './rate-file.js'

export interface RateLimits {
  /** From connecting to the last byte, in milliseconds. */
  timeoutMs: number
  /** The maximum size of what is read. */
  maxBytes: number
  /** The maximum size after unzipping. */
  maxUnzippedBytes: number
}

/** In 2026, the file of the European Central Bank has 2.5 MB, or 0.6 MB zipped. */
const LIMITS: RateLimits = { timeoutMs: 30_000, maxBytes: 16 * 2 ** 20, maxUnzippedBytes: 64 * 2 ** 20 }

interface ReadOptions {
  /** Rates after this moment are skipped, and those that are too old to be recorded. */
  now: Date
  signal?: AbortSignal
  limits?: Partial<RateLimits>
}

/**
 * Reads rates from a file or a URL, as CSV or zipped CSV. Does not follow redirects.
 * @throws RateFileError that names the source; the reason of the signal when it is aborted
 */
export async function readRates(source: RateSource, { now, signal, limits }: ReadOptions): Promise<ParsedRates> {
  const allowed = { ...LIMITS, ...limits }
  const bytes = source.kind === 'file' ? await readFile(source, allowed) : await download(source, allowed, signal)
  const text = decode(isZip(bytes) ? unzip(bytes, source, allowed) : bytes)
  const period = { from: dayBefore(now, RECORDED_RATE_DAYS), to: dayBefore(now) }
  // The reply of a server may contain the query in some form.
  const hidesFound = source.kind === 'url' && new URL(source.url).search !== ''
  return parseRateFile(text, { source: source.name, ...period, hidesFound })
}

async function readFile(
  { path, name }: Extract<RateSource, { kind: 'file' }>,
  { maxBytes }: RateLimits,
): Promise<Buffer> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await file.stat()).isFile()) throw new RateFileError(`${name}: not a regular file: ${path}`)
      // The size that the file states may be smaller than what can be read.
      return await readAll(file.createReadStream({ autoClose: false }), name, maxBytes)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof RateFileError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const found = code === 'ENOENT' ? 'no such file' : `the file cannot be read (${code ?? message})`
    throw new RateFileError(`${name}: ${found}: ${path}`)
  }
}

async function download(
  { url, name }: Extract<RateSource, { kind: 'url' }>,
  { timeoutMs, maxBytes }: RateLimits,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const { origin, pathname, search } = new URL(url)
  const deadline = AbortSignal.timeout(timeoutMs)
  const dispatcher = createDispatcher(origin, timeoutMs)
  try {
    const reply = await dispatcher.request({
      origin,
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'text/csv, application/zip, */*', 'user-agent': 'quotekeeper' },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    })
    if (reply.statusCode !== 200) throw new RateFileError(`${name}: ${describeStatus(reply.statusCode)}`)
    return await readAll(reply.body, name, maxBytes)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof RateFileError) throw error
    const reason = deadline.aborted ? `no reply within ${timeoutMs / 1000} s` : describeNetworkError(error)
    throw new RateFileError(`${name}: ${reason}`)
  } finally {
    await dispatcher.destroy()
  }
}

/** @throws RateFileError as soon as more than `maxBytes` were read */
async function readAll(stream: AsyncIterable<Buffer>, name: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(name, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const describeStatus = (status: number) =>
  status >= 300 && status < 400
    ? `HTTP ${status}, a redirect, which is not followed; configure the address it leads to`
    : `HTTP ${status}; expected 200 and a file of rates`

/** A zip archive begins with `PK`. */
const isZip = (bytes: Buffer) => bytes[0] === 0x50 && bytes[1] === 0x4b

function unzip(bytes: Buffer, { name }: RateSource, { maxUnzippedBytes }: RateLimits): Uint8Array {
  const names: string[] = []
  const isTable = (file: string) => file.toLowerCase().endsWith('.csv')
  try {
    const files = unzipSync(bytes, {
      // The size that the archive states is all that fflate writes.
      filter({ name: file, originalSize }) {
        if (!isTable(file)) return false
        names.push(file)
        if (originalSize > maxUnzippedBytes) throw tooLarge(name, maxUnzippedBytes)
        return names.length === 1
      },
    })
    const [table] = Object.values(files)
    if (table !== undefined && names.length === 1) return table
  } catch (error) {
    if (error instanceof RateFileError) throw error
    throw new RateFileError(`${name}: the zip archive cannot be read: ${(error as Error).message}`)
  }
  throw new RateFileError(`${name}: found a zip archive with ${names.length} CSV files; expected one`)
}

const decode = (bytes: Uint8Array): string => (bytes instanceof Buffer ? bytes.toString('utf8') : strFromU8(bytes))

const tooLarge = (name: string, maxBytes: number) =>
  new RateFileError(`${name}: larger than ${Math.round(maxBytes / 2 ** 20)} MiB; expected a file of rates`)

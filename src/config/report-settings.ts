import { z } from 'zod'
import { parseRateSource, RATE_SOURCES } from '../core/decision/rate-source.js'
import { type Settings, settingsSchema } from '../core/decision/settings.js'
import { isRecord } from './environment.js'

/**
 * The comparison settings as configuration keys. Limits and defaults come from the domain's settings schema; the file also
 * allows empty sections, bare numbers as exchange rates, and their source.
 * @param toPath makes a path absolute
 */
export function reportSettings(toPath: (path: string) => string) {
  const { ratesFrom: _from, without: _without, ...shape } = settingsSchema.shape
  return {
    ...shape,
    exchangeRates: z
      .unknown()
      .transform((found, context) => readRates(found, context, toPath))
      .prefault({}),
    requirements: z.preprocess((found) => found ?? {}, shape.requirements).prefault({}),
  }
}

/** Splits `exchangeRates` into the source of rates and fixed rates by currency. */
function splitRates(found: unknown): { from: unknown; fixed: unknown } {
  if (typeof found === 'string') return { from: found, fixed: {} }
  if (!isRecord(found)) return { from: null, fixed: found ?? {} }
  const { from = null, ...fixed } = found
  return { from, fixed }
}

/** Reads fixed rates and the source of others. */
function readRates(found: unknown, context: z.RefinementCtx, toPath: (path: string) => string) {
  const { from, fixed } = splitRates(found)
  const parsed = settingsSchema.shape.exchangeRates.safeParse(normalizeRates(fixed), { jitless: true })
  for (const issue of parsed.error?.issues ?? []) context.issues.push({ ...issue, input: found } as z.core.$ZodRawIssue)
  const source = typeof from === 'string' && from.trim() !== '' ? parseRateSource(from.trim(), toPath) : null
  if (source === null && from !== null)
    context.addIssue({
      code: 'custom',
      path: typeof found === 'string' ? [] : ['from'],
      message: `Expected ${RATE_SOURCES}`,
    })
  return { fixed: parsed.data ?? {}, source }
}

/** Converts bare numbers to rates without date and source. */
function normalizeRates(found: unknown): unknown {
  if (!isRecord(found)) return found
  const rates = Object.entries(found)
  return Object.fromEntries(rates.map(([code, rate]) => [code, typeof rate === 'number' ? { rate } : rate]))
}

/** The values of `reportSettings` as settings, and the source of exchange rates. */
export function toSettings<T extends { exchangeRates: ReturnType<typeof readRates> }>({ exchangeRates, ...found }: T) {
  const { fixed, source } = exchangeRates
  const settings = {
    ...found,
    exchangeRates: fixed,
    ratesFrom: source?.name ?? null,
    without: null as Settings['without'],
  }
  return { settings, source }
}

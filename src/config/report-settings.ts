import { z } from 'zod'
import { parseRateSource, RATE_SOURCES, type RateSource } from '../core/decision/rate-source.js'
import { settingsSchema } from '../core/decision/settings.js'
import { isRecord } from './environment.js'
import { isAbsent } from './secret.js'

/**
 * The comparison settings as configuration keys. Limits and defaults come from the domain's settings schema; the file also
 * allows empty sections, bare numbers as exchange rates, their source, and `false` for the level `off`.
 * @param toPath makes a path absolute
 */
export function reportSettings(toPath: (path: string) => string) {
  const { ratesFrom: _from, outdatedRates: _outdated, without: _without, ...shape } = settingsSchema.shape
  return {
    ...shape,
    exchangeRates: z
      .unknown()
      .transform((found, context) => readRates(found, context, toPath))
      .prefault({}),
    requirements: z.preprocess(normalizeLevels, shape.requirements).prefault({}),
  }
}

/** Accepts `false` for `off`, as YAML 1.1 writes it. */
function normalizeLevels(found: unknown): unknown {
  if (!isRecord(found)) return emptyIfMissing(found)
  return Object.fromEntries(Object.entries(found).map(([key, level]) => [key, level === false ? 'off' : level]))
}

const emptyIfMissing = (found: unknown) => found ?? {}

/** Splits `exchangeRates` into the source of rates and fixed rates by currency. */
export function splitRates(found: unknown): { from: unknown; fixed: unknown } {
  if (typeof found === 'string') return { from: found, fixed: {} }
  if (!isRecord(found)) return { from: null, fixed: emptyIfMissing(found) }
  const { from = null, ...fixed } = found
  return { from, fixed }
}

/** Reads fixed rates and the source of others. A rejected URL is not shown. */
function readRates(found: unknown, context: z.RefinementCtx, toPath: (path: string) => string) {
  const { from, fixed } = splitRates(found)
  const parsed = settingsSchema.shape.exchangeRates.safeParse(normalizeRates(fixed), { jitless: true })
  for (const issue of parsed.error?.issues ?? []) context.issues.push({ ...issue, input: found } as z.core.$ZodRawIssue)
  const text = typeof from === 'string' ? from.trim() : ''
  const source = text === '' ? null : parseRateSource(text, toPath)
  if (source === null && !isAbsent(from)) {
    context.addIssue({
      code: 'custom',
      path: typeof found === 'string' ? [] : ['from'],
      message: RATE_SOURCES,
      params: { found: text === '' ? '' : 'a URL that is not allowed (not shown)' },
    })
  }
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
  const rates = { exchangeRates: fixed, ratesFrom: source?.name ?? null, outdatedRates: null, without: null }
  return { settings: { ...found, ...rates }, source: source satisfies RateSource | null }
}

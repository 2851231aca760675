import { z } from 'zod'
import { settingsSchema } from '../core/settings.js'
import { isRecord } from './environment.js'

/**
 * The comparison settings as configuration keys. Limits and defaults come from the domain's settings schema; the file also
 * allows empty sections, bare numbers as exchange rates, and `false` for the level `off`.
 */
export function reportSettings() {
  const { shape } = settingsSchema
  return {
    ...shape,
    exchangeRates: z.preprocess(normalizeRates, shape.exchangeRates).prefault({}),
    weights: z.preprocess(emptyIfMissing, shape.weights).prefault({}),
    haircuts: z.preprocess(emptyIfMissing, shape.haircuts).prefault({}),
    requirements: z.preprocess(normalizeLevels, shape.requirements).prefault({}),
  }
}

/** Accepts `false` for `off`, as YAML 1.1 writes it. */
function normalizeLevels(found: unknown): unknown {
  if (!isRecord(found)) return emptyIfMissing(found)
  return Object.fromEntries(Object.entries(found).map(([key, level]) => [key, level === false ? 'off' : level]))
}

const emptyIfMissing = (found: unknown) => found ?? {}

/** Converts bare numbers to rates without date and source. */
function normalizeRates(found: unknown): unknown {
  if (!isRecord(found)) return emptyIfMissing(found)
  const rates = Object.entries(found)
  return Object.fromEntries(rates.map(([code, rate]) => [code, typeof rate === 'number' ? { rate } : rate]))
}

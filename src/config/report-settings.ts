import { z } from 'zod'
import { DEFAULT_SETTINGS, settingsSchema } from '../domain/comparison/settings.js'
import { isRecord } from './environment.js'
import * as is from './values.js'

/**
 * The settings of the comparison as keys of the configuration: limits and defaults are those of settings.ts, the ways to
 * write them those of the file, where a section may be left empty, a rate may stand bare, and a switch may say `on`.
 */
export function reportSettings() {
  const { shape } = settingsSchema
  return {
    ...shape,
    exchangeRates: z.preprocess(spelledRates, shape.exchangeRates).prefault({}),
    weights: z.preprocess(spelledSection, shape.weights).prefault({}),
    haircuts: z.preprocess(spelledSection, shape.haircuts).prefault({}),
    rankExpired: is.flag().prefault(DEFAULT_SETTINGS.rankExpired),
  }
}

const spelledSection = (found: unknown) => found ?? {}

/** Each bare rate as one with neither date nor source. */
function spelledRates(found: unknown): unknown {
  if (!isRecord(found)) return spelledSection(found)
  const rates = Object.entries(found)
  return Object.fromEntries(rates.map(([code, rate]) => [code, typeof rate === 'number' ? { rate } : rate]))
}

import { rounded } from '../../src/core/numbers.js'
import type { Phrase, Reference } from './phrase.js'

const OPTIONS = { min: 0, factor: 1, absolute: false, wholeFrom: Number.POSITIVE_INFINITY }

/** A number with the decimals it needs, as other formats have it. Unlike TEXT, FIXED depends on no format of the reader's language. */
export function fixed({ cell, cached }: Reference, max: number, options: Partial<typeof OPTIONS> = {}): Phrase {
  const { min, factor, absolute, wholeFrom } = { ...OPTIONS, ...options }
  const scaled = `N(${cell})${factor === 1 ? '' : `*${factor}`}`
  const value = (typeof cached === 'number' ? cached : 0) * factor
  const size = `ABS(${scaled})`
  const digits = max === min ? `${max}` : `MAX(${min},LEN(ROUND(${size},${max}))-LEN(INT(${size}))-1)`
  const decimals = Number.isFinite(wholeFrom) ? `IF(${size}<${wholeFrom},${digits},0)` : digits
  const shown = rounded(absolute ? Math.abs(value) : value, Math.abs(value) < wholeFrom ? max : 0)
  const format = { minimumFractionDigits: min, maximumFractionDigits: max }
  return [`FIXED(${absolute ? size : scaled},${decimals})`, shown.toLocaleString('en-US', format)]
}

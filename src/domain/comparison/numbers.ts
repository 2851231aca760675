/** Beyond this, either way, a number of a document is no tonnage, price or sum: products stay finite below it. */
export const MAX_PLAUSIBLE = 1e15

/** A number a report can reckon with, or null. −0 is 0, as JSON has it. */
export function plausibleOrNull(value: number | null | undefined): number | null {
  return typeof value === 'number' && Math.abs(value) <= MAX_PLAUSIBLE ? value + 0 : null
}

/** A number above 0, or null. */
export const positiveOrNull = (value: number | null): number | null => (value !== null && value > 0 ? value : null)

/** A text that says something, or null. */
export function nonBlank(value: string | null | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/**
 * ROUND of a spreadsheet, and what its number formats show: half away from zero, of the decimal that is true to 15 digits.
 * So 11.325, of which a double holds a little less, becomes 11.33.
 */
export function rounded(value: number, places: number): number {
  const power = 10 ** places
  const scaled = Math.abs(value) * power
  if (!(scaled < Number.MAX_SAFE_INTEGER)) return value
  const nearHalf = Math.abs((scaled % 1) - 0.5) <= scaled * 1e-14
  const whole = Math.round(nearHalf ? decimalShifted(Math.abs(value), places) : scaled)
  return whole === 0 ? 0 : (Math.sign(value) * whole) / power
}

/** value × 10^places of the decimal that is true to 15 digits. */
function decimalShifted(value: number, places: number): number {
  const [digits, exponent] = value.toExponential(14).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

/** ROUND(x, 6). Ranks go by rounded figures, so that noise breaks no tie. */
export const round6 = (value: number): number => rounded(value, 6)

export const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

/** numerator / denominator, or null where that is no finite number. */
export function ratio(numerator: number | null, denominator: number | null): number | null {
  if (numerator === null || denominator === null) return null
  const quotient = numerator / denominator
  return Number.isFinite(quotient) ? quotient : null
}

/** The middle of a sorted list, null of an empty one. */
export function median(sorted: readonly number[]): number | null {
  const half = sorted.length >> 1
  const upper = sorted[half]
  const lower = sorted[sorted.length - 1 - half]
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2
}

/** Least of the values that are known, null of none. */
export const minOf = (values: Iterable<number | null>): number | null => extreme(values, (a, b) => a < b)
/** Greatest of the values that are known, null of none. */
export const maxOf = (values: Iterable<number | null>): number | null => extreme(values, (a, b) => a > b)

function extreme(values: Iterable<number | null>, better: (a: number, b: number) => boolean): number | null {
  let best: number | null = null
  for (const value of values) if (value !== null && (best === null || better(value, best))) best = value
  return best
}

/** How often each name occurs, sorted by name. */
export function countByName(names: Iterable<string>): [name: string, count: number][] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => byCodeUnit(a, b))
}

/** The one order of texts: the same in every locale. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

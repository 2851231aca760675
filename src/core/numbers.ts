/** Numbers with a larger absolute value are not plausible volumes or prices; below it, products stay finite. */
const MAX_PLAUSIBLE = 1e15

/** The number if it is plausible, else null. −0 becomes 0, as in JSON. */
export function plausibleOrNull(value: number | null | undefined): number | null {
  return typeof value === 'number' && Math.abs(value) <= MAX_PLAUSIBLE ? value + 0 : null
}

/** A number above 0, or null. */
export const positiveOrNull = (value: number | null): number | null => (value !== null && value > 0 ? value : null)

/** The text if it is not blank, else null. */
export function nonBlank(value: string | null | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** value × 10^places up to which halves are rounded as decimals. Above it, 15 digits have too few decimals, as in LibreOffice. */
const MAX_DECIMAL_HALF = 2 ** 41

/**
 * Rounds like a spreadsheet: half away from zero, on the decimal that is exact to 15 digits. So 11.325, which a double
 * stores as slightly less, becomes 11.33. Where value × 10^places exceeds 2^41, the double is rounded.
 */
export function rounded(value: number, places: number): number {
  const power = 10 ** places
  const scaled = Math.abs(value) * power
  if (!(scaled < Number.MAX_SAFE_INTEGER)) return value
  const isExact = Number.isInteger(scaled) || scaled > MAX_DECIMAL_HALF
  const whole = Math.round(isExact ? scaled : Number(scaled.toPrecision(15)))
  return whole === 0 ? 0 : (Math.sign(value) * whole) / power
}

/** ROUND(x, 6). Ranks use rounded figures, so that floating-point noise does not break ties. */
export const round6 = (value: number): number => rounded(value, 6)

export const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

/** numerator / denominator, or null if that is not a finite number. */
export function ratio(numerator: number | null, denominator: number | null): number | null {
  if (numerator === null || denominator === null) return null
  const quotient = numerator / denominator
  return Number.isFinite(quotient) ? quotient : null
}

/** The median of a sorted list, or null if it is empty. */
export function median(sorted: readonly number[]): number | null {
  const half = sorted.length >> 1
  const upper = sorted[half]
  const lower = sorted[sorted.length - 1 - half]
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2
}

/** The minimum of the known values, or null; of texts by code unit. */
export const minOf = <T extends number | string>(values: readonly (T | null)[]): T | null =>
  values.reduce((min, value) => (min === null || (value !== null && value < min) ? value : min), null)
/** The maximum of the known values, or null. */
export const maxOf = <T extends number | string>(values: readonly (T | null)[]): T | null =>
  values.reduce((max, value) => (max === null || (value !== null && value > max) ? value : max), null)

/** How often each name occurs. */
export function countNames(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The same, sorted by name. */
export const countByName = (names: Iterable<string>): [name: string, count: number][] =>
  [...countNames(names)].sort(([a], [b]) => byCodeUnit(a, b))

/** Compares texts by code unit: the same order in every locale. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

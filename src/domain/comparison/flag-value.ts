import { amountOf, decimalOf, perTonne, shorten } from './figure-text.js'

export interface FlagValue {
  /** Such as `price per tonne`, `maximum of the RFQ`. */
  what: string
  value: number | string | null
  /** Such as `t`, `USD/t`, `days`, `%`; null for dates, years, words. A share in `%` is given times 100. */
  unit: string | null
}

/** A value that was compared: what it is, and its unit (model.ts, `FlagValue`). */
export function flagValue<T extends FlagValue['value']>(
  what: string,
  value: T,
  unit: string | null = null,
): FlagValue & { value: T } {
  return { what, value, unit }
}

/** A value that was compared, as a sentence has it: `12,500 t`, `8.2207 USD/t`, `unknown`. */
export function valueWords({ value, unit }: FlagValue): string {
  if (typeof value !== 'number') return value === null ? 'unknown' : shorten(value, 80)
  if (unit === null) return decimalOf(value)
  return unit.endsWith('/t') ? perTonne(value, unit.slice(0, -2)) : `${amountOf(value)} ${unit}`
}

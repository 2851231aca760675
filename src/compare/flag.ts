import { formatAmount, formatDecimal, formatExactPrice, truncate } from '../core/text/number-format.js'

/** A doubt about an offer. */
export interface Flag {
  code: FlagCode
  /** Shown in red, and on Today; other flags are quiet. */
  loud: boolean
  /** One sentence with the compared values. */
  message: string
  /** The compared values: the offer's first, then the limit. */
  compared: FlagValue[]
}

export const OFFER_FLAGS = [
  'price-far-below-min',
  'changed-since-review',
  'beyond-availability',
  'total-mismatch',
  'volume-mismatch',
  'summary-differs',
  'prepayment-in-full',
  'expiring',
] as const

export type FlagCode = (typeof OFFER_FLAGS)[number]

export interface FlagValue {
  /** Such as `price per tonne`, `maximum of the RFQ`. */
  what: string
  value: number | string | null
  /** Such as `t`, `USD/t`, `days`, `%`; null for dates, years and text. With `%`, the value is in percent, not a fraction. */
  unit: string | null
}

/** Creates a compared value. */
export function flagValue<T extends FlagValue['value']>(
  what: string,
  value: T,
  unit: string | null = null,
): FlagValue & { value: T } {
  return { what, value, unit }
}

/** Formats a compared value for a sentence: `12,500 t`, `8.2207 USD/t`, `unknown`. */
export function formatFlagValue({ value, unit }: FlagValue): string {
  if (typeof value !== 'number') return value === null ? 'unknown' : truncate(value, 80)
  if (unit === null) return formatDecimal(value)
  return unit.endsWith('/t') ? `${formatExactPrice(value)} ${unit}` : `${formatAmount(value)} ${unit}`
}

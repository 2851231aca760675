import { formatAmount, formatDecimal, formatPricePerTonne, truncate } from '../core/text/number-format.js'

export type Severity = 'high' | 'medium' | 'low'

export interface Flag {
  code: FlagCode
  severity: Severity
  /** One sentence with the compared values. */
  message: string
  /** The compared values: the offer's first, then the limit. */
  compared: FlagValue[]
}

export type FlagCode = OfferFlagCode | RfqFlagCode

export const OFFER_FLAGS = [
  'price-far-below-min',
  'changed-since-review',
  'beyond-availability',
  'total-mismatch',
  'volume-mismatch',
  'summary-differs',
  'prepayment-in-full',
  'prepayment-share',
  'expiring',
] as const

export type OfferFlagCode = (typeof OFFER_FLAGS)[number]

export const RFQ_FLAGS = ['rfq-no-due-date', 'rfq-no-price-limit'] as const

export type RfqFlagCode = (typeof RFQ_FLAGS)[number]

/** Stable: flags of one severity keep their order. */
export function sortBySeverity(flags: Flag[]): Flag[] {
  return flags.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity])
}
const SEVERITY_ORDER: Record<Severity, number> = { high: 0, medium: 1, low: 2 }

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
  return unit.endsWith('/t') ? formatPricePerTonne(value, unit.slice(0, -2)) : `${formatAmount(value)} ${unit}`
}

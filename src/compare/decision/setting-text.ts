import type { PriceBasis, SETTING_LIMITS } from '../../core/decision/settings.js'

/** The settings that are one number. */
type NumberSetting = Exclude<keyof typeof SETTING_LIMITS, 'rate'>

/** Settings that are one number, in words. */
export const SETTING_TEXT: Record<NumberSetting, { label: string; unit: string }> = {
  discountRate: { label: 'Discount rate', unit: 'per year' },
  awardTolerance: { label: 'Prices are equal up to', unit: 'above the lowest' },
  volume: { label: 'Tonnes to award, at least', unit: 't' },
}

/** The price bases as they are named in sentences. */
export const PRICED_BY: Record<PriceBasis, string> = {
  quoted: 'quoted prices',
  'present-value': 'present values',
}

import type { SETTING_LIMITS } from '../../core/decision/settings.js'

/** The settings that are one number. */
type NumberSetting = Exclude<keyof typeof SETTING_LIMITS, 'weight' | 'rate'>

/** Settings that are one number, in words. */
export const SETTING_TEXT: Record<NumberSetting, { label: string; unit: string }> = {
  discountRate: { label: 'Discount rate', unit: 'per year' },
  volume: { label: 'Tonnes to award, at least', unit: 't' },
  waitDays: { label: 'Mean wait that halves the promptness score', unit: 'days' },
  vintagePointsPerYear: { label: 'Vintage points lost per year of age', unit: 'points per year' },
  expiryWindowDays: { label: 'Expiry warning period', unit: 'days' },
  prepaymentShareLimit: { label: 'Pre-payment limit', unit: 'of the total' },
}

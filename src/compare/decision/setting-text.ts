import type { SETTING_LIMITS } from '../../core/decision/settings.js'

/** The settings that are one number. */
export type NumberSetting = Exclude<keyof typeof SETTING_LIMITS, 'weight' | 'haircut' | 'rate'>

interface SettingText {
  label: string
  unit: string
  /** What it means and what it affects. */
  message: string
}

/** Settings in words, as on the sheet `Inputs`. */
export const SETTING_TEXT: Record<NumberSetting | 'haircuts' | 'weights', SettingText> = {
  discountRate: {
    label: 'Discount rate',
    unit: 'per year',
    message:
      'Payments due before the as-of date or without a date are not discounted. Affects present values, risk-adjusted prices and scores.',
  },
  volume: {
    label: 'Tonnes to award, at least',
    unit: 't',
    message:
      'Raises the lower end of the tonnes that an award may have; empty: the RFQ’s minimum. Affects coverage and scores.',
  },
  waitDays: {
    label: 'Mean wait that halves the promptness score',
    unit: 'days',
    message: 'Affects the promptness score.',
  },
  vintagePointsPerYear: {
    label: 'Vintage points lost per year of age',
    unit: 'points per year',
    message: 'Age: year of the as-of date minus the volume-weighted mean vintage year. Affects the vintage score.',
  },
  volumeTolerance: {
    label: 'Volume tolerance',
    unit: 't',
    message:
      'Allowed difference between a stated volume and the sum of its lines. Affects “Volume check” on Offers, and About.',
  },
  totalTolerance: {
    label: 'Total tolerance',
    unit: 'of the total',
    message:
      'Allowed difference between a stated total and the sum of its lines, at least 0.01. Differences above 0.01 within the tolerance count as rounding. Affects “Total check” on Offers, and About.',
  },
  expiryWindowDays: {
    label: 'Expiry warning period',
    unit: 'days',
    message: 'Affects “Expiry check” on Offers. Flags keep their original text.',
  },
  prepaymentShareLimit: {
    label: 'Pre-payment limit',
    unit: 'of the total',
    message: 'Affects “Pre-payment check” on Offers. Flags keep their original text.',
  },
  haircuts: {
    label: 'Delivery-risk haircuts',
    unit: 'of the volume',
    message: 'Share of the volume not expected to be delivered. The price per tonne is divided by the remaining share.',
  },
  weights: {
    label: 'Weights',
    unit: 'points',
    message: 'Weight in the total score, relative to the sum of all weights.',
  },
}

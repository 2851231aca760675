/** A doubt about an offer. */
export interface Flag {
  code: FlagCode
  /** Shown in red, and on Today; other flags are quiet. */
  loud: boolean
  /** One sentence with the compared values. */
  message: string
}

export const OFFER_FLAGS = [
  'price-far-below-min',
  'changed-since-review',
  'beyond-availability',
  'total-mismatch',
  'volume-mismatch',
  'summary-differs',
  'prepayment-in-full',
  'begins-early',
  'expiring',
] as const

export type FlagCode = (typeof OFFER_FLAGS)[number]

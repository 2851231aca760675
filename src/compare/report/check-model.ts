/**
 * Two figures that must agree. `figures`: the report's own arithmetic; a failure is a program error. `data`: the
 * marketplace's data; a failure is a question for the developer or the channel.
 */
export interface Check {
  id: string
  about: 'figures' | 'data'
  /** The offer's label, or what the check is about: `Report`, `RFQ` or a listing. */
  subject: string
  offerId: string | null
  title: string
  left: { what: string; value: number | string | null }
  right: { what: string; value: number | string | null }
  /** left − right, for numbers. */
  difference: number | null
  /** Largest difference that is `ok`; equals `tolerance` if no difference counts as rounding. Null if texts are compared. */
  exact: number | null
  /** Largest difference that passes. */
  tolerance: number | null
  /** Only a left side above the right side fails, not one below it. */
  oneSided: boolean
  /**
   * With d = ROUND(ABS(difference), 6), or ROUND(difference, 6) if `oneSided`: `ok` if d <= exact, otherwise `rounding` if
   * d <= tolerance, otherwise `fails`. `unknown`: one of the two figures is unknown.
   */
  verdict: 'ok' | 'rounding' | 'fails' | 'unknown'
  words: string
}

export interface Checks {
  /** Checks on figures first, then checks on data, offer by offer. */
  checks: Check[]
  master: {
    /** `fails`: a check of figures fails. `attention`: a check of data fails. */
    verdict: 'ok' | 'attention' | 'fails'
    figures: CheckCounts
    data: CheckCounts
    words: string
  }
}

export interface CheckCounts {
  ok: number
  rounding: number
  fails: number
  unknown: number
}

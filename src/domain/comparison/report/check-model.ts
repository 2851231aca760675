/**
 * Two figures that must agree. `figures`: the report's own arithmetic; a failure is a program error. `data`: the
 * marketplace's data; a failure is a question for the developer or the channel.
 */
export interface Check {
  id: string
  about: 'figures' | 'data'
  /** Label of the offer, or what else it is about. */
  subject: string
  offerId: string | null
  title: string
  left: { what: string; value: number | string | null }
  right: { what: string; value: number | string | null }
  /** left − right, for numbers. */
  difference: number | null
  /** Greatest difference that is `ok`; as `tolerance` where nothing is called rounding. null where texts are compared. */
  exact: number | null
  /** Greatest difference that passes. */
  tolerance: number | null
  /** Only a left side above the right one is wrong, not one below it. */
  oneSided: boolean
  /**
   * With d = ROUND(ABS(difference), 6), or ROUND(difference, 6) if `oneSided`: `ok` if d <= exact, else `rounding` if
   * d <= tolerance, else `fails`. `unknown`: one of the two is lacking.
   */
  verdict: 'ok' | 'rounding' | 'fails' | 'unknown'
  words: string
}

export interface Checks {
  /** Figures first, then data; by offer in their order. */
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

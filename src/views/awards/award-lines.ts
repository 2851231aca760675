import type { AwardState } from '../../compare/decision/award-state.js'

/** The standing award in lines for a terminal; none if no award stands. */
export const awardLines = (state: Pick<AwardState, 'lines'> | null): string[] =>
  (state?.lines ?? []).map(({ title, message }) => `${title}: ${message}`)

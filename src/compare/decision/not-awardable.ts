import type { OfferReport } from '../offer/offer-report-model.js'
import { titleOf } from './award-figures.js'
import { COVERED_BY_REQUIREMENTS } from './award-solver.js'

/** Why an offer cannot be awarded, one sentence each: what no requirement can waive. */
const reasonsOf = ({ eligibility }: OfferReport): string[] =>
  eligibility.exclusions.filter(({ code }) => !COVERED_BY_REQUIREMENTS.has(code)).map(({ words }) => words)

/** Why an offer cannot be awarded, whatever the requirements. */
export const whyNotAwardable = (offer: OfferReport): string =>
  `${titleOf(offer)} is not considered. ${reasonsOf(offer).join(' ')}`

/** The same as the end of a sentence: `it states no volume above 0`, `each states` of several offers. */
export const notAwardableClauses = (offer: OfferReport, subject: 'it' | 'each' = 'it'): string =>
  reasonsOf(offer)
    .map((words) =>
      words
        .replace(/^The offer /, `${subject} `)
        .replace(/^The /, 'the ')
        .replace(/\.$/, ''),
    )
    .join('; ')

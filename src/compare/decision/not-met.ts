import type { Exclusion } from '../offer/eligibility.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqReport } from '../report/rfq-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { type FailingOffer, isBinding, shownFailures } from './award-figures.js'
import { type FailedRequirement, failedRequirements, type OfferRequirement } from './award-requirements.js'

/** What an offer does not meet. `excluded`: why it is not ranked. */
export interface NotMet {
  kind: 'excluded' | 'hard' | 'advisory'
  /** One sentence. */
  words: string
}

/** Requirements that say the same as an exclusion. */
const SAME: Partial<Record<Exclusion['code'], OfferRequirement>> = {
  rejected: 'status',
  withdrawn: 'status',
  expired: 'notExpired',
}

/** Exclusions that say why no price can be compared with the limits of the RFQ. */
const WITHOUT_PRICE: ReadonlySet<Exclusion['code']> = new Set(['no-volume', 'no-price', 'no-currency'])
const PRICE_LIMITS: ReadonlySet<OfferRequirement> = new Set(['priceMax', 'priceMin'])

/**
 * What an offer does not meet, whether or not it can be compared. Without a price limit that cannot be evaluated where an
 * exclusion says why.
 */
export function failuresOf(offer: OfferReport, rfq: RfqTerms, asOfDate: string): FailingOffer {
  const hasNoPrice = offer.eligibility.exclusions.some(({ code }) => WITHOUT_PRICE.has(code))
  const failed = failedRequirements(offer, rfq, asOfDate).filter(
    ({ name, met }) => !(hasNoPrice && met === null && PRICE_LIMITS.has(name)),
  )
  return { offer, failed, reviewRejected: isReviewRejected(offer) }
}

/**
 * Everything that an offer does not meet, as pages and commands list it: why it is not ranked, then every hard requirement,
 * then every advisory one. A rejected review counts as hard, whatever its level. An exclusion is left out where a hard
 * requirement says the same, and a price limit that cannot be evaluated where an exclusion says why.
 */
export function notMetBy(offer: OfferReport, { rfq, context, settings }: RfqReport): NotMet[] {
  const { requirements: levels } = settings
  const shown = shownFailures(failuresOf(offer, rfq, context.asOfDate), levels)
  const isHard = ({ name, met }: FailedRequirement) => isBinding({ name, met, level: levels[name] })
  const isSaid = ({ code }: Exclusion) => {
    // Of an offer that is rejected and withdrawn, the requirement says that it is rejected.
    if (code === 'withdrawn' && offer.status === 'rejected') return false
    return shown.some((one) => one.name === SAME[code] && isHard(one))
  }
  const hard = shown.filter(isHard)
  const advisory = shown.filter((one) => !isHard(one))
  const excluded = offer.eligibility.exclusions.filter((exclusion) => !isSaid(exclusion))
  return [
    ...excluded.map(({ words }): NotMet => ({ kind: 'excluded', words: `Not ranked: ${words}` })),
    ...hard.map(({ words }): NotMet => ({ kind: 'hard', words })),
    ...advisory.map(({ words }): NotMet => ({ kind: 'advisory', words: `${words.replace(/\.$/, '')} (advisory).` })),
  ]
}

/** In one text; null if the offer meets everything. */
export const notMetText = (notMet: readonly NotMet[]): string | null =>
  notMet.length === 0 ? null : notMet.map(({ words }) => words).join(' ')

/** The title of a column of `notMetText`, which tells the kinds apart. */
export const NOT_MET_TITLE = 'Not met (hard unless marked)'

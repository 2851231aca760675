import { formatCount } from '../../core/number-format.js'
import type { RequirementLevels, RequirementName } from '../../core/settings.js'
import type { Flag, FlagCode } from '../flag.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { type FailingOffer, ofOffers, shownFailures } from './award-figures.js'
import type { OfferRequirement } from './award-requirements.js'

/** More flags are counted. */
const MAX_FLAGS = 3

/** Requirements that say the same as a high flag, together with their level. */
const SAID_BY: Partial<Record<FlagCode, OfferRequirement>> = {
  withdrawn: 'status',
  rejected: 'status',
  expired: 'notExpired',
  'late-submission': 'submittedOnTime',
  'price-above-max': 'priceMax',
  'vintage-too-old': 'vintages',
  'vintage-too-new': 'vintages',
  'delivery-after-due': 'fulfilmentDate',
  'contract-type-not-asked': 'contractType',
  'listing-not-asked': 'listing',
}

/** Says nothing about an award that reaches the minimum, or whose coverage is stated: small offers are combined. */
const OF_THE_OFFER_ALONE: ReadonlySet<FlagCode> = new Set(['volume-below-min'])

const highFlags = ({ flags }: Pick<OfferReport, 'flags'>, isShort = false): Flag[] =>
  flags.filter(({ code, severity }) => severity === 'high' && (isShort || !OF_THE_OFFER_ALONE.has(code)))

/** Whether an offer has a high flag that says that it does not meet a requirement. */
export const isFlagged = ({ offer }: Pick<FailingOffer, 'offer'>, name: RequirementName): boolean =>
  highFlags(offer).some(({ code }) => SAID_BY[code] === name)

/**
 * The high flags of awarded offers, one sentence each, with the numbers of the offers if there are several. Without those
 * that the requirements not met say. After three, the number of the others is in the last sentence.
 * @param isShort whether the offers together are below the RFQ's minimum, so that the flag of each says something
 */
export function flagSentences(members: readonly FailingOffer[], levels: RequirementLevels, isShort = false): string[] {
  /** Numbers of the offers that a sentence is about. */
  const offersOf = new Map<string, number[]>()
  for (const member of members) {
    const unmet = new Set<RequirementName>(shownFailures(member, levels).map(({ name }) => name))
    for (const { code, words } of highFlags(member.offer, isShort)) {
      const said = SAID_BY[code]
      if (said === undefined || !unmet.has(said))
        offersOf.set(words, [...(offersOf.get(words) ?? []), member.offer.sequence])
    }
  }
  const all = [...offersOf].map(([words, numbers]) => ofOffers(words, numbers, members.length))
  const more = all.length - MAX_FLAGS
  const shown = all.slice(0, MAX_FLAGS)
  return more > 0 ? [...shown.slice(0, -1), `${shown.at(-1)} And ${formatCount(more, 'more high flag')}.`] : shown
}

import type { AwardRule, RequirementLevel, RequirementName } from '../../core/settings.js'
import { ofOffers, shownFailures } from './award-figures.js'
import { flagSentences, isFlagged } from './award-flags.js'
import type { Candidate } from './award-solver.js'
import type { DecisionAward, UnmetByAward } from './decision-model.js'
import { inDays } from './negotiation.js'
import type { RecommendationInput } from './recommendation-input.js'

/** With more awarded offers, conditions are stated by requirement instead of by offer. */
const MAX_OFFERS_IN_FULL = 3

/**
 * What to check before signing, one sentence each: high flags of the awarded offers, what the award does not meet (first
 * what is also a high flag), what is waived, reviews and expiry dates.
 */
export function conditionsOf(award: DecisionAward, { solver, context, settings }: RecommendationInput): string[] {
  const ids = new Set(award.offers.map(({ offerId }) => offerId))
  const members = solver.candidates.filter(({ offer }) => ids.has(offer.id))
  const inFull = members.length <= MAX_OFFERS_IN_FULL
  const { levels } = context
  const flags = flagSentences(members, levels)
  const isUrgent = ({ name }: Pick<UnmetByAward, 'name'>) => members.some((member) => isFlagged(member, name))
  const byRequirement = flaggedFirst(award.unmet, isUrgent)
    .filter(({ offerIds }) => offerIds.length === 0 || !inFull)
    .map(({ name, level, words }) => `${levelText(name, level, settings.awardRule)}${words}`)
  if (!inFull) return [...flags, ...byRequirement, ...firstExpiry(members)]
  /** Numbers of the offers that a sentence is about. */
  const offersOf = new Map<string, number[]>()
  for (const member of members) {
    const unmet = flaggedFirst(shownFailures(member, levels), ({ name }) => isFlagged(member, name)).map(
      ({ name, words }) => `${levelText(name, levels[name], settings.awardRule)}${words}`,
    )
    for (const words of [...unmet, ...expiryText(member)]) {
      offersOf.set(words, [...(offersOf.get(words) ?? []), member.offer.sequence])
    }
  }
  const byOffer = [...offersOf].map(([words, numbers]) => ofOffers(words, numbers, members.length))
  return [...flags, ...byRequirement, ...byOffer]
}

const flaggedFirst = <T>(unmet: readonly T[], isUrgent: (one: T) => boolean): T[] => [
  ...unmet.filter(isUrgent),
  ...unmet.filter((one) => !isUrgent(one)),
]

function firstExpiry(members: readonly Candidate[]): string[] {
  const open = members.filter(({ offer }) => offer.status !== 'accepted' && (offer.terms.daysToExpiry ?? -1) >= 0)
  const [first] = open.sort((a, b) => (a.offer.terms.daysToExpiry ?? 0) - (b.offer.terms.daysToExpiry ?? 0))
  return first === undefined
    ? []
    : expiryText(first).map((words) => `First to expire, offer ${first.offer.sequence}: ${words}`)
}

/** Only `cheapest-regardless` awards what does not meet a hard requirement. */
function levelText(name: RequirementName, level: RequirementLevel, rule: AwardRule): string {
  if (level === 'hard') return rule === 'cheapest-regardless' ? 'Hard requirement not met: ' : ''
  return name === 'reviewNotRejected' ? 'Waived by the settings: ' : ''
}

function expiryText({ offer }: Candidate): string[] {
  const { daysToExpiry, expiryDate } = offer.terms
  if (offer.status === 'accepted' || (daysToExpiry !== null && daysToExpiry < 0)) return []
  if (daysToExpiry === null) return ['The offer states no expiry date.']
  return [`The offer expires ${inDays(daysToExpiry)}, on ${expiryDate}.`]
}

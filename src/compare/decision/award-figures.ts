import { formatCount, formatPricePerTonne, formatTonnes, formatTotal } from '../../core/number-format.js'
import { ratio, sum } from '../../core/numbers.js'
import type { RequirementLevels, RequirementName } from '../../core/settings.js'
import { developerKey } from '../awards/award-scenarios.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import {
  AWARD_REQUIREMENT,
  type FailedRequirement,
  failedByAward,
  OFFER_REQUIREMENTS,
  REQUIREMENT_TITLES,
} from './award-requirements.js'
import type { Candidate, Solution } from './award-solver.js'
import type { AwardedOffer, DecisionAward, UnmetByAward } from './decision-model.js'

/** What the figures of an award are computed from. */
export interface AwardContext {
  rfq: RfqTerms
  wanted: number
  levels: RequirementLevels
  /** Code of the comparison currency. */
  currency: string
}

/** The award of a solution; null if it has no offers. */
export function awardOf(solution: Solution, context: AwardContext): DecisionAward | null {
  if (solution.members.length === 0) return null
  return partsAward(
    solution.members.map((candidate) => ({ candidate, tonnes: candidate.volume })),
    solution,
    context,
  )
}

/** As `awardOf`, for parts of offers. */
export function partsAward(
  parts: readonly { candidate: Candidate; tonnes: number }[],
  { reached, exact, lowerBound }: Pick<Solution, 'reached' | 'exact' | 'lowerBound'>,
  { rfq, wanted, levels }: AwardContext,
): DecisionAward {
  const offers = parts.map(({ candidate, tonnes }) => awardedOffer(candidate, tonnes))
  const tonnes = sum(offers.map((offer) => offer.tonnes))
  const total = sum(offers.map((offer) => offer.total))
  const members = parts.map(({ candidate }) => candidate)
  const unmet = unmetBy(members, tonnes, rfq, levels)
  const excessTonnes = reached ? Math.max(0, tonnes - wanted) : 0
  const pricePerTonne = ratio(total, tonnes)
  return {
    offers,
    tonnes,
    total,
    pricePerTonne,
    developers: new Set(members.map(({ offer }) => developerKey(offer))).size,
    reached,
    coverage: coverageOf(tonnes, wanted),
    score: meanScore(offers),
    excessTonnes,
    excessCost: excessTonnes * (pricePerTonne ?? 0),
    unmet,
    compliant: !unmet.some(({ level }) => level === 'hard') && !members.some(({ reviewRejected }) => reviewRejected),
    exact,
    lowerBound,
  }
}

function awardedOffer({ offer, volume, cost }: Candidate, tonnes: number): AwardedOffer {
  const shareOfOffer = tonnes / volume
  return {
    offerId: offer.id,
    sequence: offer.sequence,
    label: offer.label,
    name: nameOf(offer),
    developer: offer.developer,
    project: offer.project,
    tonnes,
    shareOfOffer,
    pricePerTonne: offer.compared.pricePerTonne ?? 0,
    total: shareOfOffer * cost,
    score: offer.scores?.total ?? null,
    daysToExpiry: offer.terms.daysToExpiry,
  }
}

/** `Developer · Project`, as far as they are known. */
export const nameOf = ({ developer, project, label }: Pick<OfferReport, 'developer' | 'project' | 'label'>): string =>
  developer && project ? `${developer} · ${project}` : label

/** `Developer · Project (offer 4)`: the name with the number that identifies the offer. */
export const numbered = (offer: Pick<AwardedOffer, 'name' | 'sequence'>): string =>
  `${offer.name} (offer ${offer.sequence})`

/** As `numbered`, for an offer of the report. */
export const titleOf = (offer: OfferReport): string => numbered({ name: nameOf(offer), sequence: offer.sequence })

function meanScore(offers: readonly AwardedOffer[]): number | null {
  if (offers.some(({ score }) => score === null)) return null
  return ratio(sum(offers.map(({ score, tonnes }) => (score ?? 0) * tonnes)), sum(offers.map(({ tonnes }) => tonnes)))
}

/**
 * The failed requirements of an offer that are shown: those not `off`, and a rejected review always, once. A review that
 * rejected the offer is not shown again as a review that did not accept it.
 */
export function shownFailures(
  { failed, reviewRejected }: Pick<Candidate, 'failed' | 'reviewRejected'>,
  levels: RequirementLevels,
): FailedRequirement[] {
  return failed.filter(({ name }) => {
    if (reviewRejected && name === 'reviewNotRejected') return true
    if (reviewRejected && name === 'reviewAccepted') return levels.reviewAccepted === 'hard'
    return levels[name] !== 'off'
  })
}

/** Whether a failure counts as hard: at that level, and a rejected review (not an undeterminable one) at any level. */
export const isBinding = ({ name, level, met = false }: Binding): boolean =>
  level === 'hard' || (name === 'reviewNotRejected' && met === false)
type Binding = Pick<UnmetByAward, 'name' | 'level'> & { met?: false | null }

/** An offer with what it does not meet. */
export type FailingOffer = Pick<Candidate, 'offer' | 'failed' | 'reviewRejected'>

interface FailureOfOffer {
  offer: OfferReport
  words: string
  /** False if it cannot be determined. */
  isKnown: boolean
}

const moreText = (failing: number, undetermined: number): string =>
  (failing === 0 ? '' : ` The same requirement fails for ${formatCount(failing, 'other offer')}.`) +
  (undetermined === 0 ? '' : ` It cannot be determined for ${formatCount(undetermined, 'other offer')}.`)

/** What offers and their tonnes together do not meet, by requirement, in the order of `Decision.requirements`. */
export function unmetBy(
  members: readonly FailingOffer[],
  tonnes: number,
  rfq: RfqTerms,
  levels: RequirementLevels,
): UnmetByAward[] {
  const failing = new Map<RequirementName, FailureOfOffer[]>()
  for (const member of members) {
    for (const { name, words, met } of shownFailures(member, levels)) {
      const list = failing.get(name)
      const failure = { offer: member.offer, words, isKnown: met !== null }
      if (list === undefined) failing.set(name, [failure])
      else list.push(failure)
    }
  }
  const byOffers = OFFER_REQUIREMENTS.flatMap((name) => {
    const all = failing.get(name) ?? []
    const known = all.filter(({ isKnown }) => isKnown)
    const open = all.filter(({ isKnown }) => !isKnown)
    const [first, ...others] = [...known, ...open]
    if (first === undefined) return []
    const who = members.length === 1 ? '' : `Offer ${first.offer.sequence}: `
    const more = moreText(Math.max(0, known.length - 1), others.length - Math.max(0, known.length - 1))
    const offerIds = [first, ...others].map(({ offer }) => offer.id)
    return [unmet(name, levels, offerIds, `${who}${first.words}${more}`)]
  })
  const asAWhole = levels[AWARD_REQUIREMENT] === 'off' ? null : failedByAward(tonnes, rfq)
  return asAWhole === null ? byOffers : [...byOffers, unmet(AWARD_REQUIREMENT, levels, [], asAWhole.words)]
}

const unmet = (name: RequirementName, levels: RequirementLevels, offerIds: string[], words: string): UnmetByAward => ({
  name,
  title: REQUIREMENT_TITLES[name],
  level: levels[name],
  offerIds,
  words,
})

/** `20,000 t at 11.2 USD/t, 224,000 USD in total`. */
export function amountsText(
  { tonnes, pricePerTonne, total }: Pick<DecisionAward, 'tonnes' | 'pricePerTonne' | 'total'>,
  currency: string,
): string {
  return `${formatTonnes(tonnes)} at ${formatPricePerTonne(pricePerTonne ?? 0, currency)}, ${formatTotal(total, currency)} in total`
}

/** `offers 4 and 6`, `6 offers (1, 3, …)`. */
export function numbersText(numbers: readonly number[]): string {
  if (numbers.length > MAX_NAMED)
    return `${numbers.length} offers (${numbers.slice(0, 12).join(', ')}${numbers.length > 12 ? ', …' : ''})`
  return numbers.length < 2 ? `offer ${numbers.join()}` : `offers ${joined(numbers)}`
}
const MAX_NAMED = 3

/** `a, b and c`. */
export const joined = (parts: readonly (string | number)[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`

/** A sentence about some of the offers of an award: preceded by their numbers if the award has several. */
export function ofOffers(words: string, numbers: readonly number[], awarded: number): string {
  if (awarded === 1) return words
  const named = numbersText(numbers)
  return `${named[0]?.toUpperCase()}${named.slice(1)}: ${words}`
}

interface Named {
  offers: readonly Pick<AwardedOffer, 'name' | 'sequence'>[]
}

/** The offers of an award in a sentence: one by name, several by number. */
export function offersText({ offers }: Named): string {
  const [only] = offers
  return offers.length === 1 && only !== undefined
    ? numbered(only)
    : numbersText(offers.map(({ sequence }) => sequence))
}

/** As `offersText`, but up to three offers by name. */
export const namedOffers = ({ offers }: Named): string =>
  offers.length > 1 && offers.length <= MAX_NAMED ? joined(offers.map(numbered)) : offersText({ offers })

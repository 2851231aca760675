import { formatCount, formatPercent, formatPricePerTonne, formatTonnes, formatTotal } from '../../core/number-format.js'
import { ratio, sum } from '../../core/numbers.js'
import type { Settings } from '../../core/settings.js'
import { reachedFrom } from '../awards/cheapest-combination.js'
import { tonnesOf } from '../offer/known-amounts.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { coverageText, missingOf, notComparedText, sumKnown } from './accepted-amounts.js'
import { amountsText, namedOffers, nameOf, offersText, partsAward, unmetBy } from './award-figures.js'
import { flagSentences } from './award-flags.js'
import type { AwardSolver, Candidate } from './award-solver.js'
import type { AcceptedAward, DecisionAward, Recommendation } from './decision-model.js'
import { failuresOf } from './not-met.js'
import { RULE_TEXT } from './recommendation-input.js'

/** The offers that the marketplace shows as accepted, by sequence. */
export const acceptedOffers = <Offer extends Pick<OfferReport, 'status' | 'sequence'>>(
  offers: readonly Offer[],
): Offer[] => offers.filter(({ status }) => status === 'accepted').sort((a, b) => a.sequence - b.sequence)

interface AcceptedInput {
  offers: readonly OfferReport[]
  asOfDate: string
  solver: AwardSolver
  rfq: RfqTerms
  settings: Settings
  currency: string
  recommendation: Recommendation
}

/** The accepted award beside the one that the rule recommends; null if no offer is accepted. */
export function acceptedAward(input: AcceptedInput): AcceptedAward | null {
  const { offers, solver, currency, recommendation, rfq, settings } = input
  const accepted = acceptedOffers(offers)
  if (accepted.length === 0) return null
  const ids = new Set(accepted.map(({ id }) => id))
  const members = solver.candidates.filter(({ offer }) => ids.has(offer.id))
  const award = members.length < accepted.length ? null : figuresOf(members, input)
  const failing = accepted.map((offer) => failuresOf(offer, rfq, input.asOfDate))
  const named = accepted.map((offer) => ({ offerId: offer.id, sequence: offer.sequence, name: nameOf(offer) }))
  const recommended = recommendation.award
  const tonnes = sumKnown(accepted.map(tonnesOf))
  const unmet = unmetBy(failing, tonnes.value, rfq, settings.requirements)
  const isShort = rfq.minVolume !== null && tonnes.value < reachedFrom(rfq.minVolume)
  const what = award === null ? notComparedText(accepted, currency) : `: ${amountsText(award, currency)}`
  const isRecommended =
    recommended !== null &&
    recommended.offers.length === ids.size &&
    recommended.offers.every((one) => ids.has(one.offerId))
  return {
    offers: named,
    award,
    isRecommended,
    costDifference: award === null || recommended === null ? null : award.total - recommended.total,
    missingTonnes: missingOf(tonnes, rfq.wanted.volume),
    headline: `Accepted: ${namedOffers({ offers: named })}${what}.${coverageText(tonnes, rfq.wanted.volume)}`,
    comparison: comparisonText(award, isRecommended, input),
    notMet: [...new Set(unmet.map(({ words }) => words))],
    flags: flagSentences(failing, settings.requirements, isShort),
  }
}

function figuresOf(members: readonly Candidate[], { rfq, settings, currency }: AcceptedInput): DecisionAward {
  const wanted = rfq.wanted.volume
  const reached = wanted !== null && sum(members.map(({ volume }) => volume)) >= reachedFrom(wanted)
  const parts = members.map((candidate) => ({ candidate, tonnes: candidate.volume }))
  const context = { rfq, wanted: wanted ?? 0, levels: settings.requirements, currency }
  const award = partsAward(parts, { reached, exact: true, lowerBound: null }, context)
  return wanted === null ? { ...award, coverage: null } : award
}

function comparisonText(
  award: DecisionAward | null,
  isRecommended: boolean,
  { recommendation, settings, currency, rfq }: AcceptedInput,
): string {
  const rule = `the rule “${RULE_TEXT[settings.awardRule].title}”`
  const { award: recommended } = recommendation
  if (isRecommended) return `It is what ${rule} chooses.`
  if (recommended === null)
    return rfq.wanted.volume === null
      ? 'The RFQ states no volume, so there is no award to compare it with.'
      : `By ${rule}, no award satisfies the hard requirements.`
  const chosen = `${offersText(recommended)}, ${amountsText(recommended, currency)}`
  if (award === null) return `By ${rule}: ${chosen}.`
  return `It costs ${differenceText(award, recommended, currency)} what ${rule} chooses: ${chosen}.`
}

/** `1,200 USD more (+5.0 %), for 300 t less, than`, or `the same as`. */
function differenceText(award: DecisionAward, recommended: DecisionAward, currency: string): string {
  const cost = award.total - recommended.total
  const share = ratio(Math.abs(cost), recommended.total)
  const inPercent = share === null ? '' : ` (${cost < 0 ? '−' : '+'}${formatPercent(share)})`
  const tonnes = award.tonnes - recommended.tonnes
  const volume =
    formatTonnes(Math.abs(tonnes)) === formatTonnes(0)
      ? ''
      : `, for ${formatTonnes(Math.abs(tonnes))} ${tonnes < 0 ? 'less' : 'more'},`
  const amount = formatTotal(Math.abs(cost), currency)
  if (amount === formatTotal(0, currency)) return `the same${volume} as`
  return `${amount} ${cost < 0 ? 'less' : 'more'}${inPercent}${volume} than`
}

/** Null if one of them is not known. */
const sumOfAll = (values: readonly (number | null)[]) => {
  const { value, isComplete } = sumKnown(values)
  return isComplete ? value : null
}

/** The accepted offers in one line of a list. */
export interface AcceptedInBrief {
  /** Their labels. */
  offers: string[]
  /** Null unless all state them. */
  tonnes: number | null
  /** Null unless all can be compared. */
  pricePerTonne: number | null
}

/** Null if no offer is accepted. */
export function acceptedInBrief(offers: readonly OfferReport[]): AcceptedInBrief | null {
  const accepted = acceptedOffers(offers)
  if (accepted.length === 0) return null
  const tonnes = sumOfAll(accepted.map(tonnesOf))
  const total = sumOfAll(accepted.map(({ compared }) => compared.total))
  return {
    offers: accepted.map(({ label }) => label),
    tonnes,
    pricePerTonne: total === null || tonnes === null ? null : ratio(total, tonnes),
  }
}

/** `Accepted: Developer · Project, 20,000 t at 11.2 USD/t.` */
export const acceptedInWords = (accepted: AcceptedInBrief, currency: string | null): string =>
  `Accepted: ${briefText(accepted, currency)}.`

/** The first of the offers by name, their tonnes and price. */
export function briefText({ offers, tonnes, pricePerTonne }: AcceptedInBrief, currency: string | null): string {
  const [first, ...others] = offers
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'other offer')}`
  const volume = tonnes === null ? '' : `, ${formatTonnes(tonnes)}`
  const each = pricePerTonne === null ? '' : ` at ${formatPricePerTonne(pricePerTonne, currency)}`
  return `${first}${more}${volume}${each}`
}

import type { AwardFacts } from '../../core/decision/award-record.js'
import type { RequirementName, Settings } from '../../core/decision/settings.js'
import { median } from '../../core/numbers.js'
import { oneLine, truncate } from '../../core/text/clean-text.js'
import { formatCount, formatPricePerTonne, formatTonnes, formatTotal } from '../../core/text/number-format.js'
import { awardOf, joined } from '../awards/award-figures.js'
import { type AwardProblem, awardProblem } from '../awards/award-problem.js'
import { upTo } from '../awards/efficient-awards.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { tonnesOf } from '../offer/price-per-tonne.js'
import { AWARD_REQUIREMENT, OFFER_REQUIREMENTS, REQUIREMENT_TITLES } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { choicesOf } from './choices.js'
import type { Award, Banner, Decision, RequirementSetting, Savings } from './decision-model.js'
import { excludedOffers } from './excluded-offers.js'
import { questionsOf } from './questions.js'
import { outcomeOf, recommend } from './recommendation.js'

export interface DecisionInput {
  settings: Settings
  /** Code of the comparison currency; null if there is none. */
  currency: string | null
  rfq: RfqTerms
  offers: readonly OfferReport[]
  /** The desk's award on record; null if none stands. */
  standing: AwardFacts | null
}

/** The decision on an RFQ: Decision. Pure; equal inputs give equal decisions. */
export function decisionOf({ settings, currency, rfq, offers, standing }: DecisionInput): Decision {
  const problem = awardProblem({ rfq, offers, settings }, currency)
  const outcome = outcomeOf(problem)
  const { award } = outcome
  const accepted = outcome.accepted?.award ?? null
  // Of a closed RFQ, what is accepted was decided, whatever is on record.
  const onRecord = rfq.state === 'closed' && accepted !== null ? null : standing
  const left = onRecord?.offers.flatMap(({ id }) => problem.candidates.find(({ offer }) => offer.id === id) ?? [])
  const whose = left !== undefined ? 'The award on record' : accepted !== null ? 'What is accepted' : null
  const choices = choicesOf(problem, award)
  return {
    tolerance: settings.awardTolerance,
    priceBasis: settings.priceBasis,
    requirements: requirementSettings(problem),
    banners: [...stateBanner(rfq), ...unreadableBanner(rfq), ...readBanner(rfq)],
    recommendation: recommend(problem, outcome),
    choices,
    excluded: excludedOffers(offers, problem.context.nameOf),
    questions: questionsOf(problem, award, standing),
    savings: savingsOf(left ? awardOf(left, problem.context) : (accepted ?? award), whose, problem),
    awardedTonnes: tonnesByOffer(award, problem),
  }
}

const tonnesByOffer = (award: Award | null, { accepted }: AwardProblem): Record<string, number> =>
  Object.fromEntries([
    ...(award?.offers ?? []).map(({ id, tonnes }) => [id, tonnes]),
    ...accepted.map((offer) => [offer.id, tonnesOf(offer) ?? 0]),
  ])

function requirementSettings({ offers, competing, rfq, settings }: AwardProblem): RequirementSetting[] {
  const open = offers.filter(({ exclusions }) => exclusions.length === 0)
  return [...OFFER_REQUIREMENTS, AWARD_REQUIREMENT].map((name: RequirementName) => ({
    name,
    title: REQUIREMENT_TITLES[name],
    level: settings.requirements[name],
    setting: `requirements.${name}`,
    offersNotMeeting:
      name === AWARD_REQUIREMENT
        ? competing.filter(({ tonnes }) => (rfq.maxVolume ?? 0) > 0 && tonnes > upTo(rfq.maxVolume ?? 0)).length
        : open.filter(({ unmet }) => unmet.some((one) => one.name === name)).length,
  }))
}

function unreadableBanner({ source, unreadable }: RfqTerms): Banner[] {
  if (source.valid && unreadable.length === 0) return []
  const all = unreadable.slice(0, MAX_PLACES).map((path) => truncate(path, 60))
  const places = unreadable.length === 0 ? '' : ` (${joined(unreadable.length > MAX_PLACES ? [...all, '…'] : all)})`
  return [
    { code: 'rfq-invalid', message: `The RFQ cannot be read whole${places}: what depends on it is not determinable.` },
  ]
}
const MAX_PLACES = 4

function stateBanner(rfq: RfqTerms): Banner[] {
  if (rfq.missingSince !== null)
    return [
      {
        code: 'rfq-missing',
        message: `The RFQ has been missing from the channel since ${rfq.missingSince.slice(0, 10)}.`,
      },
    ]
  if (rfq.state === 'closed') {
    const closed = rfq.closedAt === null ? 'is closed' : `was closed on ${rfq.closedAt.slice(0, 10)}`
    return [{ code: 'rfq-closed', message: `The RFQ ${closed}.` }]
  }
  if (rfq.state !== 'open') {
    const state = rfq.state === null ? 'not known' : `“${truncate(oneLine(rfq.state), 40)}”, not “open”`
    return [{ code: 'rfq-not-open', message: `The state of the RFQ is ${state}.` }]
  }
  if (rfq.daysToDue === null || rfq.daysToDue >= 0) return []
  const message = `The RFQ is overdue: it is still open ${formatCount(-rfq.daysToDue, 'day')} after its response due date, ${rfq.responseDueDate}.`
  return [{ code: 'rfq-overdue', message }]
}

function readBanner({ readState }: RfqTerms): Banner[] {
  if (readState === 'read') return []
  return readState === 'not-read'
    ? [{ code: 'rfq-not-read', message: 'The RFQ is listed and was not read yet.' }]
    : [{ code: 'rfq-changed-since-read', message: 'The RFQ changed since it was read.' }]
}

const MAXIMUM = "the RFQ's maximum price"
const MEDIAN = 'the price of the median offer'

/**
 * What the tonnes of an award cost less than at the RFQ's maximum price, and at the price of the median offer.
 * @param whose what the tonnes are, to begin the sentence with; null for the recommended award
 */
function savingsOf(
  award: Pick<Award, 'tonnes' | 'pricePerTonne' | 'currency'> | null,
  whose: string | null,
  { rfq, competing, context }: AwardProblem,
): Savings | null {
  if (award === null || award.tonnes === 0 || award.currency !== context.currency) return null
  const { tonnes, pricePerTonne } = award
  const at = (price: number | null) =>
    price === null ? null : { pricePerTonne: price, amount: tonnes * (price - pricePerTonne) }
  const prices = competing.map(({ total, tonnes: own }) => total / own).sort((a, b) => a - b)
  const maxPrice = at(rfq.comparedMaxUnitPrice)
  const medianOffer = prices.length < 3 ? null : at(median(prices))
  if (maxPrice === null && medianOffer === null) return null
  const part = (saving: { pricePerTonne: number; amount: number } | null, what: string) => {
    if (saving === null || formatTotal(saving.amount, '') === formatTotal(0, '')) return []
    const amount = formatTotal(Math.abs(saving.amount), context.currency)
    const price = formatPricePerTonne(saving.pricePerTonne, context.currency)
    return [`${amount} ${saving.amount < 0 ? 'more' : 'less'} than at ${what} (${price})`]
  }
  const parts = [...part(maxPrice, MAXIMUM), ...part(medianOffer, MEDIAN)]
  const costs = whose === null ? `The ${formatTonnes(tonnes)} cost` : `${whose}, ${formatTonnes(tonnes)}, costs`
  return {
    tonnes,
    pricePerTonne,
    maxPrice,
    medianOffer,
    message: `${costs} ${parts.length === 0 ? `the same as at ${maxPrice === null ? MEDIAN : MAXIMUM}` : parts.join(', and ')}.`,
  }
}

import type { RequirementName, Settings } from '../../core/decision/settings.js'
import { median } from '../../core/numbers.js'
import { describeListDiff } from '../../core/sources/source-text.js'
import type { ListDiff, RemovedOffer } from '../../core/sources/sources.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatCount, formatPricePerTonne, formatTonnes, formatTotal, truncate } from '../../core/text/number-format.js'
import { joined } from '../awards/award-figures.js'
import { type AwardProblem, awardProblem } from '../awards/award-problem.js'
import { upTo } from '../awards/efficient-awards.js'
import type { ReportContext } from '../input/comparison-context.js'
import { AWARD_REQUIREMENT, OFFER_REQUIREMENTS, REQUIREMENT_TITLES } from '../offer/award-requirements.js'
import { hasOtherTerms } from '../offer/newer-summary.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { tonnesOf } from '../offer/price-per-tonne.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { choicesOf } from './choices.js'
import type { Award, Banner, Decision, RequirementSetting, Savings } from './decision-model.js'
import { excludedOffers } from './excluded-offers.js'
import { questionsOf } from './questions.js'
import { outcomeOf, recommend } from './recommendation.js'

export interface DecisionInput {
  context: ReportContext
  settings: Settings
  /** Code of the comparison currency; null if there is none. */
  currency: string | null
  rfq: RfqTerms
  offers: readonly OfferReport[]
}

/** The decision on an RFQ: Decision. Pure; equal inputs give equal decisions. */
export function decisionOf({ context, settings, currency, rfq, offers }: DecisionInput): Decision {
  const problem = awardProblem({ rfq, offers, settings }, currency)
  const outcome = outcomeOf(problem)
  const { award, accepted } = outcome
  const choices = choicesOf(problem, award)
  const awarded = accepted === null ? award : accepted.award
  return {
    tolerance: settings.awardTolerance,
    priceBasis: settings.priceBasis,
    requirements: requirementSettings(problem),
    banners: bannersOf(
      rfq,
      offers,
      context.listed,
      new Set(awarded?.offers.map(({ id }) => id)),
      problem.context.nameOf,
    ),
    recommendation: recommend(problem, outcome, choices),
    choices,
    excluded: excludedOffers(offers, problem.context.nameOf),
    questions: questionsOf(problem, award),
    savings: award === null ? null : savingsOf(award, problem),
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

function bannersOf(
  rfq: RfqTerms,
  offers: readonly OfferReport[],
  listed: ListDiff | null,
  awarded: ReadonlySet<string>,
  nameOf: (offer: OfferReport) => string,
): Banner[] {
  return [
    ...stateBanner(rfq),
    ...unreadableBanner(rfq),
    ...(listed === null
      ? []
      : [
          {
            code: 'rfq-list-differs' as const,
            message: describeListDiff(listed, removedOfferNames(listed, offers, awarded, nameOf)),
          },
        ]),
    ...newerTermsBanner(offers, awarded, nameOf),
  ]
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

/** Those of the award first; offers that can no longer be awarded are left out. */
function newerTermsBanner(
  offers: readonly OfferReport[],
  awarded: ReadonlySet<string>,
  nameOf: (offer: OfferReport) => string,
): Banner[] {
  const isOpen = ({ missingSince, status }: OfferReport) => missingSince === null && status !== 'rejected'
  const [first, ...others] = offers
    .filter((offer) => isOpen(offer) && hasOtherTerms(offer.newerSummary))
    .sort((a, b) => Number(awarded.has(b.id)) - Number(awarded.has(a.id)))
  if (first?.newerSummary == null) return []
  const more =
    others.length === 0 ? '' : ` The same goes for ${formatCount(others.length, 'more offer')}, see their flags.`
  const { message } = first.newerSummary
  return [
    {
      code: 'summary-differs',
      message: `${nameOf(first)}: ${message.charAt(0).toLowerCase()}${message.slice(1)}${more}`,
    },
  ]
}

/** Those of the award first; as they are named elsewhere in the report. */
function removedOfferNames(
  { removedOffers }: ListDiff,
  offers: readonly OfferReport[],
  awarded: ReadonlySet<string>,
  nameOf: (offer: OfferReport) => string,
) {
  const known = new Map(offers.map((offer) => [offer.id, offer]))
  return [...removedOffers]
    .sort((a: RemovedOffer, b: RemovedOffer) => Number(awarded.has(b.id)) - Number(awarded.has(a.id)))
    .map(({ id, name }) => {
      const offer = known.get(id)
      return offer === undefined ? name : nameOf(offer)
    })
}

const MAXIMUM = "the RFQ's maximum price"
const MEDIAN = 'the price of the median offer'

/** What the tonnes of an award cost less than at the RFQ's maximum price, and at the price of the median offer. */
export function savingsOf({ tonnes, pricePerTonne }: Award, { rfq, competing, context }: AwardProblem): Savings | null {
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
  return {
    tonnes,
    pricePerTonne,
    maxPrice,
    medianOffer,
    message: `The ${formatTonnes(tonnes)} cost ${parts.length === 0 ? `the same as at ${maxPrice === null ? MEDIAN : MAXIMUM}` : parts.join(', and ')}.`,
  }
}

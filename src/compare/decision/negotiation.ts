import { formatCount, formatPercent, formatPricePerTonne, formatTonnes, formatTotal } from '../../core/number-format.js'
import type { Settings } from '../../core/settings.js'
import { daysBetween } from '../date-math.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { Candidate } from './award-solver.js'
import type { Negotiation, NegotiationTerm, OfferNegotiation } from './decision-model.js'
import { clarificationQuestions } from './negotiation-questions.js'
import { enterAwardTarget, noTarget, rankFirstTarget, type TargetContext } from './price-targets.js'
import { MANY_OFFERS } from './runner-up.js'

/** Offers with exact prices: each needs searches of its own. */
export const NEGOTIATION_LIMIT = 30
const NEGOTIATION_LIMIT_FOR_MANY = 10

/**
 * What to negotiate with each developer.
 * @param awarded IDs of the offers in the recommended award
 */
export function negotiationOf(
  offers: readonly OfferReport[],
  awarded: ReadonlySet<string>,
  context: TargetContext,
): Negotiation {
  const { rfq, solver, settings, currency } = context
  const candidates = new Map(solver.candidates.map((candidate) => [candidate.offer.id, candidate]))
  const limit = candidates.size > MANY_OFFERS ? NEGOTIATION_LIMIT_FOR_MANY : NEGOTIATION_LIMIT
  const priced = new Set(
    [...offers.filter(({ id }) => awarded.has(id)), ...offers.filter(({ id }) => !awarded.has(id))]
      .filter(({ id }) => candidates.has(id))
      .slice(0, limit)
      .map(({ id }) => id),
  )
  return {
    limit,
    additionalRequirements: rfq.additionalRequirements,
    offers: offers.map((offer) => ({
      offerId: offer.id,
      sequence: offer.sequence,
      label: offer.label,
      ownCurrency: offer.terms.currencyCode,
      pricePerTonne: offer.compared.pricePerTonne,
      ...targetsOf(offer, candidates.get(offer.id), priced.has(offer.id), context),
      terms: termsOf(offer, { rfq, settings, currency }),
      questions: clarificationQuestions(offer, rfq),
    })),
  }
}

type Targets = Pick<OfferNegotiation, 'rankFirst' | 'enterAward'>

function targetsOf(
  offer: OfferReport,
  candidate: Candidate | undefined,
  isPriced: boolean,
  context: TargetContext,
): Targets {
  if (candidate === undefined) {
    const why = offer.eligibility.exclusions[0]?.words ?? 'Its price is unknown.'
    const target = noTarget(`The offer cannot be awarded: ${why}`)
    return { rankFirst: target, enterAward: target }
  }
  if (!isPriced) {
    const target = noTarget(`Computed for some offers only: the awarded ones, then by rank.`)
    return { rankFirst: target, enterAward: target }
  }
  return { rankFirst: rankFirstTarget(candidate, context), enterAward: enterAwardTarget(candidate, context) }
}

type TermContext = Pick<TargetContext, 'rfq' | 'currency'> & { settings: Settings }

/** Terms to ask for, so that the offer meets limits it misses now. */
function termsOf(offer: OfferReport, context: TermContext): NegotiationTerm[] {
  return [deliveryTerm, prepaymentTerm, priceTerm, volumeTerm, expiryTerm].flatMap((term) => {
    const asked = term(offer, context)
    return asked === null ? [] : [asked]
  })
}

function deliveryTerm({ metrics }: OfferReport, { rfq }: TermContext): NegotiationTerm | null {
  const due = rfq.fulfilmentDueDate
  const days = due === null ? null : daysBetween(due, metrics.lastDelivery)
  if (days === null || days <= 0) return null
  const words = `Ask for delivery by ${due}: ${formatCount(days, 'day')} earlier than offered.`
  return { code: 'delivery', value: days, unit: 'days', words }
}

function prepaymentTerm({ metrics, terms }: OfferReport, { settings }: TermContext): NegotiationTerm | null {
  const { prepaymentShareLimit: limit } = settings
  const { prepaidShare, prepaid, total } = metrics
  if (prepaidShare === null || total === null || prepaidShare <= limit + 1e-9) return null
  const less = formatTotal(prepaid - limit * total, terms.currency)
  const words = `Ask for pre-payments of at most ${formatPercent(limit)} of the total, instead of ${formatPercent(prepaidShare)}: ${less} less before delivery.`
  return { code: 'prepayment', value: limit, unit: 'share', words }
}

function priceTerm({ requirements, compared }: OfferReport, { rfq, currency }: TermContext): NegotiationTerm | null {
  const max = rfq.comparedMaxUnitPrice
  const isAbove = requirements.some(({ code, met }) => code === 'price-max' && met === false)
  if (max === null || !isAbove || compared.pricePerTonne === null) return null
  const words = `Ask for a price of at most ${formatPricePerTonne(max, currency)}, the RFQ's maximum, instead of ${formatPricePerTonne(compared.pricePerTonne, currency)}.`
  return { code: 'price-max', value: max, unit: `${currency}/t`, words }
}

/** An offer that is larger than wanted by more than this share is worth dividing. */
const MIN_EXCESS_SHARE = 0.1

/** Buying more than wanted because offers are taken whole is the most expensive term of all. */
function volumeTerm({ metrics }: OfferReport, { rfq }: TermContext): NegotiationTerm | null {
  const wanted = rfq.wanted.volume
  if (wanted === null || metrics.volume === null || metrics.volume <= wanted * (1 + MIN_EXCESS_SHARE)) return null
  const words = `Ask to buy only the wanted ${formatTonnes(wanted)} of the ${formatTonnes(metrics.volume)} at the same price per tonne.`
  return { code: 'volume', value: wanted, unit: 't', words }
}

function expiryTerm({ terms, status }: OfferReport, { settings }: TermContext): NegotiationTerm | null {
  const { daysToExpiry, expiryDate } = terms
  if (daysToExpiry === null || status === 'accepted' || daysToExpiry < 0 || daysToExpiry > settings.expiryWindowDays)
    return null
  const words = `Ask to extend the offer, which expires ${inDays(daysToExpiry)}, on ${expiryDate}.`
  return { code: 'expiry', value: daysToExpiry, unit: 'days', words }
}

/** `today`, `in 3 days`. */
export const inDays = (days: number): string => (days === 0 ? 'today' : `in ${formatCount(days, 'day')}`)

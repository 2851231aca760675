import type { AwardState } from '../compare/decision/award-state.js'
import type { Outcome } from '../compare/decision/recommendation.js'
import { coverageOf } from '../compare/offer/metrics.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import { summariseOffers } from '../compare/report/rfq-statistics.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import type { CreditClaim, RfqClaim } from '../core/decision/recommendation.js'
import { comparableId } from '../core/documents/identifier.js'
import { ratio, sum } from '../core/numbers.js'

/** Tonnes of an RFQ and what they cost, each tonne once. */
export interface Stake {
  kind: CreditClaim['kind']
  currency: string
  tonnes: number
  total: number
}

/** An offer that is accepted, awarded on record or recommended. */
interface AtStake {
  kind: CreditClaim['kind']
  offer: OfferReport
}

/**
 * What is at stake: what is accepted, what else is awarded on record, or else recommended besides. Not what the marketplace does not show as
 * open any more, nor an award in whose place a closed RFQ has other offers accepted.
 */
export function offersAtStake({ rfq, offers }: RfqAssessment, { award }: Outcome, state: AwardState | null): AtStake[] {
  const isReplaced = rfq.state === 'closed' && state?.findings.some(({ code }) => code === 'other-accepted')
  const decided = new Set((isReplaced ? [] : (state?.award ?? award)?.offers)?.map(({ id }) => id))
  return offers.flatMap((offer): AtStake[] => {
    const { id, status, missingSince } = offer
    if (isAccepted(offer)) return [{ kind: 'accepted', offer }]
    const isOpen = status === 'submitted' && missingSince === null && rfq.missingSince === null
    return isOpen && decided.has(id) ? [{ kind: state === null ? 'recommended' : 'awarded', offer }] : []
  })
}

/** The amounts of offers by their terms of now, as far as they are known, by kind and currency: their own if it cannot be converted. */
export function stakesOf(atStake: readonly AtStake[], { currency: { comparison } }: RfqAssessment): Stake[] {
  const stakes = new Map<string, Stake>()
  for (const { kind, offer } of atStake) {
    const { metrics, compared, terms } = offer
    const [total, currency] =
      compared.total === null ? [metrics.total, terms.currencyCode] : [compared.total, comparison]
    if (metrics.volume === null || total === null || currency === null) continue
    const before = stakes.get(kind + currency) ?? { tonnes: 0, total: 0 }
    stakes.set(kind + currency, { kind, currency, tonnes: before.tonnes + metrics.volume, total: before.total + total })
  }
  return [...stakes.values()]
}

/**
 * The credits that the offers for an RFQ claim. Of one that is not open, what is accepted claims none, since listings have excluded it, nor
 * does what is recommended, unless somebody still has to decide.
 */
export function claimsOf(
  atStake: readonly AtStake[],
  { state, missingSince }: RfqAssessment['rfq'],
  undecided: boolean,
): RfqClaim[] {
  const isOpen = state === 'open' && missingSince === null
  return atStake.flatMap(({ kind, offer: { id: offerId, listingId, lines } }) => {
    const isClaim = isOpen || kind === 'awarded' || (kind === 'recommended' && undecided)
    if (!isClaim || listingId === null) return []
    return lines.map(({ periodStart, periodEnd, volume }) => ({
      ...{ listingId: comparableId(listingId), offerId, kind, periodStart, periodEnd, volume },
    }))
  })
}

/**
 * The figures of an RFQ whose offers were assessed: what is recorded, and what lists show.
 * @param outcome the recommendation
 * @param standing the desk's award on record
 */
export function figuresOf(
  assessed: RfqAssessment,
  { outcome, atStake, undecided }: { outcome: Outcome; atStake: readonly AtStake[]; undecided: boolean },
  standing: AwardFacts | undefined,
) {
  const { rfq, currency, offers } = assessed
  const { ranked, lowestPrice } = summariseOffers(offers, rfq)
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === lowestPrice)
  const decision = decidedAwardOf(assessed, outcome, atStake, standing)
  const awarded = new Set(standing?.offers.map(({ id }) => id))
  const doubts =
    standing === undefined ? outcome.conditions : offers.flatMap((one) => (awarded.has(one.id) ? one.flags : []))
  const covering = decision?.basis === 'accepted' ? atStake.filter(({ kind }) => kind === 'accepted') : atStake
  const tonnes = sum(stakesOf(covering, assessed).map((each) => each.tonnes))
  return {
    /** Offers that compete: open, comparable, and meeting every hard requirement. */
    ranked,
    /** Offers of which only the summary is known: they were not read yet, or cannot be. */
    summaryOnly: offers.filter(({ shape, missingSince }) => shape === 'summary' && missingSince === null).length,
    /** Offers in another currency of which no exchange rate is known. */
    withoutRate: offers.filter(({ exclusions }) => exclusions.some(({ code }) => code === 'no-exchange-rate')).length,
    /** The requested tonnes, which an award must have at least; null if no volume is requested. */
    wanted: rfq.window.lower,
    /** The currency in which offers are compared. */
    currency: currency.comparison,
    /** The lowest price per tonne of the ranked offers, and the label of its offer. */
    bestPricePerTonne: lowestPrice,
    bestPriceOffer: best?.label ?? null,
    /** The RFQ's maximum price in the currency of the comparison; null without one, or a rate. */
    limit: rfq.comparedMaxUnitPrice,
    /** Null if nothing is awarded, accepted or recommended. */
    decision,
    /** The share of the requested tonnes, at most 1, that is awarded on record and accepted, else accepted, else recommended; null also if offers were not read yet. */
    coverage: rfq.unreadOffers > 0 ? null : coverageOf(tonnes, rfq.window.lower),
    /** Loud doubts about the award on record, or else about the recommended one. */
    loud: doubts.filter(({ loud }) => loud).length,
    /** Why nothing is recommended, in one sentence. */
    noAward: decision === null ? outcome.message() : null,
    /** Whether it closed with an offer that could be awarded, and nobody has awarded one, or decided to award none. */
    undecided,
  }
}
export type RfqFigures = ReturnType<typeof figuresOf>

/** The figures of an RFQ without offers. */
export const NO_FIGURES: RfqFigures = {
  ...{ ranked: 0, summaryOnly: 0, withoutRate: 0, wanted: null, currency: null, bestPricePerTonne: null },
  ...{ bestPriceOffer: null, limit: null, decision: null, coverage: null, loud: 0, noAward: null, undecided: false },
}

/**
 * What an RFQ is decided by: the desk's award on record, else what is accepted, else what is recommended.
 * @param standing one without offers says that nothing is awarded
 */
function decidedAwardOf(
  assessed: RfqAssessment,
  { status, award, accepted }: Outcome,
  atStake: readonly AtStake[],
  standing: AwardFacts | undefined,
) {
  const isAwarded = standing !== undefined && standing.offers.length > 0
  const decided = isAwarded ? standing : (accepted ?? (standing === undefined ? award : null))
  if (decided === null) return null
  const basis = isAwarded ? 'awarded' : accepted === null ? 'recommended' : 'accepted'
  const labels = new Map(assessed.offers.map(({ id, label }) => [id, label]))
  const ids = new Set(decided.offers.map(({ id }) => id))
  const decidedOffers = atStake.filter(({ offer }) => ids.has(offer.id))
  const own = stakesOf(decidedOffers, assessed)
  // Of several currencies without a rate, no total is known.
  const [known = { tonnes: null, total: null, currency: null }] = own.length > 1 ? [] : own
  const { total, currency, pricePerTonne } =
    'total' in decided ? decided : { ...known, pricePerTonne: ratio(known.total, known.tonnes) }
  const limit = assessed.rfq.comparedMaxUnitPrice
  const isMeasured = own.length > 0 && own.every((stake) => stake.currency === assessed.currency.comparison)
  return {
    basis,
    /** It does not reach the requested tonnes. */
    isPartial: basis === 'recommended' && status === 'partial',
    /** Labels of the offers. */
    offers: decided.offers.map(({ id, name }) => labels.get(id) ?? name),
    tonnes: decided.tonnes,
    /** Null, like the total, unless all can be compared. */
    pricePerTonne,
    total,
    currency,
    /** Of what is at stake of it, less than at the RFQ's maximum price; null without one in this currency. */
    savings: limit === null || !isMeasured ? null : sum(own.map((stake) => stake.tonnes * limit - stake.total)),
  }
}

/** The state of the standing award of an RFQ that lists show. */
export type AwardBrief = Pick<AwardState, 'status' | 'findings' | 'next'>

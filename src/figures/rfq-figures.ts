import type { AwardState } from '../compare/decision/award-state.js'
import type { Outcome } from '../compare/decision/recommendation.js'
import { coverageOf } from '../compare/offer/metrics.js'
import { isAccepted } from '../compare/offer/ranking.js'
import type { Summary } from '../compare/report/rfq-statistics.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import { ratio, sum } from '../core/numbers.js'

/** Tonnes of an RFQ and what they cost, each tonne once. */
export interface Stake {
  kind: 'accepted' | 'awarded' | 'recommended'
  currency: string
  tonnes: number
  total: number
}

/**
 * The figures of an RFQ whose offers were assessed: what is recorded, and what lists show.
 * @param outcome the recommendation
 * @param standing the desk's award on record
 */
export function figuresOf(
  assessed: RfqAssessment,
  { outcome, summary, stakes, undecided }: { outcome: Outcome; summary: Summary; stakes: Stake[]; undecided: boolean },
  standing: AwardFacts | undefined,
) {
  const { rfq, currency, offers } = assessed
  const { ranked, lowestPrice } = summary
  const best = offers.find(({ rank, compared }) => rank !== null && compared.pricePerTonne === lowestPrice)
  const decision = decidedAwardOf(assessed, outcome, stakes, standing)
  const awarded = new Set(standing?.offers.map(({ id }) => id))
  const doubts =
    standing === undefined ? outcome.conditions : offers.flatMap((one) => (awarded.has(one.id) ? one.flags : []))
  const tonnes = sum(stakes.map((each) => each.tonnes))
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
    /** The share of the requested tonnes that is accepted, awarded or recommended, at most 1; null also if offers were not read yet. */
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
 * @param standing the desk's award on record; one without offers says that nothing is awarded
 */
function decidedAwardOf(
  { rfq: { comparedMaxUnitPrice: limit }, currency: { comparison }, offers }: RfqAssessment,
  { award, accepted, status }: Outcome,
  stakes: Stake[],
  standing: AwardFacts | undefined,
) {
  const recorded = standing?.offers.length ? standing : null
  const recommended = standing === undefined && accepted === null ? award : null
  const decided = recorded ?? accepted ?? recommended
  if (decided === null) return null
  const [first, ...others] = stakes.filter(({ kind }) => kind === 'accepted')
  // Of several currencies without a rate, no total is known.
  const known = others.length === 0 && first !== undefined ? first : { tonnes: null, total: null, currency: null }
  const price = ratio(known.total, known.tonnes)
  const { total, currency, pricePerTonne } = recorded ?? recommended ?? { ...known, pricePerTonne: price }
  const labels = new Map(offers.map(({ id, label }) => [id, label]))
  const basis: Stake['kind'] = recorded !== null ? 'awarded' : accepted !== null ? 'accepted' : 'recommended'
  return {
    basis,
    /** It does not reach the requested tonnes. */
    isPartial: recommended !== null && status === 'partial',
    /** Labels of the offers. */
    offers: decided.offers.map(({ id, name }) => labels.get(id) ?? name),
    tonnes: decided.tonnes,
    /** Null, like the total, unless all can be compared. */
    pricePerTonne,
    total,
    currency,
    /** Less than at the RFQ's maximum price; null without one in this currency. */
    savings:
      pricePerTonne === null || limit === null || currency !== comparison
        ? null
        : decided.tonnes * (limit - pricePerTonne),
  }
}

/**
 * What is at stake: what is accepted, what else is awarded on record, or else recommended besides. Not what the marketplace does not show as
 * open any more, nor an award in whose place a closed RFQ has other offers accepted.
 */
export function stakesOf(
  { rfq, offers, currency: { comparison } }: RfqAssessment,
  { award, accepted }: Outcome,
  state: AwardState | null,
): Stake[] {
  const isOpen = ({ id }: { id: string }) =>
    offers.some((offer) => offer.id === id && offer.status === 'submitted' && offer.missingSince === null)
  const isReplaced = rfq.state === 'closed' && state?.findings.some(({ code }) => code === 'other-accepted')
  // In the currency of the comparison, or each in its own if one cannot be converted.
  const amounts =
    accepted?.award && comparison !== null
      ? [{ ...accepted.award, currency: comparison }]
      : offers.filter(isAccepted).map(({ metrics: { volume, total }, terms }) => ({
          ...{ tonnes: volume, total, currency: terms.currencyCode },
        }))
  const standing = state?.award
  const currency = standing?.currency ?? award?.currency ?? ''
  const awarded = isReplaced ? [] : standing?.offers.filter(isOpen)
  const decided = awarded ?? award?.offers ?? []
  return [
    ...stakesByCurrency('accepted', amounts),
    ...stakesByCurrency(
      standing === undefined ? 'recommended' : 'awarded',
      decided.map(({ tonnes, total }) => ({ tonnes, total, currency })),
    ),
  ]
}

/** Of amounts that are known. */
function stakesByCurrency(
  kind: Stake['kind'],
  amounts: readonly { tonnes: number | null; total: number | null; currency: string | null }[],
): Stake[] {
  const stakes = new Map<string, Stake>()
  for (const { tonnes, total, currency } of amounts) {
    if (tonnes === null || total === null || currency === null) continue
    const { tonnes: before, total: sum } = stakes.get(currency) ?? { tonnes: 0, total: 0 }
    stakes.set(currency, { kind, currency, tonnes: before + tonnes, total: sum + total })
  }
  return [...stakes.values()]
}

/** The state of the standing award of an RFQ that lists show. */
export type AwardBrief = Pick<AwardState, 'status' | 'findings' | 'next'>

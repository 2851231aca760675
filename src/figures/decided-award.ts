import type { Outcome } from '../compare/decision/recommendation.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import type { RfqAssessment } from '../compare/rfq/rfq-assessment.js'
import type { AwardFacts } from '../core/decision/award-record.js'
import { sum } from '../core/numbers.js'

/** What an RFQ is decided by: the desk's award on record, else what is accepted, else what is recommended. */
export interface DecidedAward {
  basis: 'awarded' | 'accepted' | 'recommended'
  /** It does not reach the requested tonnes. */
  isPartial: boolean
  /** Labels of the offers. */
  offers: string[]
  tonnes: number
  /** Null, like the total, unless all can be compared. */
  pricePerTonne: number | null
  total: number | null
  currency: string | null
  /** Less than at the RFQ's maximum price; null without one in this currency. */
  savings: number | null
}

/** Tonnes of an RFQ and what they cost, each tonne once. */
export interface Stake {
  kind: 'accepted' | 'awarded' | 'recommended'
  currency: string
  tonnes: number
  total: number
}

/**
 * The award that an RFQ is decided by.
 * @param standing the desk's award on record; one without offers says that nothing is awarded
 * @returns null if nothing is awarded, accepted or recommended
 */
export function decidedAwardOf(
  { rfq, currency, offers }: RfqAssessment,
  { award, accepted, status }: Pick<Outcome, 'award' | 'accepted' | 'status'>,
  standing: AwardFacts | undefined,
): DecidedAward | null {
  const labels = new Map(offers.map(({ id, label }) => [id, label]))
  const labelsOf = (of: readonly { id: string; name: string }[]) => of.map(({ id, name }) => labels.get(id) ?? name)
  const savings = (code: string | null, tonnes: number, price: number | null) =>
    price === null || rfq.comparedMaxUnitPrice === null || code !== currency.comparison
      ? null
      : tonnes * (rfq.comparedMaxUnitPrice - price)
  const decided = (
    basis: DecidedAward['basis'],
    of: { offers: readonly { id: string; name: string }[]; tonnes: number },
    { pricePerTonne, total, code }: { pricePerTonne: number | null; total: number | null; code: string | null },
  ): DecidedAward => ({
    basis,
    isPartial: basis === 'recommended' && status === 'partial',
    offers: labelsOf(of.offers),
    tonnes: of.tonnes,
    ...{ pricePerTonne, total, currency: code, savings: savings(code, of.tonnes, pricePerTonne) },
  })
  if (standing !== undefined && standing.offers.length > 0)
    return decided('awarded', standing, { ...standing, code: standing.currency })
  if (accepted !== null) {
    const [first, ...others] = acceptedStakes(offers.filter(isAccepted), accepted, currency.comparison)
    // Of several currencies without a rate, no total is known.
    const only = others.length === 0 ? first : undefined
    const pricePerTonne = only === undefined || only.tonnes === 0 ? null : only.total / only.tonnes
    return decided('accepted', accepted, { pricePerTonne, total: only?.total ?? null, code: only?.currency ?? null })
  }
  if (award === null || standing !== undefined) return null
  return decided('recommended', award, { ...award, code: award.currency })
}

/** What is at stake: what is accepted, what else is awarded on record, or else recommended besides. */
export function stakesOf(
  { offers, currency }: Pick<RfqAssessment, 'offers' | 'currency'>,
  { award, accepted }: Pick<Outcome, 'award' | 'accepted'>,
  standing: AwardFacts | undefined,
): Stake[] {
  const acceptedOffers = offers.filter(isAccepted)
  const ids = new Set(acceptedOffers.map(({ id }) => id))
  const others = standing?.offers.filter(({ id }) => !ids.has(id)) ?? []
  return [
    ...(accepted === null ? [] : acceptedStakes(acceptedOffers, accepted, currency.comparison)),
    ...(standing === undefined || others.length === 0 ? [] : [stakeOf('awarded', standing.currency, others)]),
    ...(standing !== undefined || award === null ? [] : [stakeOf('recommended', award.currency, award.offers)]),
  ]
}

const stakeOf = (
  kind: Stake['kind'],
  currency: string,
  offers: readonly { tonnes: number; total: number }[],
): Stake => ({
  kind,
  currency,
  tonnes: sum(offers.map(({ tonnes }) => tonnes)),
  total: sum(offers.map(({ total }) => total)),
})

/** In the currency of the comparison, or each in its own if one cannot be converted. */
function acceptedStakes(
  offers: readonly OfferReport[],
  { award }: NonNullable<Outcome['accepted']>,
  comparison: string | null,
): Stake[] {
  if (award !== null && comparison !== null) return [stakeOf('accepted', comparison, [award])]
  const own = offers.flatMap(({ metrics, terms }) => {
    const { volume, total } = metrics
    return volume === null || total === null || terms.currencyCode === null
      ? []
      : [{ currency: terms.currencyCode, tonnes: volume, total }]
  })
  return [...new Set(own.map((each) => each.currency))].map((code) =>
    stakeOf(
      'accepted',
      code,
      own.filter((each) => each.currency === code),
    ),
  )
}

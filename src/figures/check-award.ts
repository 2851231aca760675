import { awardOf, type Candidate, candidatesOf, createNames } from '../compare/awards/award-figures.js'
import { awardProblem } from '../compare/awards/award-problem.js'
import { termsHash } from '../compare/awards/award-terms.js'
import { atLeast, upTo } from '../compare/awards/efficient-awards.js'
import { conditionsOf } from '../compare/decision/conditions.js'
import type { Award, Recommendation } from '../compare/decision/decision-model.js'
import { comparison } from '../compare/decision/reasons.js'
import { isComparable } from '../compare/offer/eligibility.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { tonnesOf } from '../compare/offer/price-per-tonne.js'
import { isAccepted } from '../compare/offer/ranking.js'
import type { RfqReport } from '../compare/report/compare-offers.js'
import type { AwardedOfferRecord, AwardFacts, RecommendationRecord } from '../core/decision/award-record.js'
import { IdMap } from '../core/documents/identifier.js'
import { sum } from '../core/numbers.js'
import { formatTonnes, withoutNoise } from '../core/text/number-format.js'

/** The award that a person wants to record. */
interface AwardRequest {
  /** By id, or else by number; none to award nothing. */
  offers: readonly string[]
  /** Why; null for no reason. */
  because: string | null
  by: string
  now: Date
}

/** The award as it would be recorded, and why it is refused: one sentence for each reason. */
interface CheckedAward {
  /** Null if its figures cannot be computed. */
  award: AwardFacts | null
  /** Empty if it can be recorded. */
  refusals: string[]
}

/** The comparisons with the configured settings against which an award is checked. */
interface DeskComparisons {
  /** As of the comparison that the decision is based on. */
  then: RfqReport
  present: RfqReport
  /** How the settings of the comparison that the decision is based on differ from them. */
  settings: readonly string[]
}

/**
 * Checks an award of whole offers of an RFQ. Pure.
 * @param report the comparison that the decision is based on
 */
export function checkAward(
  report: RfqReport,
  { offers, because, by, now }: AwardRequest,
  desk: DeskComparisons,
): CheckedAward {
  const { chosen, refusals } = chooseOffers(report, offers)
  if (refusals.length > 0) return { award: null, refusals }
  const changed = changesSince(report, desk.present, chosen)
  if (changed.length > 0) return { award: null, refusals: changed }
  const { context } = problemOf(report)
  const awarded = chosen.length === 0 ? null : awardOf(chosen, context)
  const { tonnes, total, pricePerTonne, currency } = awarded ?? { ...NOTHING, currency: context.currency }
  const { recommendation } = desk.then.decision
  const followed = isRecommended(recommendation, chosen)
  const warnings = [
    ...basisWarnings(report, desk, chosen),
    ...(awarded === null ? [] : windowWarnings(report, chosen, tonnes)),
    ...chosen.flatMap((one) => offerWarnings(one, context.nameOf)),
    ...loudDoubts(awarded, desk.present),
    ...(followed || awarded === null ? [] : costWarning(awarded, recommendation, report, desk.then)),
  ]
  const award: AwardFacts = {
    ...{ id: null, at: now.toISOString(), by, asOf: report.context.asOf },
    offers: chosen.map((candidate) => offerRecord(candidate, report)),
    ...{ tonnes: withoutNoise(tonnes), total: withoutNoise(total), pricePerTonne: withoutNoise(pricePerTonne) },
    ...{ currency, because, warnings },
    recommendation: recommendationRecord(recommendation),
    followed,
  }
  return { award, refusals: because === null ? missingReason(award) : [] }
}

const NOTHING = { tonnes: 0, total: 0, pricePerTonne: 0 }

const problemOf = ({ currency, ...report }: RfqReport) => awardProblem(report, currency.comparison)

/** Why chosen offers can no longer be awarded, or differ from the comparison. */
function changesSince({ context }: RfqReport, present: RfqReport, chosen: readonly Candidate[]): string[] {
  const ids = chosen.map(({ offer }) => offer.id)
  const { refusals } = chooseOffers(present, ids)
  const terms = new Map(present.offers.map((offer) => [offer.id, termsHash(offer)]))
  const others = chosen.filter(({ offer }) => terms.get(offer.id) !== termsHash(offer))
  return refusals.length > 0
    ? refusals
    : others.map(({ offer }) => `${labelOf(offer)} has other terms now than at ${context.asOf}: compare again.`)
}

/** Warnings if the award is not based on the present comparison with the configured settings. */
function basisWarnings({ context }: RfqReport, desk: DeskComparisons, chosen: readonly Candidate[]): string[] {
  const isPast = desk.then !== desk.present && !isRecommended(desk.present.decision.recommendation, chosen)
  return [
    ...(isPast
      ? [`It is based on the comparison as of ${context.asOf}; at present, it is not the recommended award.`]
      : []),
    ...(desk.settings.length === 0
      ? []
      : [`It is compared with other settings than the configured ones: ${desk.settings.join(', ')}.`]),
  ]
}

/** What the recommended award costs less, per tonne or in total, if that is measured alike. */
function costWarning(award: Award, { award: recommended }: Recommendation, { settings }: RfqReport, then: RfqReport) {
  const isAlike = recommended?.currency === award.currency && settings.priceBasis === then.settings.priceBasis
  if (recommended === null || !isAlike) return []
  const isCheaper = recommended.pricePerTonne < award.pricePerTonne || recommended.total < award.total
  return isCheaper ? [`The recommended award ${comparison(award, recommended, settings)}.`] : []
}

function chooseOffers({ offers }: RfqReport, named: readonly string[]): { chosen: Candidate[]; refusals: string[] } {
  const byId = new IdMap(offers.map((offer) => [offer.id, offer]))
  const found = named.map((name) => byId.get(name) ?? offers.find(({ sequence }) => String(sequence) === name) ?? name)
  const refusals = [
    ...(named.length === 0 ? offers.filter(isAccepted).map((offer) => `${labelOf(offer)} is accepted.`) : []),
    ...found.flatMap((offer, at) => {
      if (typeof offer === 'string') return [`The RFQ has no offer ${offer}.`]
      return found.indexOf(offer) < at ? [`${labelOf(offer)} is named twice.`] : refusalsOf(offer)
    }),
  ]
  return { chosen: candidatesOf(offers).filter(({ offer }) => found.includes(offer)), refusals }
}

const labelOf = ({ sequence, label }: OfferReport) => `Offer no. ${sequence} (${label})`

/** Why an offer cannot be awarded. An accepted one can, if it can be compared. */
function refusalsOf(offer: OfferReport): string[] {
  const { standing, exclusions } = offer
  const against = standing === 'accepted' ? exclusions.filter((one) => !isComparable([one])) : exclusions
  return against.map(({ message }) => `${labelOf(offer)} cannot be awarded: ${message}`)
}

/** Whether these are the recommended offers, besides accepted ones. */
function isRecommended({ award }: Recommendation, chosen: readonly Candidate[]): boolean {
  const open = chosen.flatMap(({ offer }) => (offer.standing === 'accepted' ? [] : offer.id))
  const recommended = new Set(award?.offers.map(({ id }) => id))
  return open.length === recommended.size && open.every((id) => recommended.has(id))
}

/** Warnings about the tonnes of the award together with those already accepted, and if the RFQ is missing. */
function windowWarnings({ rfq, offers, decision }: RfqReport, chosen: readonly Candidate[], tonnes: number): string[] {
  const { lower, upper, isUpperStated, problem } = rfq.window
  const gone = decision.banners.flatMap(({ code, message }) => (code === 'rfq-missing' ? message : []))
  if (problem !== null) return [...gone, problem]
  const others = offers.filter((one) => one.standing === 'accepted' && !chosen.some(({ offer }) => offer.id === one.id))
  const all = tonnes + sum(others.map((offer) => tonnesOf(offer) ?? 0))
  const what = `The award has ${formatTonnes(all)}${others.length === 0 ? '' : ', with what is accepted'}`
  const isSingle = chosen.length + others.length === 1
  if (lower !== null && all < atLeast(lower))
    return [...gone, `${what}, less than the requested ${formatTonnes(lower)}.`]
  if (upper !== null && all > upTo(upper) && (isUpperStated || !isSingle))
    return [...gone, `${what}, more than the ${formatTonnes(upper)} that an award may have.`]
  return gone
}

/** Warnings about unmet hard requirements, and about terms that were not read. */
const offerWarnings = ({ offer }: Candidate, nameOf: (offer: OfferReport) => string): string[] => [
  ...offer.unmet.filter(({ level }) => level === 'hard').map(({ message }) => `${nameOf(offer)}: ${message}`),
  ...(offer.shape === 'summary' ? [`${nameOf(offer)}: only the summary of the offer was read.`] : []),
]

/** The loud doubts about an award at present. */
function loudDoubts(award: Award | null, present: RfqReport): string[] {
  const about = { award, accepted: null, gap: null }
  return conditionsOf(about, problemOf(present)).flatMap(({ loud, message }) => (loud ? message : []))
}

function missingReason({ offers, followed, warnings }: AwardFacts): string[] {
  if (offers.length === 0) return ['Say why nothing is awarded (“because”).']
  const why = [
    ...(followed ? [] : ['it is not the recommended award']),
    ...(warnings.length === 0 ? [] : ['this is said against it']),
  ]
  return why.length === 0
    ? []
    : [`Say why (“because”): ${why.join(', and ')}${warnings.length === 0 ? '.' : ':'}`, ...warnings]
}

/** The name has no number: the record has one of its own. */
function offerRecord({ offer, tonnes, total, cost }: Candidate, { currency }: RfqReport): AwardedOfferRecord {
  const { id, sequence: number, source, status, terms, metrics } = offer
  return {
    ...{ id, number, name: createNames([offer])(offer), tonnes, total: withoutNoise(total) },
    ...{ pricePerTonne: withoutNoise(total / tonnes), cost: withoutNoise(cost) },
    own: { total: metrics.total, currency: terms.currency, rate: rateOf(terms.currencyCode, currency) },
    expiryDate: terms.expiryDate,
    status,
    version: source.version,
    contentHash: source.contentHash,
    termsHash: termsHash(offer),
  }
}

/** The exchange rate of an offer in another currency. */
function rateOf(code: string | null, { comparison, rates }: RfqReport['currency']): AwardedOfferRecord['own']['rate'] {
  const found = code === comparison ? undefined : rates.find(({ currency }) => currency === code)
  return found?.rate == null ? null : { rate: found.rate, date: found.date, source: found.source }
}

const recommendationRecord = ({ status, headline, reasons, award }: Recommendation): RecommendationRecord => ({
  ...{ status, headline, reasons },
  offers: (award?.offers ?? []).map(({ id, number, name, tonnes, total }) => ({ id, number, name, tonnes, total })),
  tonnes: award?.tonnes ?? null,
  total: award?.total ?? null,
  pricePerTonne: award?.pricePerTonne ?? null,
  currency: award?.currency ?? null,
})

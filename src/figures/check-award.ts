import { awardOf, type Candidate, candidatesOf, createNames } from '../compare/awards/award-figures.js'
import { type AwardProblem, awardProblem } from '../compare/awards/award-problem.js'
import { termsHash } from '../compare/awards/award-terms.js'
import { atLeast, upTo } from '../compare/awards/efficient-awards.js'
import { isCheaper } from '../compare/decision/choices.js'
import { conditionsOf } from '../compare/decision/conditions.js'
import type { Recommendation } from '../compare/decision/decision-model.js'
import { comparison } from '../compare/decision/reasons.js'
import { isComparable } from '../compare/offer/eligibility.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import type { RfqReport } from '../compare/report/compare-offers.js'
import type { AwardedOfferRecord, AwardFacts, RecommendationRecord } from '../core/decision/award-record.js'
import { IdMap } from '../core/documents/identifier.js'
import { sum } from '../core/numbers.js'
import { formatTonnes, withRoundedNumbers } from '../core/text/number-format.js'

/** The award that a person wants to record. */
interface AwardRequest extends Pick<AwardFacts, 'because' | 'by'> {
  /** By id, or else by number; none to award nothing. */
  offers: readonly string[]
  now: Date
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
 * @returns the award as it would be recorded, null if its figures cannot be computed; and why it is refused, one sentence for each reason
 */
export function checkAward(
  report: RfqReport,
  { offers, because, by, now }: AwardRequest,
  desk: DeskComparisons,
): { award: AwardFacts | null; refusals: string[] } {
  const { then, present } = desk
  const { chosen, refusals } = chooseOffers(report, offers)
  const all = new Set([...refusals, ...chooseOffers(present, offers).refusals, ...changes(report, present, chosen)])
  if (all.size > 0) return { award: null, refusals: [...all] }
  const problem = problemOf(report)
  const { context } = problem
  const awarded = chosen.length === 0 ? null : awardOf(chosen, context)
  const { tonnes, total, pricePerTonne, currency } = awarded ?? { ...NOTHING, currency: context.currency }
  const others = [...new Set([report, then])].filter(({ decision }) => !isRecommended(decision.recommendation, chosen))
  const doubts = conditionsOf({ award: awarded, accepted: null, gap: null }, problemOf(present))
  const warnings = [
    ...basisWarnings(report, desk, chosen),
    ...(awarded === null ? [] : windowWarnings(problem, chosen)),
    ...chosen.flatMap(({ offer }) =>
      offer.unmet.flatMap(({ level, message }) => (level === 'hard' ? `${context.nameOf(offer)}: ${message}` : [])),
    ),
    ...doubts.flatMap(({ loud, message }) => (loud ? message : [])),
    ...others.flatMap((other) => costWarning(other, offers, other === report ? '' : ' by the configured settings')),
  ]
  const award: AwardFacts = {
    ...{ id: null, at: now.toISOString(), by, asOf: report.context.asOf },
    offers: chosen.map((candidate) => offerRecord(candidate, report)),
    ...{ tonnes, total, pricePerTonne, currency, because, warnings },
    recommendation: recommendationRecord((others[0] ?? report).decision.recommendation),
    followed: others.length === 0,
  }
  return { award: withRoundedNumbers(award), refusals: because === null ? missingReason(award) : [] }
}

const NOTHING = { tonnes: 0, total: 0, pricePerTonne: 0 }

const problemOf = ({ currency, ...report }: RfqReport) => awardProblem(report, currency.comparison)

/** The chosen offers that have other terms at present than in the comparison. */
function changes({ context }: RfqReport, present: RfqReport, chosen: readonly Candidate[]): string[] {
  const terms = new Map(present.offers.map((offer) => [offer.id, termsHash(offer)]))
  const others = chosen.filter(({ offer }) => terms.get(offer.id) !== termsHash(offer))
  return others.map(({ offer }) => `${labelOf(offer)} has other terms now than at ${context.asOf}: compare again.`)
}

/** Warnings if the award is not based on the present comparison with the configured settings. */
function basisWarnings({ context }: RfqReport, desk: DeskComparisons, chosen: readonly Candidate[]): string[] {
  const isPast = desk.then !== desk.present && !isRecommended(desk.present.decision.recommendation, chosen)
  const past = `It is based on the comparison as of ${context.asOf}; at present, it is not the recommended award.`
  const settings = `It is compared with other settings than the configured ones: ${desk.settings.join(', ')}.`
  return [...(isPast ? [past] : []), ...(desk.settings.length === 0 ? [] : [settings])]
}

/** What the award that a comparison recommends costs less than the chosen offers, per tonne or in total. */
function costWarning(report: RfqReport, offers: readonly string[], by: string): string[] {
  const { award: recommended } = report.decision.recommendation
  const { chosen } = chooseOffers(report, offers)
  if (recommended === null || chosen.length === 0 || chosen.length < offers.length) return []
  const award = awardOf(chosen, problemOf(report).context)
  const costs = comparison(award, recommended, report.settings)
  return isCheaper(recommended, award) ? [`The recommended award${by} ${costs}.`] : []
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

/** Warnings about the tonnes of the award beside what is accepted. */
function windowWarnings({ range, accepted }: AwardProblem, chosen: readonly Candidate[]): string[] {
  if (range === null) return []
  const open = chosen.filter(({ offer }) => !isAccepted(offer))
  const tonnes = sum(open.map((one) => one.tonnes))
  const [most, beside] = [Math.max(range.upper, 0), accepted.length === 0 ? '' : ' beside what is accepted']
  const has = `The award has ${formatTonnes(tonnes)}`
  if (tonnes < atLeast(range.lower)) return [`${has}, less than the requested ${formatTonnes(range.lower)}${beside}.`]
  if (tonnes <= upTo(most) || (!range.isUpperStated && open.length === 1)) return []
  return [`${has}, more than the ${formatTonnes(most)} that an award may have${beside}.`]
}

function missingReason({ offers, followed, warnings }: AwardFacts): string[] {
  if (offers.length === 0) return ['Say why nothing is awarded (“because”).']
  const against = [...(followed ? [] : ['It is not the recommended award.']), ...warnings]
  return against.length === 0 ? [] : ['Say why (“because”), since this is said against it:', ...against]
}

/** The name has no number: the record has one of its own. */
function offerRecord({ offer, tonnes, total, cost }: Candidate, { currency, settings }: RfqReport): AwardedOfferRecord {
  const { id, sequence: number, source, status, terms, metrics } = offer
  const isConverted = terms.currencyCode !== currency.comparison
  const rate = isConverted ? (settings.exchangeRates[terms.currencyCode ?? ''] ?? null) : null
  return {
    ...{ id, number, name: createNames([offer])(offer), tonnes, total, pricePerTonne: total / tonnes, cost },
    own: { total: metrics.total, currency: terms.currency, rate },
    ...{ expiryDate: terms.expiryDate, status, version: source.version, contentHash: source.contentHash },
    termsHash: termsHash(offer),
  }
}

function recommendationRecord({ status, headline, reasons, award }: Recommendation): RecommendationRecord {
  const { tonnes = null, total = null, pricePerTonne = null, currency = null, offers = [] } = award ?? {}
  const named = offers.map(({ pricePerTonne: _price, ...offer }) => offer)
  return { status, headline, reasons, offers: named, tonnes, total, pricePerTonne, currency }
}

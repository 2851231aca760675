import { offersText } from '../compare/awards/award-figures.js'
import { termsHash } from '../compare/awards/award-terms.js'
import { obstacleOf } from '../compare/decision/excluded-offers.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import { changedTermsText } from '../compare/offer/reviewed-terms.js'
import { compareBodies } from '../core/changes/compare-documents.js'
import { describeChanges } from '../core/changes/describe-changes.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import { differingSettings } from '../core/decision/settings.js'
import type { RfqState } from './rfq-state.js'

/** The maximum number of causes in a reason. */
const MAX_CAUSES = 3

/** Whether the recommended award differs. Other figures of the same award do not count. */
export const isOtherAward = (a: RecommendationFigures, b: RecommendationFigures): boolean =>
  a.status !== b.status || idsOf(a).join('\t') !== idsOf(b).join('\t')

/** An award is a set. */
const idsOf = ({ offers }: RecommendationFigures) => offers.map(({ id }) => id).sort()

/**
 * Why another award is recommended than before: `Katari → Lumen, because the offer of Katari was rejected`.
 * @param recorded the newest recommendation
 * @param before the state when it was recorded
 */
export function changeReason(recorded: RecommendationFigures, before: RfqState | null, after: RfqState): string {
  const causes = before === null ? [] : causesOf(before, after)
  const because = causes.slice(0, MAX_CAUSES).join('; ') || 'the day changed, or Quotekeeper was updated'
  const labels = new Map(after.assessed.offers.map(({ id, label }) => [id, label]))
  const nameOf = ({ status, offers }: RecommendationFigures, state: RfqState | null): string =>
    offers.length === 0
      ? status === 'no-offers'
        ? 'no offers'
        : `no ${hasAccepted(state) ? 'further ' : ''}award`
      : offersText(offers.map(({ id, number, name }) => ({ number, name: labels.get(id) ?? name }))) +
        (status === 'partial' ? ' (partial)' : '')
  return `${nameOf(recorded, before)} → ${nameOf(after.recommendation, after)}, because ${because}`
}

/** Whether an offer of an RFQ is accepted. */
export const hasAccepted = (state: RfqState | null): boolean => state?.assessed.offers.some(isAccepted) ?? false

function causesOf(before: RfqState, after: RfqState): string[] {
  const offers = after.assessed.offers.map((offer) => offerChange(offer, before, after))
  const causesOfOffers = (part: string) => offers.flatMap((offer) => (offer.part === part ? (offer.cause ?? []) : []))
  const decisive = causesOfOffers('decisive')
  const settings = differingSettings(settingsOf(before), settingsOf(after))
  const rates = compareBodies(ratesOf(before), ratesOf(after)).filter(
    (rate) => rate.before !== null && rate.after !== null,
  )
  const causes = [
    ...settings.map((setting) => `setting ${setting.path}: ${setting.before} → ${setting.after}`),
    ...decisive,
    ...(isAcceptedAsRecommended(before, after) ? [] : demandChanges(before, after)),
    ...(decisive.length > 0 ? [] : causesOfOffers('kept')),
    ...rates.map((rate) => `rate ${rate.field}: ${rate.before} → ${rate.after}`),
  ]
  // Other offers can change the best set even if they are not part of it.
  return causes.length > 0 ? causes : causesOfOffers('none')
}

/** Whether the marketplace accepted a recommendation that reached the need: whatever else changed, nothing is left to award. */
const isAcceptedAsRecommended = ({ recommendation: { status, offers } }: RfqState, after: RfqState): boolean =>
  status === 'award' &&
  after.recommendation.status === 'accepted' &&
  offers.every(({ id }) => after.assessed.offers.some((offer) => offer.id === id && isAccepted(offer)))

/** Without what depends on the day or on recorded rates, because nobody changed it. */
const settingsOf = ({ settings: { exchangeRates: _rates, ...others } }: RfqState) => others

/** What can decide which offers compete, and how much is awarded, in the form of a document. */
function demandsOf({ assessed: { rfq } }: RfqState) {
  const { minVolume, maxVolume, minUnitPrice, maxUnitPrice, currency, minVintageYear, maxVintageYear } = rfq
  const { contractTypes, fulfilmentDueDate } = rfq
  const body = {
    ...{ minVolume, maxVolume, pricing: { minUnitPrice, maxUnitPrice, currency } },
    ...{ minVintageYear, maxVintageYear, contractTypes, fulfilmentDueDate },
  }
  return { shape: 'full', body } as const
}

/** In the sentences of the event that tells of them. */
function demandChanges(before: RfqState, after: RfqState): string[] {
  const [was, { missingSince, source }] = [before.assessed.rfq, after.assessed.rfq]
  const sentences = describeChanges(demandsOf(before), demandsOf(after), source.observedAt)
  const listed = missingSince === null ? 'the RFQ is listed again' : 'the RFQ is no longer listed'
  return [
    ...((was.missingSince === null) === (missingSince === null) ? [] : [listed]),
    ...sentences.map((sentence) => sentence.replace(/\.$/, '')),
  ]
}

/** Of the currencies in which offers compete. They do not matter if there is only one, now or before. */
function ratesOf({ assessed: { offers }, settings: { exchangeRates } }: RfqState) {
  const codes = new Set(
    offers.flatMap(({ standing, terms }) => (standing === 'ranked' ? (terms.currencyCode ?? []) : [])),
  )
  return Object.fromEntries(codes.size < 2 ? [] : [...codes].map((code) => [code, exchangeRates[code]?.rate]))
}

/** How an offer changed, if that can explain another award; `decisive` if it left the award, joined it, or was accepted. */
function offerChange(offer: OfferReport, before: RfqState, after: RfqState) {
  const old = before.assessed.offers.find(({ id }) => id === offer.id)
  const [was, is] = [before, after].map(({ recommendation }) => recommendation.offers.some(({ id }) => id === offer.id))
  const isNewlyAccepted = isAccepted(offer) && old?.standing !== 'accepted'
  return {
    part: was !== is || isNewlyAccepted ? 'decisive' : is ? 'kept' : 'none',
    cause: causeOf(old, offer, was === is ? null : was ? 'left' : 'joined'),
  }
}

function causeOf(old: OfferReport | undefined, offer: OfferReport, side: 'left' | 'joined' | null): string | null {
  const name = `the offer of ${offer.label}`
  const competes = offer.standing === 'ranked'
  if (old === undefined) return `${name} is new${competes ? '' : ` and ${obstacleOf(offer)}`}`
  if (old.standing !== offer.standing || (!competes && obstacleOf(old) !== obstacleOf(offer)))
    return `${name} ${competes ? 'competes now' : obstacleOf(offer)}`
  if (!competes || termsHash(old) === termsHash(offer)) return null
  const [costWas, cost] = [old, offer].map(({ compared }) => compared.costPerTonne ?? 0) as [number, number]
  // A lower price does not explain why it left, nor a higher one why it joined.
  const isMoved = side === 'left' ? cost > costWas : side === 'joined' ? cost < costWas : cost !== costWas
  if (!isMoved && old.metrics.volume === offer.metrics.volume) return null
  return `${name} changed: ${changedTermsText(old.metrics, offer.metrics)}`
}

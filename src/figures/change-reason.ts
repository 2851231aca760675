import { offersText } from '../compare/awards/award-figures.js'
import { termsHash } from '../compare/awards/award-terms.js'
import { obstacleOf } from '../compare/decision/excluded-offers.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { isAccepted } from '../compare/offer/ranking.js'
import { changedTermsText } from '../compare/offer/reviewed-terms.js'
import { describeChanges } from '../core/changes/describe-changes.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import { differingSettings } from '../core/decision/settings.js'
import type { RfqState } from './rfq-state.js'

/** The maximum number of causes in a reason. */
const MAX_CAUSES = 3

/** What an award is, beside its amounts. */
const keyOf = ({ status, offers }: RecommendationFigures): string => [status, ...offers.map(({ id }) => id)].join('\t')

/**
 * Why another award is recommended than before: `Katari → Lumen, because the offer of Katari was rejected`.
 * @param recorded the newest recommendation
 * @param before the state when it was recorded
 */
export function changeReason(recorded: RecommendationFigures, before: RfqState, after: RfqState): string {
  const isOther = keyOf(recorded) !== keyOf(after.recommendation)
  const because = causesOf(before, after, isOther).slice(0, MAX_CAUSES).join('; ')
  const labels = new Map(after.assessed.offers.map(({ id, label }) => [id, label]))
  const nameOf = ({ status, offers }: RecommendationFigures, state: RfqState): string =>
    offers.length === 0
      ? status === 'no-offers'
        ? 'no offers'
        : `no ${hasAccepted(state) ? 'further ' : ''}award`
      : offersText(offers.map(({ id, number, name }) => ({ number, name: labels.get(id) ?? name }))) +
        (status === 'partial' ? ' (partial)' : '')
  const what = isOther
    ? `${nameOf(recorded, before)} → ${nameOf(after.recommendation, after)}`
    : 'the same award for another total'
  return `${what}, because ${because || 'the day changed, or Quotekeeper was updated'}`
}

/** Whether an offer of an RFQ is accepted. */
export const hasAccepted = ({ assessed }: RfqState): boolean => assessed.offers.some(isAccepted)

/** @param isOther whether other offers are recommended: only their own terms change what the same ones cost, or else settings and rates */
function causesOf(before: RfqState, after: RfqState, isOther: boolean): string[] {
  const offers = after.assessed.offers.map((offer) => offerChange(offer, before, after))
  const causesOfOffers = (part: string) => offers.flatMap((offer) => (offer.part === part ? (offer.cause ?? []) : []))
  const [decisive, kept] = [causesOfOffers('decisive'), causesOfOffers('kept')]
  const settings = differingSettings(settingsOf(before), settingsOf(after)).map((setting) => `setting ${setting}`)
  const rates = rateChanges(before, after)
  if (!isOther) return kept.length > 0 ? kept : [...settings, ...rates]
  // If that is why nothing is left to award, what the RFQ asks for does not matter any more.
  const isDone = decisive.length > 0 && after.recommendation.status === 'accepted'
  const demands = isDone ? [] : demandChanges(before, after)
  const causes = [...settings, ...decisive, ...demands, ...(decisive.length > 0 ? [] : kept)]
  // Other offers can change the best set even if they are not part of it.
  return causes.length > 0 ? causes : [...rates, ...causesOfOffers('none')]
}

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

/** Of the currencies in which offers compete. */
function rateChanges(before: RfqState, { assessed: { offers }, settings: { exchangeRates } }: RfqState): string[] {
  const codes = offers.flatMap(({ standing, terms }) => (standing === 'ranked' ? (terms.currencyCode ?? []) : []))
  return [...new Set(codes)].flatMap((code) => {
    const [was, is] = [before.settings.exchangeRates, exchangeRates].map((rates) => rates[code]?.rate)
    return was === undefined || is === undefined || was === is ? [] : `rate ${code}: ${was} → ${is}`
  })
}

/** How an offer changed, if that can explain another award; `decisive` if it left the award, joined it, or was accepted. */
function offerChange(offer: OfferReport, before: RfqState, after: RfqState) {
  const old = before.assessed.offers.find(({ id }) => id === offer.id)
  const [was, is] = [before, after].map(({ recommendation }) => recommendation.offers.some(({ id }) => id === offer.id))
  const isNewlyAccepted = isAccepted(offer) && old?.standing !== 'accepted'
  return {
    part: was !== is || isNewlyAccepted ? 'decisive' : is ? 'kept' : 'none',
    cause: causeOf(old, offer, [was, is]),
  }
}

function causeOf(old: OfferReport | undefined, offer: OfferReport, [was, is]: (boolean | undefined)[]): string | null {
  const name = `the offer of ${offer.label}`
  const competes = offer.standing === 'ranked'
  if (old === undefined) return `${name} is new${competes ? '' : ` and ${obstacleOf(offer)}`}`
  if (old.standing !== offer.standing || (!competes && obstacleOf(old) !== obstacleOf(offer)))
    return `${name} ${competes ? 'competes now' : obstacleOf(offer)}`
  if (!competes || termsHash(old) === termsHash(offer)) return null
  const [costWas, cost] = [old, offer].map(({ compared }) => compared.costPerTonne ?? 0) as [number, number]
  // A lower price does not explain why it left, nor a higher one why it joined.
  const isMoved = was === is ? cost !== costWas : was ? cost > costWas : cost < costWas
  if (!isMoved && old.metrics.volume === offer.metrics.volume) return null
  return `${name} changed: ${changedTermsText(old.metrics, offer.metrics)}`
}

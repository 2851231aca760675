import type { OfferReport, UnmetRequirement } from '../compare/offer/offer-report-model.js'
import { oneLine } from '../core/clean-text.js'
import { formatCount, formatPercent, formatPrice, formatRange, formatTonnes, truncate } from '../core/number-format.js'
import { rounded } from '../core/numbers.js'
import type { RecommendationFigures } from '../core/recommendation.js'
import type { Settings } from '../core/settings.js'
import type { RfqState } from './rfq-state.js'

/** Causes that are named. */
const MAX_CAUSES = 3
/** Offers of an award that are named. */
const MAX_NAMED = 3

/** Whether another award is recommended, or none any more: other figures of the same award are no change. */
export const isOtherAward = (a: RecommendationFigures, b: RecommendationFigures): boolean =>
  a.status !== b.status || a.offers.map(({ id }) => id).join('\t') !== b.offers.map(({ id }) => id).join('\t')

/**
 * Why another award is recommended than before: `Katari (20.99) → Lumen (22.68), because the offer of Katari was rejected`.
 * @param before the state just before
 */
export function changeReason(before: RfqState, after: RfqState): string {
  const causes = [
    ...settingCauses(before.settings, after.settings),
    ...awardedCauses(before, after),
    ...windowCauses(before, after),
    ...newcomerCauses(before, after),
    ...rateCauses(before, after),
  ]
  const named = causes.length > 0 ? causes : otherCauses(before, after)
  const because = named.length === 0 ? 'the day changed' : named.slice(0, MAX_CAUSES).join('; ')
  return `${awardName(before)} → ${awardName(after)}, because ${because}`
}

/** `Katari (20.99)`, `Katari and Lumen (21.50)`, `no award`. */
function awardName({ recommendation: { status, offers, pricePerTonne }, assessed, figures }: RfqState): string {
  const labels = new Map(assessed.offers.map(({ id, label }) => [id, label]))
  const names = (all: readonly string[]) =>
    all.length > MAX_NAMED ? formatCount(all.length, 'offer') : new Intl.ListFormat('en-GB').format(all)
  if (status === 'accepted') return `${names(figures.accepted?.offers ?? [])} (accepted)`
  if (offers.length === 0) return WITHOUT_AWARD[status] ?? 'no award'
  const name = names(offers.map(({ id }) => oneLine(labels.get(id) ?? id)))
  const price = pricePerTonne === null ? '' : ` (${priceText(pricePerTonne)})`
  return status === 'partial' ? `${name}${price} for a part of the volume` : `${name}${price}`
}
/** With two decimals, unless it is less than 1. */
const priceText = (price: number) => formatPrice(price >= 1 ? rounded(price, 2) : price)
const WITHOUT_AWARD: Partial<Record<string, string>> = { 'no-offers': 'no offers', 'no-volume': 'no volume asked for' }

function settingCauses(before: Settings, after: Settings): string[] {
  const changed = differingMembers(withoutRates(before), withoutRates(after))
  if (changed.length === 0) return []
  const shown = changed.slice(0, MAX_CAUSES).map(({ path, a, b }) => `${path} from ${a} to ${b}`)
  return [`the settings changed: ${shown.join(', ')}${changed.length > shown.length ? ' and others' : ''}`]
}
const withoutRates = ({ exchangeRates: _rates, ...others }: Settings) => others

function differingMembers(a: object, b: object, parent = ''): { path: string; a: string; b: string }[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) => {
    const [one, other] = [(a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]]
    const path = `${parent}${name}`
    if (isObject(one) && isObject(other)) return differingMembers(one, other, `${path}.`)
    return one === other ? [] : [{ path, a: truncate(String(one), 40), b: truncate(String(other), 40) }]
  })
}
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What became of the offers that were to be awarded, or of those accepted now. */
function awardedCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  const now = byId(after)
  const accepted = after.assessed.offers.filter(
    ({ id, standing }) => standing === 'accepted' && then.get(id)?.standing !== 'accepted',
  )
  const kept = new Set(after.recommendation.offers.map(({ id }) => id))
  const left = before.recommendation.offers.filter(({ id }) => !kept.has(id))
  return [
    ...accepted.map(({ label }) => `the offer of ${oneLine(label)} was accepted`),
    ...left.flatMap(({ id }) => {
      const [old, offer] = [then.get(id), now.get(id)]
      if (offer === undefined) return old ? [`the offer of ${oneLine(old.label)} is gone`] : []
      return offerCauses(old, offer, before, after)
    }),
  ]
}

/** Offers that are to be awarded now and were not: what is new about them. */
function newcomerCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  const known = new Set(before.recommendation.offers.map(({ id }) => id))
  return after.recommendation.offers.flatMap(({ id }) => {
    const offer = byId(after).get(id)
    return known.has(id) || offer === undefined ? [] : offerCauses(then.get(id), offer, before, after)
  })
}

/** What changed of an offer that competed before and competes now. */
function termCauses(old: OfferReport | undefined, offer: OfferReport, before: RfqState, after: RfqState): string[] {
  if (old === undefined) return []
  const name = oneLine(offer.label)
  const code = offer.terms.currencyCode
  const [was, is] = [old.metrics.pricePerTonne, offer.metrics.pricePerTonne]
  const [tonnesWas, tonnesIs] = [old.metrics.volume, offer.metrics.volume]
  const causes: string[] = []
  if (was !== null && is !== null && priceText(was) !== priceText(is))
    causes.push(
      `the price of ${name} ${is > was ? 'rose' : 'fell'} from ${priceText(was)} to ${priceText(is)} ${code}/t`,
    )
  if (tonnesWas !== null && tonnesIs !== null && tonnesWas !== tonnesIs)
    causes.push(`${name} offers ${formatTonnes(tonnesIs)} instead of ${formatTonnes(tonnesWas)}`)
  if (causes.length === 0 && after.settings.awardRule === 'best-score' && before.settings.awardRule === 'best-score') {
    const [scoreWas, scoreIs] = [old.scores?.total, offer.scores?.total]
    if (scoreWas !== undefined && scoreIs !== undefined && scoreWas.toFixed(1) !== scoreIs.toFixed(1))
      causes.push(`${name} scores ${scoreIs.toFixed(1)} instead of ${scoreWas.toFixed(1)} points`)
  }
  return causes
}

/** What keeps an offer from competing, to follow its name. */
function obstacleOf(offer: OfferReport): string {
  const [exclusion] = offer.exclusions
  if (exclusion === undefined) return unmetText(offer)
  switch (exclusion.code) {
    case 'rejected':
      return 'was rejected'
    case 'not-open':
      return `is not open (its status is ${offer.status === null ? 'not stated' : `“${truncate(oneLine(offer.status), 40)}”`})`
    case 'missing':
    case 'not-listed':
      return 'is no longer listed'
    case 'no-exchange-rate':
      return `is in ${offer.terms.currencyCode}, for which there is no exchange rate`
    default:
      return 'cannot be compared'
  }
}

function unmetText({ unmet, terms }: OfferReport): string {
  const hard = unmet.find(({ level }) => level === 'hard')
  if (hard === undefined) return 'does not compete'
  if (hard.met === null) return `does not show whether it meets “${hard.title}”`
  return hard.name === 'notExpired' && terms.expiryDate !== null ? `expired on ${terms.expiryDate}` : NOT_MET[hard.name]
}

const NOT_MET: Record<UnmetRequirement['name'], string> = {
  reviewNotRejected: 'was rejected in review',
  reviewAccepted: 'is not accepted in review',
  notExpired: 'expired',
  contractType: 'has another contract type',
  vintages: 'has vintages outside the range',
  fulfilmentDate: 'delivers too late',
  priceMax: 'is above the maximum price',
  priceMin: 'is below the minimum price',
  submittedOnTime: 'was submitted late',
  listing: 'is for another listing',
}

/** What no longer keeps an offer from competing, to follow its name. */
function removedObstacle({ exclusions: [exclusion], unmet }: OfferReport): string {
  switch (exclusion?.code) {
    case undefined: {
      const hard = unmet.find(({ level }) => level === 'hard')
      return hard === undefined ? 'competes now' : `meets “${hard.title}” now`
    }
    case 'rejected':
    case 'not-open':
      return 'is open now'
    case 'missing':
    case 'not-listed':
      return 'is listed again'
    case 'no-exchange-rate':
      return 'has an exchange rate now'
    default:
      return 'can be compared now'
  }
}

/** What is new about an offer; nothing if nothing that matters is. */
function offerCauses(old: OfferReport | undefined, offer: OfferReport, before: RfqState, after: RfqState): string[] {
  const name = `the offer of ${oneLine(offer.label)}`
  const competes = offer.standing === 'ranked'
  if (old === undefined) return [competes ? `${name} is new` : `${name}, which is new, ${obstacleOf(offer)}`]
  if (competes)
    return old.standing === 'ranked' ? termCauses(old, offer, before, after) : [`${name} ${removedObstacle(old)}`]
  return old.standing === 'ranked' && offer.standing !== 'accepted' ? [`${name} ${obstacleOf(offer)}`] : []
}

function windowCauses(before: RfqState, after: RfqState): string[] {
  const [was, is] = [before.assessed.rfq, after.assessed.rfq]
  const causes: string[] = []
  if ((was.missingSince === null) !== (is.missingSince === null))
    causes.push(is.missingSince === null ? 'the RFQ is listed again' : 'the RFQ is no longer listed')
  if (was.minVolume !== is.minVolume || was.maxVolume !== is.maxVolume)
    causes.push(`the RFQ asks for ${volumeText(is)} instead of ${volumeText(was)}`)
  return causes
}

const volumeText = ({ minVolume, maxVolume }: RfqState['assessed']['rfq']) =>
  formatRange(minVolume, maxVolume)?.concat(' t') ?? 'no volume'

/** Rates of currencies that offers use. */
function rateCauses(before: RfqState, after: RfqState): string[] {
  const then = new Map(before.assessed.currency.rates.map((rate) => [rate.currency, rate.rate]))
  return after.assessed.currency.rates.flatMap(({ currency, rate, offers, date }) => {
    const was = then.get(currency)
    if (offers === 0 || rate === null || was == null || was === rate) return []
    const change = formatPercent(Math.abs(rate / was - 1))
    const dated = date === null ? '' : `, rate of ${date}`
    return [`1 ${currency} is worth ${change} ${rate > was ? 'more' : 'less'} ${after.figures.currency}${dated}`]
  })
}

/** Other offers that came, went or changed: they may take the place of none, and still make another set the best. */
function otherCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  return after.assessed.offers.flatMap((offer) => offerCauses(then.get(offer.id), offer, before, after))
}

const byId = ({ assessed }: RfqState): Map<string, OfferReport> =>
  new Map(assessed.offers.map((offer) => [offer.id, offer]))

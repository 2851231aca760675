import { REQUIREMENT_TITLES } from '../compare/offer/award-requirements.js'
import type { OfferReport } from '../compare/offer/offer-report-model.js'
import { oneLine } from '../core/clean-text.js'
import { formatCount, formatPercent, formatPrice, formatRange, formatTonnes, truncate } from '../core/number-format.js'
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
  if (status === 'accepted') return `${names(figures.accepted?.offers ?? [])} accepted, nothing more`
  if (offers.length === 0) return WITHOUT_AWARD[status] ?? 'no award'
  const name = names(offers.map(({ id }) => oneLine(labels.get(id) ?? id)))
  const price = pricePerTonne === null ? '' : ` (${formatPrice(pricePerTonne)})`
  return status === 'partial' ? `${name}${price} for a part of the volume` : `${name}${price}`
}
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
      if (offer.standing === 'accepted') return []
      return offer.standing === 'ranked' ? termCauses(old, offer, before, after) : [lossText(offer)]
    }),
  ]
}

/** Offers that are to be awarded now and were not: what is new about them. */
function newcomerCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  const known = new Set(before.recommendation.offers.map(({ id }) => id))
  return after.recommendation.offers.flatMap(({ id }) => {
    const [old, offer] = [then.get(id), byId(after).get(id)]
    if (known.has(id) || offer === undefined) return []
    const name = oneLine(offer.label)
    if (old === undefined) return [`the offer of ${name} is new`]
    if (old.standing !== 'ranked') return [`the offer of ${name} can be awarded now`]
    return termCauses(old, offer, before, after)
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
  if (was !== null && is !== null && formatPrice(was) !== formatPrice(is))
    causes.push(
      `the price of ${name} ${is > was ? 'rose' : 'fell'} from ${formatPrice(was)} to ${formatPrice(is)} ${code}/t`,
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

/** Why an offer competes no longer. */
function lossText(offer: OfferReport): string {
  const name = `the offer of ${oneLine(offer.label)}`
  const [exclusion] = offer.exclusions
  switch (exclusion?.code) {
    case undefined:
      break
    case 'rejected':
      return `${name} was rejected`
    case 'not-open':
      return `${name} is no longer open (its status is ${offer.status === null ? 'not stated' : `“${truncate(oneLine(offer.status), 40)}”`})`
    case 'missing':
    case 'not-listed':
      return `${name} is no longer listed`
    case 'no-exchange-rate':
      return `there is no exchange rate for ${name}, in ${offer.terms.currencyCode}`
    default:
      return `${name} can no longer be compared`
  }
  const unmet = offer.unmet.find(({ level }) => level === 'hard')
  if (unmet === undefined) return `${name} no longer competes`
  if (unmet.name === 'notExpired' && unmet.met === false)
    return `${name} expired${offer.terms.expiryDate === null ? '' : ` on ${offer.terms.expiryDate.slice(0, 10)}`}`
  const title = REQUIREMENT_TITLES[unmet.name]
  return `${name} does not meet the requirement “${title}”`
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
  const causes = after.assessed.offers.flatMap((offer) => {
    const old = then.get(offer.id)
    if (old === undefined) return [`the offer of ${oneLine(offer.label)} is new`]
    if (old.standing === 'ranked' && offer.standing !== 'ranked') return [lossText(offer)]
    if (old.standing !== 'ranked' && offer.standing === 'ranked')
      return [`the offer of ${oneLine(offer.label)} can be awarded now`]
    return termCauses(old, offer, before, after)
  })
  return causes
}

const byId = ({ assessed }: RfqState): Map<string, OfferReport> =>
  new Map(assessed.offers.map((offer) => [offer.id, offer]))

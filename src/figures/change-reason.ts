import type { OfferReport, UnmetRequirement } from '../compare/offer/offer-report-model.js'
import type { RecommendationFigures } from '../core/decision/recommendation.js'
import { differingSettings, type Settings } from '../core/decision/settings.js'
import { oneLine } from '../core/text/clean-text.js'
import {
  formatCount,
  formatPercent,
  formatPrice,
  formatPricePerTonne,
  formatRange,
  formatTonnes,
} from '../core/text/number-format.js'
import { offerCauses } from './offer-causes.js'
import type { RfqState } from './rfq-state.js'

/** The maximum number of causes in a reason. */
const MAX_CAUSES = 3
/** The maximum number of offers of an award that are named. */
const MAX_NAMED = 3

/** Whether the recommended award differs. Other figures of the same award do not count. */
export const isOtherAward = (a: RecommendationFigures, b: RecommendationFigures): boolean =>
  a.status !== b.status || idsOf(a).join('\t') !== idsOf(b).join('\t')

/** An award is a set. */
const idsOf = ({ offers }: RecommendationFigures) => offers.map(({ id }) => id).sort()

/**
 * Why another award is recommended than before: `Katari (20.99) → Lumen (22.68), because the offer of Katari was rejected`.
 * @param before the state when the newest recommendation was recorded
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
  const withCurrency = hasOtherCurrency(before, after)
  return `${awardName(before, withCurrency)} → ${awardName(after, withCurrency)}, because ${because}`
}

/** Whether the currency of prices must be named: the awards have different currencies, or differ from those of their offers. */
function hasOtherCurrency(before: RfqState, after: RfqState): boolean {
  const isConverted = ({ recommendation, assessed, figures }: RfqState) => {
    const ids = new Set(idsOf(recommendation))
    return assessed.offers.some(({ id, terms }) => ids.has(id) && terms.currencyCode !== figures.currency)
  }
  return before.figures.currency !== after.figures.currency || isConverted(before) || isConverted(after)
}

/** `Katari (20.99)`, `Katari and Lumen (21.50)`, `Katari (20.99) beside Lumen (accepted)`, `no award`. */
function awardName(state: RfqState, withCurrency: boolean): string {
  const accepted = state.assessed.offers.filter(({ standing }) => standing === 'accepted')
  if (accepted.length === 0) return recommendedName(state, withCurrency)
  const fixed = `${namesText(accepted.map(({ label }) => oneLine(label)))} (accepted)`
  if (state.recommendation.status === 'accepted') return fixed
  const isAlone = state.recommendation.offers.length === 0
  return isAlone ? `${fixed} and no further award` : `${recommendedName(state, withCurrency)} beside ${fixed}`
}

function recommendedName(
  { recommendation: { status, offers, tonnes, pricePerTonne, currency }, assessed }: RfqState,
  withCurrency: boolean,
): string {
  const labels = new Map(assessed.offers.map(({ id, label }) => [id, label]))
  if (offers.length === 0) return WITHOUT_AWARD[status] ?? 'no award'
  const name = namesText(offers.map(({ id }) => oneLine(labels.get(id) ?? id)))
  const unit = withCurrency && currency !== null ? ` ${currency}/t` : ''
  const price = pricePerTonne === null ? '' : ` (${formatPrice(pricePerTonne)}${unit})`
  return status === 'partial' ? `${name}${price} for only ${formatTonnes(tonnes ?? 0)}` : `${name}${price}`
}
const namesText = (all: readonly string[]) =>
  all.length > MAX_NAMED ? formatCount(all.length, 'offer') : new Intl.ListFormat('en-GB').format(all)
const WITHOUT_AWARD: Partial<Record<string, string>> = { 'no-offers': 'no offers', 'no-volume': 'no volume requested' }

function settingCauses(before: Settings, after: Settings): string[] {
  const changed = differingSettings(withoutRates(before), withoutRates(after))
  if (changed.length === 0) return []
  const shown = changed.slice(0, MAX_CAUSES).map(({ path, before: was, after: is }) => `${path} from ${was} to ${is}`)
  return [`the settings changed: ${shown.join(', ')}${changed.length > shown.length ? ' and others' : ''}`]
}
/** Without settings that depend on the day or on recorded rates, because nobody changed them. */
const withoutRates = ({ exchangeRates: _rates, outdatedRates: _outdated, ...others }: Settings) => others

/** Changes of the offers that were recommended or are now accepted. */
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
      return offerCauses({ old, offer, before, after, side: 'left' })
    }),
  ]
}

/** Changes of the offers that are newly recommended. */
function newcomerCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  const known = new Set(before.recommendation.offers.map(({ id }) => id))
  return after.recommendation.offers.flatMap(({ id }) => {
    const offer = byId(after).get(id)
    return known.has(id) || offer === undefined
      ? []
      : offerCauses({ old: then.get(id), offer, before, after, side: 'joined' })
  })
}

function windowCauses(before: RfqState, after: RfqState): string[] {
  const [was, is] = [before.assessed.rfq, after.assessed.rfq]
  const causes: string[] = []
  if ((was.missingSince === null) !== (is.missingSince === null))
    causes.push(is.missingSince === null ? 'the RFQ is listed again' : 'the RFQ is no longer listed')
  if (was.minVolume !== is.minVolume || was.maxVolume !== is.maxVolume)
    causes.push(`the RFQ asks for ${volumeText(is)} instead of ${volumeText(was)}`)
  if (was.maxUnitPrice !== is.maxUnitPrice && changesCompliance('priceMax', before, after))
    causes.push(`the maximum price of the RFQ is ${limitText(is)} instead of ${limitText(was)}`)
  return causes
}

/** Whether the set of offers that do not meet a requirement changed. */
function changesCompliance(name: UnmetRequirement['name'], before: RfqState, after: RfqState): boolean {
  const failing = ({ assessed }: RfqState) =>
    assessed.offers.filter(({ unmet }) => unmet.some((each) => each.name === name)).map(({ id }) => id)
  return failing(before).sort().join('\t') !== failing(after).sort().join('\t')
}

const limitText = ({ maxUnitPrice, currency }: RfqState['assessed']['rfq']) =>
  maxUnitPrice === null ? 'not stated' : formatPricePerTonne(maxUnitPrice, currency)

const volumeText = ({ minVolume, maxVolume }: RfqState['assessed']['rfq']) =>
  formatRange(minVolume, maxVolume)?.concat(' t') ?? 'no volume'

/** Changed rates of currencies that offers use. Rates do not matter if all competing offers have the same currency. */
function rateCauses(before: RfqState, after: RfqState): string[] {
  if (before.figures.currency !== after.figures.currency) return []
  const competing = [...before.assessed.offers, ...after.assessed.offers].filter(
    ({ standing }) => standing === 'ranked',
  )
  if (new Set(competing.map(({ terms }) => terms.currencyCode)).size < 2) return []
  const then = new Map(before.assessed.currency.rates.map((rate) => [rate.currency, rate.rate]))
  return after.assessed.currency.rates.flatMap(({ currency, rate, offers, date }) => {
    const was = then.get(currency)
    if (offers === 0 || rate === null || was == null || was === rate) return []
    const change = formatPercent(Math.abs(rate / was - 1))
    const dated = date === null ? '' : `, rate of ${date}`
    return [`1 ${currency} is worth ${change} ${rate > was ? 'more' : 'less'} ${after.figures.currency}${dated}`]
  })
}

/** Changes of other offers, which can change the best set even if they are not part of it. */
function otherCauses(before: RfqState, after: RfqState): string[] {
  const then = byId(before)
  return after.assessed.offers.flatMap((offer) => offerCauses({ old: then.get(offer.id), offer, before, after }))
}

const byId = ({ assessed }: RfqState): Map<string, OfferReport> =>
  new Map(assessed.offers.map((offer) => [offer.id, offer]))

import { SETTING_TEXT } from '../../compare/decision/setting-text.js'
import { REQUIREMENT_TITLES } from '../../compare/offer/requirements.js'
import type { RequirementName } from '../../core/decision/settings.js'
import type { RfqView } from './rfq-view.js'

const TITLES: Readonly<Record<string, string>> = {
  priceBasis: 'Compared by',
  currency: 'Compared in',
  without: 'Offers left out',
}

/** What a setting is called. @param name a parameter: `requirements.priceMax` */
export function settingTitle(name: string): string {
  const [section = '', key = ''] = name.split('.')
  if (section === 'requirements') return REQUIREMENT_TITLES[key as RequirementName]
  if (section === 'exchangeRates') return `Value of 1 ${key}`
  return TITLES[name] ?? SETTING_TEXT[name as keyof typeof SETTING_TEXT].label
}

/** The recommended award, or else the accepted one. */
export function awardOf({ decision: { recommendation } }: Pick<RfqView, 'decision'>) {
  return recommendation.award ?? recommendation.accepted?.award ?? null
}

type Compared = Pick<RfqView, 'decision' | 'offers'>

/**
 * The offers whose rank or award other settings change, by their new rank, each in words.
 * @param before with the configured settings
 */
export function movesOf(before: Compared, after: Compared): { number: number; label: string; message: string }[] {
  const known = new Map(before.offers.map((offer) => [offer.id, offer]))
  return after.offers.flatMap((offer) => {
    const was = known.get(offer.id)
    if (was === undefined) return []
    const ranks = [was.rank, offer.rank].map((rank) => (rank === null ? 'no rank' : `rank ${rank}`))
    const [had, has] = [before, after].map(({ decision }) => (decision.awardedTonnes[offer.id] ?? 0) > 0)
    if (was.rank === offer.rank && had === has) return []
    const moved = was.rank === offer.rank ? ranks[0] : ranks.join(' → ')
    const why = was.rank !== null && offer.why !== null ? ` (${offer.why.replace(/\.$/, '')})` : ''
    const awarded = had === has ? '' : has ? ', now awarded' : ', no longer awarded'
    return [{ number: offer.sequence, label: offer.label, message: `${moved}${why}${awarded}` }]
  })
}

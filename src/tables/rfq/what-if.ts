import type { RfqView } from './rfq-view.js'
import { type SettingChange, settingChanges } from './setting-changes.js'

/** What other settings change. */
export interface WhatIfChange {
  settings: SettingChange[]
  /** What becomes of the award. */
  message: string
  /** The offers whose rank or award changes, by their new rank. */
  moves: { number: number; label: string; message: string }[]
}

type Compared = Pick<RfqView, 'settings' | 'decision' | 'offers'>

/**
 * What changed settings change.
 * @param before with the configured settings
 * @param named the parameters that a person gave
 */
export const whatIfChange = (
  before: Compared,
  after: Compared,
  named: Readonly<Record<string, string>> = {},
): WhatIfChange => ({
  settings: settingChanges(before.settings, after.settings, named),
  message: awardChangeText(awardOf(before), awardOf(after)),
  moves: movesOf(before, after),
})

/** The recommended award, or else the accepted one. */
export function awardOf({ decision: { recommendation } }: Pick<RfqView, 'decision'>) {
  return recommendation.award ?? recommendation.accepted?.award ?? null
}

type AwardOf = ReturnType<typeof awardOf>

function awardChangeText(was: AwardOf, is: AwardOf): string {
  if (is === null) return was === null ? 'No award either way.' : 'No award any more.'
  if (was === null) return 'An award, where there was none.'
  const had = new Set(was.offers.map(({ id }) => id))
  if (had.size === is.offers.length && is.offers.every(({ id }) => had.has(id))) return 'The award stays the same.'
  return 'Another award.'
}

function movesOf(before: Compared, after: Compared): WhatIfChange['moves'] {
  const known = new Map(before.offers.map((offer) => [offer.id, offer]))
  return after.offers.flatMap((offer) => {
    const was = known.get(offer.id)
    if (was === undefined) return []
    const ranks = [was.rank, offer.rank].map((rank) => (rank === null ? 'no rank' : `rank ${rank}`))
    const [had, has] = [before, after].map(({ decision }) => (decision.awardedTonnes[offer.id] ?? 0) > 0)
    if (was.rank === offer.rank && had === has) return []
    const moved = was.rank === offer.rank ? ranks[0] : ranks.join(' → ').replace(/(\d) → rank /, '$1 → ')
    const why = was.rank !== null && offer.why !== null ? ` (${offer.why.replace(/\.$/, '')})` : ''
    const awarded = had === has ? '' : has ? ', now awarded' : ', no longer awarded'
    return [{ number: offer.number, label: offer.label, message: `${moved}${why}${awarded}` }]
  })
}

import { z } from 'zod'
import { createNames, offersText } from '../../compare/awards/award-figures.js'
import { type Award, decisionSchema } from '../../compare/decision/decision-model.js'
import type { RfqReport } from '../../compare/report/compare-offers.js'
import type { Settings } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { compareNullsLast } from '../../core/numbers.js'
import {
  formatPrice,
  formatPricePerTonne,
  formatTonnes,
  withoutNoise,
  withRoundedNumbers,
} from '../../core/text/number-format.js'
import { type Lookup, type RfqAddress, withRfq } from '../find-rfq.js'
import { nullableNumber, text } from '../schema.js'
import type { WhatIf } from '../settings.js'
import type { ViewSource } from '../source.js'
import { settingChanges } from './setting-changes.js'

const settingChange = z.strictObject({
  setting: text.describe('As `comparison` takes it: `requirements.priceMax`.'),
  title: text,
  before: text,
  after: text,
  message: text.describe('All of it: `Weight of price: 45 → 60`.'),
})

/** What a comparison with some settings recommends. */
const outcomeSchema = z
  .strictObject({
    status: decisionSchema.shape.recommendation.shape.status,
    headline: text.describe('What to do, and what became of every offer.'),
    award: z
      .strictObject({
        name: text.describe('The offers in words.'),
        offers: z.array(z.strictObject({ id: text, number: z.int(), name: text })),
        tonnes: z.number(),
        total: z.number().describe('Amount payable.'),
        pricePerTonne: z.number(),
        currency: text,
        coverage: nullableNumber.describe('Share of the requested tonnes, at most 1.'),
      })
      .nullable()
      .describe('The recommended award, or else the accepted one.'),
  })
  .meta({ id: 'WhatIfOutcome' })
export type WhatIfOutcome = z.infer<typeof outcomeSchema>

const place = z.strictObject({ rank: z.int().nullable(), awardedTonnes: z.number() })

const whatIfChangeSchema = z.strictObject({
  settings: z.array(settingChange),
  before: outcomeSchema.describe('With the settings in force.'),
  after: outcomeSchema.describe('With the changed settings.'),
  message: text.describe('What becomes of the award.'),
  pricePerTonneDifference: nullableNumber.describe(
    'After less before; null unless both have an award in one currency.',
  ),
  moves: z
    .array(
      z.strictObject({
        ...{ offerId: text, number: z.int(), name: text, before: place, after: place },
        message: text.describe('`rank 3 → 1, now awarded`.'),
      }),
    )
    .describe('The offers whose rank or award changes, by their new rank.'),
})
/** What other settings change. */
export type WhatIfChange = z.infer<typeof whatIfChangeSchema>

export const whatIfSchema = z.strictObject({
  change: whatIfChangeSchema.nullable().describe('Null if no setting is changed.'),
})
/** What other settings would change. */
export type WhatIfView = z.infer<typeof whatIfSchema>

interface WhatIfQuery extends RfqAddress {
  /** The changed settings; default: none. */
  whatIf?: Pick<WhatIf, 'settings' | 'changes'>
}

/** What-if comparisons of an RFQ. */
export const whatIfViews = ({ store, settings: base, compare }: ViewSource) => ({
  /** Compares with the settings in force and with changed ones. */
  whatIf: ({ whatIf, ...address }: WhatIfQuery): Promise<Lookup<WhatIfView>> =>
    withRfq(store, { ...address, withoutResponses: true }, async (_found, rfq): Promise<WhatIfView> => {
      if (whatIf === undefined || canonicalJson(whatIf.settings) === canonicalJson(base)) return { change: null }
      const before = comparedOf(await compare(rfq, address))
      const after = comparedOf(await compare(rfq, address, whatIf.settings))
      return { change: whatIfChange(before, after, whatIf.changes) }
    }),
})

/** A comparison, as far as other settings can change it. */
interface Compared {
  settings: Settings
  outcome: WhatIfOutcome
  offers: {
    offerId: string
    number: number
    name: string
    rank: number | null
    awardedTonnes: number
    why: string | null
  }[]
}

/** What a report says with its settings. */
export function comparedOf({ settings, decision, offers }: RfqReport): Compared {
  const { status, headline, award, accepted } = decision.recommendation
  const nameOf = createNames(offers)
  return withRoundedNumbers({
    settings,
    outcome: { status, headline, award: awardOf(award ?? accepted?.award ?? null) },
    offers: offers.map((offer) => ({
      offerId: offer.id,
      number: offer.sequence,
      name: nameOf(offer),
      rank: offer.rank,
      awardedTonnes: decision.awardedTonnes[offer.id] ?? 0,
      why: offer.why,
    })),
  })
}

function awardOf(award: Award | null): WhatIfOutcome['award'] {
  if (award === null) return null
  const { tonnes, total, pricePerTonne, currency, coverage } = award
  const offers = award.offers.map(({ id, number, name }) => ({ id, number, name }))
  return { name: offersText(award.offers), offers, tonnes, total, pricePerTonne, currency, coverage }
}

/**
 * What changed settings change.
 * @param before with the settings in force
 * @param named the parameters that a person gave
 */
export function whatIfChange(
  before: Compared,
  after: Compared,
  named: Readonly<Record<string, string>> = {},
): WhatIfChange {
  const [was, is] = [before.outcome.award, after.outcome.award]
  const isSameCurrency = was !== null && is !== null && was.currency === is.currency
  const pricePerTonneDifference = isSameCurrency ? withoutNoise(is.pricePerTonne - was.pricePerTonne) : null
  return {
    settings: settingChanges(before.settings, after.settings, named),
    before: before.outcome,
    after: after.outcome,
    message: awardChangeText(was, is, pricePerTonneDifference),
    pricePerTonneDifference,
    moves: movesOf(before, after),
  }
}

type OutcomeAward = WhatIfOutcome['award']

function awardChangeText(was: OutcomeAward, is: OutcomeAward, difference: number | null): string {
  if (is === null) return was === null ? 'No award either way.' : 'No award any more.'
  if (was === null) return 'An award, where there was none.'
  const had = new Set(was.offers.map(({ id }) => id))
  if (had.size === is.offers.length && is.offers.every(({ id }) => had.has(id))) return 'The award stays the same.'
  const changes = [
    ...(difference === null ? [] : [priceChangeText(difference, is.currency)]),
    tonnesChangeText(is.tonnes - was.tonnes),
  ]
  return `Another award: ${changes.join(', ')}.`
}

/** `0.50 USD/t less`, `the same price per tonne`. */
const priceChangeText = (difference: number, currency: string): string =>
  formatPrice(Math.abs(difference)) === formatPrice(0)
    ? 'the same price per tonne'
    : `${formatPricePerTonne(Math.abs(difference), currency)} ${difference > 0 ? 'more' : 'less'}`

/** `2,000 t more`, `the same tonnes`. */
const tonnesChangeText = (difference: number): string =>
  formatTonnes(Math.abs(difference)) === formatTonnes(0)
    ? 'the same tonnes'
    : `${formatTonnes(Math.abs(difference))} ${difference > 0 ? 'more' : 'less'}`

/** The offers whose rank or award differs, by their new rank; those without one last. */
function movesOf(before: Compared, after: Compared): WhatIfChange['moves'] {
  const known = new Map(before.offers.map((offer) => [offer.offerId, offer]))
  return after.offers
    .flatMap((is) => {
      const was = known.get(is.offerId)
      if (was === undefined || (was.rank === is.rank && was.awardedTonnes === is.awardedTonnes)) return []
      const { offerId, number, name } = is
      return [{ offerId, number, name, before: placeOf(was), after: placeOf(is), message: moveText(was, is) }]
    })
    .sort((a, b) => compareNullsLast(a.after.rank, b.after.rank, (x, y) => x - y, false) || a.number - b.number)
}

const placeOf = ({ rank, awardedTonnes }: Compared['offers'][number]) => ({ rank, awardedTonnes })

function moveText(was: Compared['offers'][number], is: Compared['offers'][number]): string {
  const ranks = [was.rank, is.rank].map((rank) => (rank === null ? 'no rank' : `rank ${rank}`))
  const moved =
    was.rank === is.rank
      ? ranks[0]
      : was.rank !== null && is.rank !== null
        ? `rank ${was.rank} → ${is.rank}`
        : ranks.join(' → ')
  const why = was.rank !== null && is.rank === null && is.why !== null ? ` (${is.why.replace(/\.$/, '')})` : ''
  const [had, has] = [was.awardedTonnes > 0, is.awardedTonnes > 0]
  const awarded = had === has ? '' : has ? ', now awarded' : ', no longer awarded'
  return `${moved}${why}${awarded}`
}

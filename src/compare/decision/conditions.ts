import { formatCount } from '../../core/number-format.js'
import type { FlagCode } from '../flag.js'
import type { OfferReport, UnmetRequirement } from '../offer/offer-report-model.js'
import { joined } from './award-figures.js'

/** Requirements that say the same as a high flag. */
const SAID_BY: Partial<Record<FlagCode, UnmetRequirement['name']>> = {
  expired: 'notExpired',
  'late-submission': 'submittedOnTime',
  'price-above-max': 'priceMax',
  'vintage-too-old': 'vintages',
  'vintage-too-new': 'vintages',
  'delivery-after-due': 'fulfilmentDate',
  'contract-type-not-asked': 'contractType',
  'listing-not-asked': 'listing',
}

/** Says nothing of an offer that is awarded together with others, or accepted. */
const OF_THE_OFFER_ALONE: ReadonlySet<FlagCode> = new Set(['volume-below-min'])

/** More conditions are counted. */
const MAX_CONDITIONS = 8

/**
 * What to check before signing, one sentence each: high flags first, then requirements not met, then expiry dates; with the offers that a
 * sentence is about if there are several.
 */
export function conditionsOf(offers: readonly OfferReport[], nameOf: (offer: OfferReport) => string): string[] {
  const about = new Map<string, Set<OfferReport>>()
  for (const sentencesOf of [flagTexts, requirementTexts, expiryText]) {
    for (const offer of offers) {
      for (const words of sentencesOf(offer)) about.set(words, (about.get(words) ?? new Set()).add(offer))
    }
  }
  const all = [...about].map(([words, those]) =>
    offers.length === 1
      ? words
      : `${those.size === offers.length ? 'Each offer' : joined([...those].map(nameOf))}: ${words}`,
  )
  if (all.length <= MAX_CONDITIONS) return all
  return [...all.slice(0, MAX_CONDITIONS - 1), `And ${formatCount(all.length - MAX_CONDITIONS + 1, 'more condition')}.`]
}

/** High flags; in the words of the requirement that says the same. */
const flagTexts = ({ flags, unmet }: OfferReport): string[] =>
  flags
    .filter(({ code, severity }) => severity === 'high' && !OF_THE_OFFER_ALONE.has(code))
    .map(({ code, words }) => unmet.find(({ name }) => name === SAID_BY[code])?.words ?? words)

const requirementTexts = ({ unmet }: OfferReport): string[] => unmet.map(({ words }) => words)

function expiryText({ status, terms: { daysToExpiry, expiryDate } }: OfferReport): string[] {
  if (status === 'accepted' || (daysToExpiry !== null && daysToExpiry < 0)) return []
  if (daysToExpiry === null) return ['The offer states no expiry date.']
  return [`The offer expires ${inDays(daysToExpiry)}, on ${expiryDate}.`]
}

/** `today`, `in 3 days`. */
const inDays = (days: number): string => (days === 0 ? 'today' : `in ${formatCount(days, 'day')}`)

import { oneLine } from '../../core/text/clean-text.js'
import { formatCount, formatPercent, truncate } from '../../core/text/number-format.js'
import { joined } from '../awards/award-figures.js'
import { earliest } from '../date-math.js'
import type { FlagCode, Severity } from '../flag.js'
import type { OfferReport, UnmetRequirement } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** Requirements that say the same as a high flag. */
const EQUIVALENT_REQUIREMENT: Partial<Record<FlagCode, UnmetRequirement['name']>> = {
  expired: 'notExpired',
  'late-submission': 'submittedOnTime',
  'price-above-max': 'priceMax',
  'vintage-too-old': 'vintages',
  'vintage-too-new': 'vintages',
  'delivery-after-due': 'fulfilmentDate',
  'contract-type-not-asked': 'contractType',
  'listing-not-asked': 'listing',
}

/** Flags that another sentence covers: of a requirement, an expiry date or pre-payments; coverage is judged for the whole award. */
const COVERED_ELSEWHERE: ReadonlySet<FlagCode> = new Set([
  ...(['volume-below-min', 'volume-above-max', 'price-below-min', 'review-not-accepted', 'expiring'] as const),
  'prepayment-share' as const,
])

/** More conditions are counted. */
const MAX_CONDITIONS = 8

/**
 * What to check before signing, one sentence each: high flags first, then requirements not met, other flags but low ones, pre-payments, notes and
 * expiry dates; with the offers that a sentence is about if there are several.
 */
export function conditionsOf(offers: readonly OfferReport[], nameOf: (offer: OfferReport) => string): string[] {
  const about = new Map<string, Set<OfferReport>>()
  for (const sentencesOf of [
    flagTexts('high'),
    requirementTexts,
    flagTexts('medium'),
    prepaymentText,
    notesText,
    expiryText,
  ]) {
    for (const offer of offers) {
      for (const message of sentencesOf(offer)) about.set(message, (about.get(message) ?? new Set()).add(offer))
    }
  }
  const all = [...about].map(([message, those]) =>
    offers.length === 1
      ? message
      : `${those.size === offers.length ? 'Each offer' : joined([...those].map(nameOf))}: ${message}`,
  )
  if (all.length <= MAX_CONDITIONS) return all
  return [...all.slice(0, MAX_CONDITIONS - 1), `And ${formatCount(all.length - MAX_CONDITIONS + 1, 'more condition')}.`]
}

/** How many flags and requirements not met there are to check before signing; expiry dates and pre-payments are not counted. */
export const countConditions = (offers: readonly OfferReport[]): number =>
  new Set(
    offers.flatMap((offer) => [flagTexts('high'), requirementTexts, flagTexts('medium')].flatMap((of) => of(offer))),
  ).size

/** The requirements of the RFQ that are text, which only a person can check; null if there are none. */
export const askedBesides = ({ additionalRequirements }: Pick<RfqTerms, 'additionalRequirements'>): string | null =>
  additionalRequirements === null ? null : truncate(oneLine(additionalRequirements), MAX_QUOTED)
const MAX_QUOTED = 300

/** Messages of the flags of a severity; an equivalent requirement's message replaces the flag's. */
const flagTexts =
  (wanted: Severity) =>
  ({ flags, unmet }: OfferReport): string[] =>
    flags
      .filter(({ code, severity }) => severity === wanted && !COVERED_ELSEWHERE.has(code))
      .map(({ code, message }) => unmet.find(({ name }) => name === EQUIVALENT_REQUIREMENT[code])?.message ?? message)

const requirementTexts = ({ unmet }: OfferReport): string[] => unmet.map(({ message }) => message)

/** Omitted if a high flag states that everything, or more, is paid in advance. */
function prepaymentText({ metrics: { prepaidShare }, prepayments }: OfferReport): string[] {
  if (prepaidShare === null || prepaidShare <= 0 || prepaidShare >= 1 - 1e-9) return []
  const first = earliest(prepayments.map(({ dueDate }) => dueDate))
  const from = first === null ? '' : `, from ${first} on`
  return [`${formatPercent(prepaidShare)} of the total is paid in advance${from}.`]
}

/** What the seller adds, such as that a price holds for the whole volume only. */
const notesText = ({ terms: { notes } }: OfferReport): string[] =>
  notes === null ? [] : [`The seller notes: “${truncate(oneLine(notes), MAX_QUOTED)}”`]

function expiryText({ status, unmet, terms: { daysToExpiry, expiryDate } }: OfferReport): string[] {
  if (
    status === 'accepted' ||
    unmet.some(({ name, met }) => name === 'notExpired' && met === null) ||
    (daysToExpiry !== null && daysToExpiry < 0)
  )
    return []
  if (daysToExpiry === null) return ['The offer states no expiry date.']
  return [`The offer expires ${inDays(daysToExpiry)}, on ${expiryDate}.`]
}

/** `today`, `in 3 days`. */
const inDays = (days: number): string => (days === 0 ? 'today' : `in ${formatCount(days, 'day')}`)

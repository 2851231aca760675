import { oneLine } from '../../core/text/clean-text.js'
import { formatPercent, truncate } from '../../core/text/number-format.js'
import { joined } from '../awards/award-figures.js'
import { earliest } from '../date-math.js'
import type { Severity } from '../flag.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** More are in the details of the offers. */
const MAX_CONDITIONS = 3

/**
 * What to check before signing, one sentence each: high flags first, then requirements not met, other flags, pre-payments and notes; with the
 * offers that a sentence is about if there are several.
 */
export function conditionsOf(offers: readonly OfferReport[], nameOf: (offer: OfferReport) => string): string[] {
  const about = new Map<string, Set<OfferReport>>()
  for (const sentencesOf of [flagTexts('high'), requirementTexts, flagTexts('medium'), prepaymentText, notesText]) {
    for (const offer of offers) {
      for (const message of sentencesOf(offer)) about.set(message, (about.get(message) ?? new Set()).add(offer))
    }
  }
  return [...about]
    .slice(0, MAX_CONDITIONS)
    .map(([message, those]) =>
      offers.length === 1
        ? message
        : `${those.size === offers.length ? 'Each offer' : joined([...those].map(nameOf))}: ${message}`,
    )
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

/** Messages of the flags of a severity. */
const flagTexts =
  (wanted: Severity) =>
  ({ flags }: OfferReport): string[] =>
    flags
      .filter(({ code, severity }) => severity === wanted && code !== 'prepayment-share')
      .map(({ message }) => message)

/** Without a price that a flag says is far below the minimum. */
const requirementTexts = ({ unmet, flags }: OfferReport): string[] =>
  unmet
    .filter(({ name }) => name !== 'priceMin' || !flags.some(({ code }) => code === 'price-far-below-min'))
    .map(({ message }) => message)

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

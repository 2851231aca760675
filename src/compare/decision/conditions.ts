import { oneLine } from '../../core/text/clean-text.js'
import { truncate } from '../../core/text/number-format.js'
import { joined } from '../awards/award-figures.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

/** More are in the details of the offers. */
const MAX_CONDITIONS = 3

/**
 * What to check before signing, one sentence each: high flags first, then requirements not met, other flags and notes; with the
 * offers that a sentence is about if there are several. What is true of all offers of the RFQ is left out, unless it is loud.
 */
export function conditionsOf(
  offers: readonly OfferReport[],
  all: readonly OfferReport[],
  nameOf: (offer: OfferReport) => string,
): string[] {
  const about = new Map<string, Set<OfferReport>>()
  for (const sentencesOf of [flagTexts(true), requirementTexts, flagTexts(false), notesText]) {
    for (const offer of offers) {
      for (const message of sentencesOf(offer)) about.set(message, (about.get(message) ?? new Set()).add(offer))
    }
  }
  return [...about]
    .filter(([message]) => !isSaidOfAll(message, all))
    .slice(0, MAX_CONDITIONS)
    .map(([message, those]) =>
      offers.length === 1
        ? message
        : `${those.size === offers.length ? 'Each offer' : joined([...those].map(nameOf))}: ${message}`,
    )
}

/** Whether it is quiet, and true of every offer alike, so that it tells none from another. */
const isSaidOfAll = (message: string, all: readonly OfferReport[]): boolean =>
  all.length > 1 &&
  all.every((offer) => [requirementTexts, flagTexts(false), notesText].some((of) => of(offer).includes(message)))

/** How many flags and requirements not met there are to check before signing. */
export const countConditions = (offers: readonly OfferReport[]): number =>
  new Set(offers.flatMap((offer) => [flagTexts(true), requirementTexts, flagTexts(false)].flatMap((of) => of(offer))))
    .size

/** The requirements of the RFQ that are text, which only a person can check; null if there are none. */
export const askedBesides = ({ additionalRequirements }: Pick<RfqTerms, 'additionalRequirements'>): string | null =>
  additionalRequirements === null ? null : truncate(oneLine(additionalRequirements), MAX_QUOTED)
const MAX_QUOTED = 300

/** Messages of the loud or the quiet flags. */
const flagTexts =
  (wanted: boolean) =>
  ({ flags }: OfferReport): string[] =>
    flags.filter(({ loud }) => loud === wanted).map(({ message }) => message)

/** Without a price that a flag says is far below the minimum. */
const requirementTexts = ({ unmet, flags }: OfferReport): string[] =>
  unmet
    .filter(({ name }) => name !== 'priceMin' || !flags.some(({ code }) => code === 'price-far-below-min'))
    .map(({ message }) => message)

/** What the seller adds, such as that a price holds for the whole volume only. */
const notesText = ({ terms: { notes } }: OfferReport): string[] =>
  notes === null ? [] : [`The seller notes: “${truncate(oneLine(notes), MAX_QUOTED)}”`]

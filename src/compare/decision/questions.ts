import { byCodeUnit } from '../../core/numbers.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatPricePerTonne, formatTonnes, truncate } from '../../core/text/number-format.js'
import type { AwardProblem } from '../awards/award-problem.js'
import { upTo } from '../awards/efficient-awards.js'
import { type FlagValue, formatFlagValue, type OfferFlagCode, type Severity } from '../flag.js'
import type { ListingQuality } from '../offer/listing-quality.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { askedBesides } from './conditions.js'
import type { Award, Choice, DeveloperQuestions } from './decision-model.js'

type Question = (offer: OfferReport, rfq: RfqTerms, compared: readonly FlagValue[]) => string
const asked =
  (message: string): Question =>
  () =>
    message
const value = (compared: readonly FlagValue[], at: number) =>
  formatFlagValue(compared[at] ?? { what: '', value: null, unit: null })

/** The price of an offer in its own currency, and in that of the RFQ if it is another. */
const askedPrice = ({ metrics, terms }: OfferReport, { currency }: RfqTerms, inRfqCurrency: string): string =>
  metrics.pricePerTonne === null || terms.currency === currency
    ? inRfqCurrency
    : `${formatPricePerTonne(metrics.pricePerTonne, terms.currency)}, which is ${inRfqCurrency}`

/** What a developer can clarify about each flag; flags that only concern the buyer or the data are left out. */
const QUESTIONS: Partial<Record<OfferFlagCode, Question>> = {
  withdrawn: asked('Is the offer still valid? It is no longer visible on the marketplace.'),
  'not-listed': asked('Is the offer still valid? The newest list no longer has it.'),
  'unknown-status': ({ status }) => `Is the offer still open? Its status is “${truncate(status ?? 'unknown', 40)}”.`,
  'price-above-max': (offer, rfq, of) =>
    `Could you come down to ${value(of, 1)}, the maximum of the RFQ? You ask for ${askedPrice(offer, rfq, value(of, 0))}.`,
  'delivery-after-due': ({ metrics }, rfq) =>
    `Could you deliver by ${rfq.fulfilmentDueDate}? The last delivery is due on ${metrics.lastDelivery}.`,
  'no-expiry': asked('Until when is the offer valid?'),
  expired: ({ terms }) => `Would you extend the offer? It expired on ${terms.expiryDate}.`,
  expiring: ({ terms }) => `Would you extend the offer? It expires on ${terms.expiryDate}.`,
  'late-submission': asked('Why was the offer submitted after the response due date?'),
  'price-below-min': (_offer, _rfq, of) => `Does the price of ${value(of, 0)} include all fees, and what else?`,
  'vintage-too-old': (_offer, rfq) => `Can you supply only vintages from ${rfq.minVintageYear} on?`,
  'vintage-too-new': (_offer, rfq) => `Can you supply only vintages up to ${rfq.maxVintageYear}?`,
  'contract-type-not-asked': (_offer, rfq) => `Can you offer a ${rfq.contractTypes.join(' or ')} contract?`,
  'vintage-after-delivery': asked(
    'Which dates are right? At least one delivery is due before its reporting period ends.',
  ),
  'delivery-past': ({ metrics }) =>
    `When will you deliver? The first delivery date, ${metrics.firstDelivery}, is past.`,
  'no-currency': asked('In which currency is the offer priced?'),
  'volume-mismatch': (_offer, _rfq, of) =>
    `Which volume applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
  'total-mismatch': (_offer, _rfq, of) =>
    `Which total applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
  'no-volume': asked('How many tonnes do you offer?'),
  'implausible-numbers': (_offer, _rfq, of) => `Please correct the ${of[0]?.what ?? 'figures'}: ${value(of, 0)}.`,
  'prepayment-above-total': asked('Why do the pre-payments exceed the total price?'),
  'listing-missing': asked('Is the project still for sale? Its listing is no longer visible on the marketplace.'),
  'listing-unknown': asked('Which project do the credits come from? Its listing is not known.'),
  'listing-not-asked': asked('Why is the offer for a listing that the RFQ does not name?'),
  'beyond-availability': (_offer, _rfq, of) =>
    `How will you supply ${value(of, 0)} of ${of[0]?.what}? Your listing has ${value(of, 1)}.`,
}

/** What notes of the seller may mean for the price or the volume: a person must read them. */
const NEGOTIABLE_NOTES =
  /discount|rebate|partial|part of|split|negotiab|flexib|lower price|smaller|minimum|at least|bundle|together/i
const MAX_NOTE = 300

/**
 * What to ask the developers of offers that could change the decision: all but those that are rejected, or accepted. Nothing once what is
 * accepted suffices.
 */
export function questionsOf(
  problem: AwardProblem,
  award: Award | null,
  choices: readonly Choice[],
): DeveloperQuestions[] {
  const { offers, rfq, context, accepted, search } = problem
  if (accepted.length > 0 && search === null) return []
  const groups = new Map<string, DeveloperQuestions['offers']>()
  for (const offer of closestFirst(offers, award)) {
    if (offer.standing === 'accepted' || offer.status === 'rejected' || !offer.hasOffer) continue
    const questions = [
      ...volumeQuestion(offer, problem, choices),
      ...reviewQuestion(offer),
      ...flagQuestions(offer, rfq, ['high']),
      ...notesQuestion(offer),
      ...flagQuestions(offer, rfq, ['medium', 'low']),
      ...missingFacts(offer.listing),
      ...additionalRequirements(offer, rfq),
    ]
    if (questions.length === 0) continue
    const developer = oneLine(offer.developer ?? context.nameOf(offer))
    const notes = negotiableNotes(offer)
    const asked = { offerId: offer.id, number: offer.sequence, name: context.nameOf(offer), questions, notes }
    groups.set(developer, [...(groups.get(developer) ?? []), asked])
  }
  const termsOf = new Map(offers.map(({ id, terms }) => [id, terms]))
  return [...groups].map(([developer, asked]) => {
    const deadline = answerDeadline(
      rfq,
      asked.flatMap(({ offerId }) => termsOf.get(offerId) ?? []),
    )
    return { developer, offers: asked, text: textOf(developer, asked, rfq, deadline) }
  })
}

/**
 * Asks for an answer by the day on which the RFQ, if it is open, is due, or by that on which the first of the offers expires: the earlier of
 * those that are not past. Null if there is none.
 */
function answerDeadline(
  { state, responseDueDate, daysToDue }: RfqTerms,
  offers: readonly Pick<OfferReport['terms'], 'expiryDate' | 'daysToExpiry'>[],
): string | null {
  const expires = offers.length === 1 ? 'your offer expires' : 'the first of your offers expires'
  const days = [
    ...(state === 'open' ? [{ date: responseDueDate, left: daysToDue, what: 'responses to the RFQ are due' }] : []),
    ...offers.map(({ expiryDate, daysToExpiry }) => ({ date: expiryDate, left: daysToExpiry, what: expires })),
  ]
  const [first] = days
    .flatMap(({ date, left, what }) => (date === null || left === null || left < 0 ? [] : { date, what }))
    .sort((a, b) => byCodeUnit(a.date, b.date))
  return first === undefined ? null : `Please answer by ${first.date}, when ${first.what}.`
}

/** Offers of the award first, then the others that compete, then those that miss the fewest hard requirements. */
function closestFirst(offers: readonly OfferReport[], award: Award | null): OfferReport[] {
  const awarded = new Set(award?.offers.map(({ id }) => id))
  const distance = ({ id, standing, unmet }: OfferReport) => {
    if (awarded.has(id)) return -1
    if (standing === 'ranked') return 0
    return standing === 'not-compliant' ? unmet.filter(({ level }) => level === 'hard').length : Number.MAX_VALUE
  }
  return [...offers].sort((a, b) => distance(a) - distance(b))
}

/** Of an offer that is larger than what can be awarded, or of which a part would make a cheaper award. */
function volumeQuestion(
  { id, metrics, terms }: OfferReport,
  { range }: AwardProblem,
  choices: readonly Choice[],
): string[] {
  if (range === null || metrics.volume === null) return []
  const price = formatPricePerTonne(metrics.pricePerTonne ?? 0, terms.currency)
  if (metrics.volume <= upTo(range.upper)) {
    const parts = choices.flatMap(({ kind, award }) => (kind === 'divided' ? award.offers : []))
    const part = parts.find((each) => each.id === id && each.shareOfOffer < 1)
    if (part === undefined) return []
    return [
      `Would you sell ${formatTonnes(part.tonnes)} of the ${formatTonnes(metrics.volume)} at the same price of ${price}?`,
    ]
  }
  const wanted =
    range.lower === range.upper
      ? formatTonnes(range.lower)
      : `${formatTonnes(range.lower)} to ${formatTonnes(range.upper)}`
  return [`Would you sell ${wanted} of the ${formatTonnes(metrics.volume)} at the same price of ${price}?`]
}

/** The notes to the buyer, if they may matter for the price or the volume. */
const negotiableNotes = ({ terms: { notes } }: OfferReport): string | null =>
  notes !== null && NEGOTIABLE_NOTES.test(notes) ? truncate(oneLine(notes), MAX_NOTE) : null

function notesQuestion(offer: OfferReport): string[] {
  const notes = negotiableNotes(offer)
  return notes === null ? [] : [`Your notes say “${notes}” What does that mean for the price and the volume here?`]
}

function textOf(
  developer: string,
  offers: DeveloperQuestions['offers'],
  rfq: RfqTerms,
  deadline: string | null,
): string {
  const title = [
    rfq.number === null ? 'the RFQ' : `RFQ ${rfq.number}`,
    rfq.title === null ? '' : `“${oneLine(rfq.title)}”`,
  ]
    .filter(Boolean)
    .join(' ')
  const parts = offers.map(({ name, questions }) => `${name}:\n${questions.map((one) => `- ${one}`).join('\n')}`)
  const start = `To ${developer}, about your ${offers.length === 1 ? 'offer' : 'offers'} for ${title}:`
  return [start, ...parts, ...(deadline === null ? [] : [deadline])].join('\n\n')
}

/** One sentence or two for each flag of the severities. */
const flagQuestions = (offer: OfferReport, rfq: RfqTerms, severities: readonly Severity[]): string[] =>
  offer.flags.flatMap(({ code, severity, compared }) => {
    const question = QUESTIONS[code as OfferFlagCode]
    return question === undefined || !severities.includes(severity) ? [] : [question(offer, rfq, compared)]
  })

/** Of offers that compete. */
function additionalRequirements({ standing }: OfferReport, rfq: RfqTerms): string[] {
  const asked = askedBesides(rfq)
  return asked === null || standing !== 'ranked' ? [] : [`The RFQ also asks: “${asked}” Does your offer meet that?`]
}

function reviewQuestion({ terms }: OfferReport): string[] {
  const { review } = terms
  if (review === null || !isReviewRejected({ terms })) return []
  const comment = review.comment === null ? '' : `: "${truncate(review.comment, 120)}"`
  return [`What has changed since the review rejected the offer${comment}?`]
}

const FACTS: readonly [fact: keyof ListingQuality, name: string][] = [
  ['country', 'country'],
  ['registry', 'registry'],
  ['registryId', 'registry ID'],
  ['methodologies', 'methodology'],
  ['mitigationActivity', 'mitigation activity'],
  ['labels', 'certification labels'],
]

function missingFacts(listing: ListingQuality): string[] {
  if (!listing.known) return []
  const missing = FACTS.filter(([fact]) => {
    const found = listing[fact]
    return found === null || (Array.isArray(found) && found.length === 0)
  }).map(([, name]) => name)
  if (missing.length === 0) return []
  const list = missing.length === 1 ? missing[0] : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`
  return [`Please state the project's ${list}: the listing does not.`]
}

import { byCodeUnit } from '../../core/numbers.js'
import { oneLine } from '../../core/text/clean-text.js'
import { formatPricePerTonne, formatTonnes, truncate } from '../../core/text/number-format.js'
import type { AwardProblem } from '../awards/award-problem.js'
import { upTo } from '../awards/efficient-awards.js'
import { type FlagCode, type FlagValue, formatFlagValue } from '../flag.js'
import type { Exclusion } from '../offer/eligibility.js'
import type { ListingQuality } from '../offer/listing-quality.js'
import type { OfferReport, UnmetRequirement } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { askedBesides } from './conditions.js'
import type { Award, DeveloperQuestions } from './decision-model.js'

type Question = (offer: OfferReport, rfq: RfqTerms) => string
const asked =
  (message: string): Question =>
  () =>
    message
const value = (compared: readonly FlagValue[], at: number) =>
  formatFlagValue(compared[at] ?? { what: '', value: null, unit: null })

/** What a developer can clarify about each flag. */
const FLAG_QUESTIONS: Partial<Record<FlagCode, (compared: readonly FlagValue[]) => string>> = {
  'changed-since-review': () => 'Why have the terms changed since the review accepted the offer?',
  'price-far-below-min': (of) => `Does the price of ${value(of, 0)} include all fees, and what else?`,
  'beyond-availability': (of) =>
    `How will you supply ${value(of, 0)} of ${of[0]?.what}? Your listing has ${value(of, 1)}.`,
  'total-mismatch': (of) =>
    `Which total applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
  'volume-mismatch': (of) =>
    `Which volume applies: ${value(of, 0)} as stated, or ${value(of, 1)}, the sum of the delivery lines?`,
}

/** What a developer can change about a requirement that is not met; no limit of the RFQ on the price is named. */
const REQUIREMENT_QUESTIONS: Partial<Record<UnmetRequirement['name'], Question>> = {
  notExpired: ({ terms }) => `Would you extend the offer? It expired on ${terms.expiryDate}.`,
  contractType: (_offer, rfq) => `Can you offer a ${rfq.contractTypes.join(' or ')} contract?`,
  vintages: (_offer, { minVintageYear: from, maxVintageYear: to }) =>
    `Can you supply only vintages${from === null ? '' : ` from ${from} on`}${to === null ? '' : ` up to ${to}`}?`,
  fulfilmentDate: ({ metrics }, rfq) =>
    `Could you deliver by ${rfq.fulfilmentDueDate}? The last delivery is due on ${metrics.lastDelivery}.`,
  priceMax: ({ metrics, terms }) =>
    `Could you lower the price of ${formatPricePerTonne(metrics.pricePerTonne ?? 0, terms.currency)}?`,
  submittedOnTime: asked('Why was the offer submitted after the response due date?'),
  listing: asked('Why is the offer for a listing that the RFQ does not name?'),
}

/** What is missing of an offer that cannot be compared. */
const EXCLUSION_QUESTIONS: Partial<Record<Exclusion['code'], Question>> = {
  'not-open': ({ status }) => `Is the offer still open? Its status is “${truncate(status ?? 'unknown', 40)}”.`,
  'no-volume': asked('How many tonnes do you offer?'),
  'no-price': asked('What is the price per tonne of each delivery?'),
  'no-currency': asked('In which currency is the offer priced?'),
}

/** Of an offer that is gone, nothing is asked. */
const GONE: ReadonlySet<Exclusion['code']> = new Set(['rejected', 'missing', 'not-listed'])

/** What notes of the seller may mean for the price or the volume: a person must read them. */
const NEGOTIABLE_NOTES =
  /discount|rebate|partial|part of|split|negotiab|flexib|lower price|smaller|minimum|at least|bundle|together/i
const MAX_NOTE = 300

/**
 * What to ask the developers of offers that could change the decision: all but those that are rejected, or accepted. Nothing once what is
 * accepted suffices.
 */
export function questionsOf(problem: AwardProblem, award: Award | null): DeveloperQuestions[] {
  const { offers, rfq, context, accepted, search } = problem
  if (accepted.length > 0 && search === null) return []
  const groups = new Map<string, DeveloperQuestions['offers']>()
  for (const offer of closestFirst(offers, award)) {
    if (offer.standing === 'accepted' || !offer.hasOffer || offer.exclusions.some(({ code }) => GONE.has(code)))
      continue
    const questions = [
      ...volumeQuestion(offer, problem),
      ...reviewQuestion(offer),
      ...factQuestions(offer, rfq),
      ...notesQuestion(offer),
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

/** Of an offer that is larger than what can be awarded. */
function volumeQuestion({ metrics, terms }: OfferReport, { range }: AwardProblem): string[] {
  if (range === null || metrics.volume === null) return []
  if (metrics.volume <= upTo(range.upper)) return []
  const price = formatPricePerTonne(metrics.pricePerTonne ?? 0, terms.currency)
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

/** Of what excludes it, then of its flags, then of the requirements that it does not meet. */
function factQuestions(offer: OfferReport, rfq: RfqTerms): string[] {
  const { exclusions, flags, unmet, terms } = offer
  return [
    ...exclusions.flatMap(({ code }) => EXCLUSION_QUESTIONS[code]?.(offer, rfq) ?? []),
    ...flags.flatMap(({ code, compared }) => FLAG_QUESTIONS[code]?.(compared) ?? []),
    ...unmet.flatMap(({ name, met }) => (met === false ? (REQUIREMENT_QUESTIONS[name]?.(offer, rfq) ?? []) : [])),
    ...(flags.some(({ code }) => code === 'expiring')
      ? [`Would you extend the offer? It expires on ${terms.expiryDate}.`]
      : []),
  ]
}

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

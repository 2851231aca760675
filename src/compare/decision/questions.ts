import type { AwardFacts } from '../../core/decision/award-record.js'
import { minOf } from '../../core/numbers.js'
import { cleanText, oneLine, truncate } from '../../core/text/clean-text.js'
import {
  formatAmount,
  formatMoney,
  formatPricePerTonne,
  formatRange,
  formatTonnes,
} from '../../core/text/number-format.js'
import { addDays } from '../../core/time/calendar-days.js'
import type { AwardProblem } from '../awards/award-problem.js'
import { upTo } from '../awards/efficient-awards.js'
import { rfqsText, yearsText } from '../offer/availability.js'
import type { Exclusion } from '../offer/eligibility.js'
import type { FlagCode, OfferReport, UnmetRequirement } from '../offer/offer-report-model.js'
import { isReviewRejected } from '../offer/requirements.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { askedBesides } from './conditions.js'
import type { Award, DeveloperQuestions } from './decision-model.js'

/** Days: an offer that expired longer ago is gone, and a day farther ahead is no day to answer by. */
const NEAR_DAYS = 30

type Reason = Exclusion['code'] | UnmetRequirement['name'] | FlagCode

/** What to ask about each reason for doubt; null: nothing. No limit of the RFQ on price or volume is named. */
const QUESTIONS: Partial<Record<Reason, (offer: OfferReport, rfq: RfqTerms) => string | null>> = {
  'no-volume': () => 'How many tonnes do you offer?',
  'no-price': () => 'What is the price per tonne of each delivery?',
  'no-currency': () => 'In which currency is your price?',
  'no-exchange-rate': (_, { currency }) => currency && `Could you quote in ${truncate(currency, 8)}?`,
  reviewNotRejected({ terms }) {
    const { updatedAt, createdAt, comment } = terms.review ?? {}
    const said = comment ? `: “${truncate(oneLine(comment), 120)}”` : '.'
    return isReviewRejected({ terms })
      ? `Your offer did not pass its review${dated(updatedAt ?? createdAt)}${said} Can you resolve that?`
      : null
  },
  notExpired: ({ terms: { expiryDate } }, rfq) =>
    expiryDate === null
      ? 'Until which day is your offer valid?'
      : `Your offer expired on ${expiryDate}. Could you renew it${until(expiryDate, rfq)}?`,
  contractType: (_, { contractTypes }) =>
    contractTypes.length === 0 ? null : `Could you offer a ${contractTypes.join(' or ')} contract?`,
  vintages: (_, { minVintageYear, maxVintageYear }) =>
    `Could you deliver only vintages ${formatRange(minVintageYear, maxVintageYear, String) ?? 'as asked for'}?`,
  fulfilmentDate({ metrics: { lastDelivery } }, { fulfilmentDueDate }) {
    const last = lastDelivery === null ? '' : `Your last delivery is due on ${lastDelivery}. `
    return fulfilmentDueDate && `${last}Could you deliver everything by ${fulfilmentDueDate}?`
  },
  priceMax: (offer) => `Could you lower your price of ${priceOf(offer)}?`,
  'price-far-below-min': (offer) =>
    `Does your price of ${priceOf(offer)} include everything, such as issuance and the transfer to our account?`,
  'changed-since-review': ({ terms: { review } }) =>
    `Why have your terms changed since the review${dated(review?.updatedAt ?? review?.createdAt)}?`,
  'beyond-availability': ({ shortages, metrics: { lastDelivery } }) =>
    shortages
      .map(({ together, available, others, ...years }) => {
        const by = lastDelivery === null ? '' : ` by ${lastDelivery}`
        const also = others.length === 0 ? '' : `, with your offers for ${rfqsText(others.flatMap(({ rfqs }) => rfqs))}`
        return `You offer ${formatTonnes(together)} of ${yearsText(years)}${also}; your listing has ${formatAmount(available)}. How would you supply the rest${by}?`
      })
      .join(' '),
  'total-mismatch': ({ terms: { statedTotal, currency }, metrics }) =>
    `Your offer states ${formatMoney(statedTotal ?? 0, currency)} in total, but its deliveries add up to ${formatMoney(metrics.sumValue, currency)}. Which applies?`,
  'volume-mismatch': ({ terms: { statedVolume }, metrics }) =>
    `Your offer states ${formatTonnes(statedVolume ?? 0)} in total, but its deliveries add up to ${formatTonnes(metrics.sumVolume)}. Which applies?`,
  'prepayment-in-full': ({ metrics: { firstDelivery } }) =>
    `You ask for payment in full before the first delivery${firstDelivery === null ? '' : `, on ${firstDelivery}`}. Could a part of it be due on delivery?`,
  expiring: ({ terms: { expiryDate } }, rfq) =>
    expiryDate && `Your offer expires on ${expiryDate}. Could you extend it${until(expiryDate, rfq)}?`,
}

const dated = (moment: string | null | undefined) => (moment ? ` of ${moment.slice(0, 10)}` : '')

const priceOf = ({ metrics, terms }: OfferReport) => formatPricePerTonne(metrics.pricePerTonne ?? 0, terms.currency)

const until = (expiryDate: string, { state, responseDueDate }: RfqTerms) =>
  state === 'open' && responseDueDate !== null && responseDueDate > expiryDate
    ? ` beyond ${responseDueDate}, when responses are due`
    : ', and to which day'

/**
 * What to ask each developer, as a letter: only what could change the decision. That is the doubts about offers of the award on record, or
 * else of the recommended one, about those that cost less per tonne, and about all as long as nothing reaches the requested volume. Nothing
 * is asked about offers that are accepted, not open any more, not read yet, or far above the maximum price.
 */
export function questionsOf(
  problem: AwardProblem,
  award: Award | null,
  standing: Pick<AwardFacts, 'offers'> | null,
): DeveloperQuestions[] {
  const { offers, rfq, accepted, search, chosen, competing, context } = problem
  if (rfq.missingSince !== null || (accepted.length > 0 && search === null)) return []
  const awarded = new Set((standing ?? award)?.offers.map(({ id }) => id))
  // From more than 40 % above the maximum, nobody comes down to it.
  const maxCost = chosen?.reached ? (award?.costPerTonne ?? 0) : 1.4 * (rfq.comparedMaxUnitPrice ?? Number.MAX_VALUE)
  const expireAlike = competing.length > 1 && new Set(competing.map(({ offer }) => offer.terms.expiryDate)).size === 1
  const besides = askedBesides(rfq)
  const letters = new Map<string, Asked[]>()
  for (const offer of [...offers].sort((a, b) => Number(awarded.has(b.id)) - Number(awarded.has(a.id)))) {
    const isAwarded = awarded.has(offer.id)
    if (!isAnswerable(offer) || !(isAwarded || (offer.compared.costPerTonne ?? 0) < maxCost)) continue
    const isQuiet = (reason: Reason) => reason === 'expiring' && (!isAwarded || expireAlike)
    const questions = [
      ...doubtsOf(offer).flatMap((reason) => (isQuiet(reason) ? [] : (QUESTIONS[reason]?.(offer, rfq) ?? []))),
      ...partQuestion(offer, problem),
      ...(isAwarded && besides !== null ? [`The RFQ also asks: “${besides}” How do you meet that?`] : []),
    ]
    const developer = oneLine(offer.developer ?? context.nameOf(offer))
    if (questions.length > 0) letters.set(developer, [...(letters.get(developer) ?? []), { offer, questions }])
  }
  return [...letters].map(([developer, asked]) => letterOf(developer, asked, rfq))
}

interface Asked {
  offer: OfferReport
  questions: string[]
}

/** Whether its developer can still answer for it: submitted, visible and read, and not expired long ago. */
const isAnswerable = ({ standing, shape, exclusions, terms }: OfferReport): boolean =>
  standing !== 'accepted' &&
  shape === 'full' &&
  exclusions.every(({ code }) => code in QUESTIONS) &&
  (terms.daysToExpiry ?? 0) >= -NEAR_DAYS

/** A price that cannot be compared with the maximum need not be lower. */
const doubtsOf = ({ exclusions, unmet, flags }: OfferReport): Reason[] => [
  ...exclusions.map(({ code }) => code),
  ...unmet.flatMap(({ name, met }) => (name === 'priceMax' && met === null ? [] : name)),
  ...flags.map(({ code }) => code),
]

/** Of an offer that is too large for an award, or has more than twice the need. */
function partQuestion({ metrics: { volume } }: OfferReport, { range }: AwardProblem): string[] {
  if (range === null || volume === null || volume <= upTo(Math.min(range.upper, 2 * range.lower))) return []
  return [`Would you sell a part of the ${formatTonnes(volume)} at the same price per tonne, and how much at least?`]
}

function letterOf(developer: string, asked: readonly Asked[], rfq: RfqTerms): DeveloperQuestions {
  const reference = rfq.reference === null ? '' : oneLine(rfq.reference)
  const name = `RFQ ${truncate(rfq.number === null ? reference : `${rfq.number}${reference && ` (${reference})`}`, 60)}`
  const title = rfq.title === null ? '' : truncate(oneLine(rfq.title), 120)
  const offers = asked.length === 1 ? 'offer' : 'offers'
  const subject = `${name.trim()}${title && ` – ${title}`}: questions on your ${offers}`
  const answerBy = answerDay(rfq, asked)
  const body = [
    `About your ${offers} for ${name.trim()}${title && `, “${title}”`}:`,
    ...asked.map(({ offer, questions }) => [titleOf(offer), ...questions.map((one) => `- ${one}`)].join('\n')),
    ...(answerBy === null ? [] : [`Please answer by ${answerBy}.`]),
  ].join('\n\n')
  return {
    developer,
    subject,
    text: `${subject}\n\n${body}`,
    mailto: mailtoOf(subject, body),
    offers: asked.map(({ offer, questions }) => ({ offerId: offer.id, questions })),
  }
}

/** `Rimba Raya, your offer of 2026-11-03 (6,000 t at 47.69 USD/t):` */
function titleOf(offer: OfferReport): string {
  const { volume, pricePerTonne } = offer.metrics
  const what = volume === null || pricePerTonne === null ? '' : ` (${formatTonnes(volume)} at ${priceOf(offer)})`
  return `${offer.project === null ? 'Your' : `${oneLine(offer.project)}, your`} offer${dated(offer.submittedAt)}${what}:`
}

/** The day on which the RFQ, if it is open, is due, or before the first of the offers expires; null if none is near. */
function answerDay({ state, responseDueDate, daysToDue }: RfqTerms, asked: readonly Asked[]): string | null {
  const isNear = (days: number | null) => days !== null && days >= 0 && days <= NEAR_DAYS
  return minOf([
    state === 'open' && isNear(daysToDue) ? responseDueDate : null,
    ...asked.map(({ offer }) => {
      const { daysToExpiry, expiryDate } = offer.terms
      return expiryDate !== null && daysToExpiry !== 0 && isNear(daysToExpiry) ? addDays(expiryDate, -1) : null
    }),
  ])
}

/** Of a `mailto:` address: some programs open no longer one. */
const MAX_CHARACTERS = 2_000

const encoded = (text: string) => encodeURIComponent(cleanText(text)).replaceAll('%0A', '%0D%0A')
const CUT = encoded('\n[Too long for a link: paste the whole text here.]')

/** A mail without a recipient (RFC 6068). A body that is too long is cut after a line, and says so. */
function mailtoOf(subject: string, body: string): string {
  const start = `mailto:?subject=${encoded(subject)}&body=`
  const whole = start + encoded(body)
  if (whole.length <= MAX_CHARACTERS) return whole
  const fitting = whole.slice(0, MAX_CHARACTERS - CUT.length)
  return fitting.slice(0, Math.max(start.length, fitting.lastIndexOf('%0D%0A'))) + CUT
}

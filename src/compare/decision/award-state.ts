import type { AwardedOfferRecord, AwardFacts } from '../../core/decision/award-record.js'
import { formatMoney, formatTonnes } from '../../core/text/number-format.js'
import { formatMinute, type Timestamp } from '../../core/time/clock.js'
import { amountsText, createNames, joined, offersText } from '../awards/award-figures.js'
import { termsHash } from '../awards/award-terms.js'
import { EXPIRY_WARNING_DAYS } from '../offer/offer-flags.js'
import type { OfferReport } from '../offer/offer-report-model.js'

/**
 * - `waiting`: the marketplace does not show every awarded offer as accepted yet.
 * - `accepted`: it shows exactly the awarded offers as accepted.
 * - `differs`: what it shows cannot become the recorded award: a person has to decide again.
 * - `no-award`: nothing is awarded, and it shows nothing else.
 */
type AwardStatus = 'waiting' | 'accepted' | 'differs' | 'no-award'

interface AwardFinding {
  code: 'other-accepted' | 'missing' | 'not-open' | 'changed' | 'expired' | 'expires' | 'part-accepted' | 'accepted'
  /** Whether a person must act now: it cannot become the recorded award, or expires by tomorrow. */
  loud: boolean
  message: string
  /** When that was first observed; null if that is not known, or it follows from the date. */
  since: Timestamp | null
}

/** What the marketplace shows of the standing award of an RFQ, what to do next, and the facts to show, from its offers at a moment. Pure. */
export function awardState(award: AwardFacts, offers: readonly OfferReport[]) {
  const findings = findingsOf(award, offers)
  const status: AwardStatus = findings.some(({ code }) => DIFFERS.has(code))
    ? 'differs'
    : findings.some(({ code }) => code === 'accepted')
      ? 'accepted'
      : award.offers.length === 0
        ? 'no-award'
        : 'waiting'
  const next = nextStep(award, status, offers)
  return { award, status, findings, next, facts: factsOf(award, findings, next) }
}

export type AwardState = ReturnType<typeof awardState>

/** What prevents the marketplace from showing the recorded award as accepted. */
const DIFFERS: ReadonlySet<AwardFinding['code']> = new Set([
  'other-accepted',
  'missing',
  'not-open',
  'changed',
  'expired',
])

function findingsOf(award: AwardFacts, offers: readonly OfferReport[]): AwardFinding[] {
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  const nameOf = createNames(offers)
  const awarded = new Set(award.offers.map(({ id }) => id))
  const accepted = offers.filter(({ standing }) => standing === 'accepted')
  // Those that were accepted before the decision are known to it: it adds to them.
  const others = accepted.filter((offer) => !awarded.has(offer.id) && acceptedSince(offer) > award.asOf)
  const own = award.offers.flatMap((record) => [...offerFindings(record, byId.get(record.id))])
  const all = [
    ...acceptedOtherOffers(others, nameOf),
    ...own,
    ...acceptance(award, accepted, own.length === 0 && others.length === 0),
  ]
  return all.sort((a, b) => Number(b.loud) - Number(a.loud))
}

function acceptedOtherOffers(others: readonly OfferReport[], nameOf: (offer: OfferReport) => string): AwardFinding[] {
  if (others.length === 0) return []
  const message = `The marketplace shows ${joined(others.map(nameOf))} as accepted, which the recorded award does not have.`
  return [{ code: 'other-accepted', loud: true, message, since: newest(others) }]
}

/** Whether the recorded award is accepted. @param asRecorded whether it is accepted with the recorded terms, and nothing else since */
function acceptance(award: AwardFacts, accepted: readonly OfferReport[], asRecorded: boolean): AwardFinding[] {
  const ids = new Set(accepted.map(({ id }) => id))
  const [done, open] = [true, false].map((is) => award.offers.filter(({ id }) => ids.has(id) === is))
  if (done === undefined || open === undefined || done.length === 0) return []
  const since = newest(accepted)
  if (open.length > 0) {
    const message = `The marketplace shows ${namesOf(done)} as accepted, but not ${namesOf(open)} yet.`
    return [{ code: 'part-accepted', loud: false, message, since }]
  }
  if (!asRecorded) return []
  const message = `The marketplace shows ${namesOf(done)} as accepted: that is the recorded award.`
  return [{ code: 'accepted', loud: false, message, since }]
}

const newest = (offers: readonly OfferReport[]): Timestamp | null => offers.map(acceptedSince).sort().at(-1) ?? null

/** When an accepted offer was first observed as it is. */
const acceptedSince = ({ source, summaryDifference }: OfferReport): Timestamp =>
  summaryDifference?.observedAt ?? source.observedAt
const namesOf = (offers: readonly AwardedOfferRecord[]) => joined(offers.map(({ name }) => name))

/** How an awarded offer has changed since it was awarded, and when it expires. */
function* offerFindings(record: AwardedOfferRecord, offer: OfferReport | undefined): Generator<AwardFinding> {
  const finding = (code: AwardFinding['code'], message: string, since: Timestamp | null = null): AwardFinding => ({
    ...{ code, message: `${record.name}: ${message}`, since },
    loud: code !== 'expires' || (offer?.terms.daysToExpiry ?? 0) <= 1,
  })
  if (offer === undefined) {
    yield finding('missing', 'The awarded offer is not known at this moment.')
    return
  }
  const isAccepted = offer.standing === 'accepted'
  const { observedAt } = offer.source
  for (const { code, message } of isAccepted ? [] : offer.exclusions) {
    if (code === 'missing') yield finding('missing', message, offer.missingSince)
    else if (code === 'rejected' || code === 'not-open') yield finding('not-open', message, observedAt)
  }
  const { summaryDifference: summary } = offer
  if (summary?.hasOtherTerms) yield finding('changed', summary.message, summary.observedAt)
  else if (termsHash(offer) !== record.termsHash) yield finding('changed', changeText(record, offer), observedAt)
  const { daysToExpiry, expiryDate } = offer.terms
  if (isAccepted || daysToExpiry === null || daysToExpiry > EXPIRY_WARNING_DAYS) return
  yield daysToExpiry < 0
    ? finding(
        'expired',
        `The awarded offer expired on ${expiryDate}, and the marketplace does not show it as accepted.`,
      )
    : finding(
        'expires',
        `The awarded offer expires on ${expiryDate}, and the marketplace does not show it as accepted yet.`,
      )
}

/** The terms that differ from the recorded ones. */
function changeText(
  { own, tonnes, expiryDate }: AwardedOfferRecord,
  { metrics, terms, standing }: OfferReport,
): string {
  const moneyText = (total: number | null, currency: string | null) =>
    total === null ? 'unknown' : formatMoney(total, currency)
  const pairs = [
    ['volume', formatTonnes(tonnes), metrics.volume === null ? 'unknown' : formatTonnes(metrics.volume)],
    ['total', moneyText(own.total, own.currency), moneyText(metrics.total, terms.currency)],
    ['expiry date', expiryDate ?? 'none', terms.expiryDate ?? 'none'],
  ].flatMap(([name, then, now]) => (then === now ? [] : `${name} ${then} → ${now}`))
  const what = standing === 'accepted' ? 'It was accepted with other terms' : 'The awarded offer changed'
  return `${what}: ${pairs.join(', ') || 'deliveries, pre-payments, contract type or notes'}.`
}

function nextStep(award: AwardFacts, status: AwardStatus, offers: readonly OfferReport[]): string {
  if (status === 'accepted' || status === 'no-award') return 'Nothing more to do.'
  if (status === 'differs')
    return 'Decide again: keep to the award and settle it with the developer, or withdraw it and record another one.'
  const accepted = new Set(offers.filter(({ standing }) => standing === 'accepted').map(({ id }) => id))
  const open = award.offers.filter(({ id }) => !accepted.has(id))
  const dates = offers.flatMap(({ id, terms }) => (open.some((one) => one.id === id) ? (terms.expiryDate ?? []) : []))
  const [first] = dates.sort()
  const by = first === undefined ? '' : ` by ${first}${open.length > 1 ? ', when the first of them expires' : ''}`
  return `Accept ${namesOf(open)} on the marketplace${by}; Quotekeeper cannot.`
}

const fact = (label: string, value: string) => ({ label, kind: 'text' as const, value })

/** The award in facts, one sentence each. */
function factsOf(award: AwardFacts, findings: readonly AwardFinding[], next: string) {
  const { by, at, asOf, because, warnings } = award
  return [
    fact('Awarded', `${awardText(award)}.`),
    ...convertedFacts(award),
    fact('Decided', `${by}, ${minute(at)}; on the comparison as of ${minute(asOf)}.`),
    fact('Recommended then', recommendedText(award)),
    ...(because === null ? [] : [fact('Because', because)]),
    ...(warnings.length === 0 ? [] : [fact('Warnings', warnings.join(' '))]),
    ...(findings.length === 0 ? [] : [fact('Marketplace', findings.map(({ message }) => message).join(' '))]),
    fact('Next', next),
  ]
}

/** What offers in other currencies are worth, and by which rate. */
function convertedFacts({ offers, currency }: AwardFacts) {
  const texts = offers.flatMap(({ name, total, own: { total: stated, currency: code, rate } }) => {
    if (rate === null || stated === null) return []
    const origin = `${rate.date ?? 'date not stated'}, ${rate.source ?? 'source not stated'}`
    const amounts = `${formatMoney(stated, code)} is ${formatMoney(total, currency)}`
    return [`${offers.length > 1 ? `${name}: ` : ''}${amounts}, at ${rate.rate} ${currency} per ${code} (${origin}).`]
  })
  return texts.length === 0 ? [] : [fact('Converted', texts.join(' '))]
}

/** `Katari · Forest: 8,670 t at 28.80 USD/t, 249,696 USD in total`, or `No award`. */
export function awardText({ offers, tonnes, total, pricePerTonne, currency }: AwardFacts): string {
  if (offers.length === 0) return 'No award'
  const figures = { tonnes, total, pricePerTonne, currency, coverage: null, costPerTonne: 0 }
  return `${offersText(offers)}: ${amountsText(figures)}`
}

const minute = (at: Timestamp) => `${formatMinute(at)} UTC`

/** Whether the award is the one that was recommended. */
const recommendedText = ({
  followed,
  offers,
  recommendation,
}: Pick<AwardFacts, 'followed' | 'offers' | 'recommendation'>): string =>
  followed ? (offers.length === 0 ? 'No award.' : 'This award.') : `Not this award. ${recommendation.headline}`

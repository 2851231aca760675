import { responseStatus } from '../../documents.js'
import { earliest } from '../calendar-dates.js'
import type { CurrencyReport } from '../comparison-currency.js'
import { amountOf, counted, money, percent, perTonne, shorten, tonnes } from '../figure-text.js'
import { type Flag, OFFER_FLAGS, type OfferFlagCode, type Severity } from '../flag.js'
import { type FlagValue, flagValue, valueWords } from '../flag-value.js'
import { ratio } from '../numbers.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Settings } from '../settings.js'
import type { OfferReport } from './offer-report-model.js'
import type { Requirement } from './requirements.js'

/** What the flags of an offer are told from. */
export interface Flagged {
  offer: Omit<OfferReport, 'label' | 'rank' | 'priceRank' | 'scores' | 'flags'>
  rfq: RfqTerms
  asOfDate: string
  currency: CurrencyReport
  settings: Settings
  /** Problems noted with the document. */
  problems: number
  /** Numbers of the document left aside: negative, or beyond reckoning. */
  implausible: readonly FlagValue[]
}

type Body = Pick<Flag, 'words' | 'compared'>
type Rule = (of: Flagged) => Body | null

/** Every flag of an offer, most severe first. Each is told by one rule of the table below. */
export function offerFlags(of: Flagged): Flag[] {
  const raised = OFFER_FLAGS.flatMap((code) => {
    const [severity, rule] = RULES[code]
    const body = rule(of)
    return body === null ? [] : [{ code, severity, ...body }]
  })
  return bySeverity(raised)
}

/** Stable: flags of one severity keep their order. */
export function bySeverity(flags: Flag[]): Flag[] {
  return flags.sort((a, b) => SEVERITY_ORDER[a.severity] - SEVERITY_ORDER[b.severity])
}
export const SEVERITY_ORDER: Record<Severity, number> = { high: 0, medium: 1, low: 2 }

/** How severe a flag on an offer is. */
export const severityOf = (code: OfferFlagCode): Severity => RULES[code][0]

const RULES: Record<OfferFlagCode, [Severity, Rule]> = {
  'no-offer': ['high', noOffer],
  'invalid-document': ['medium', invalidDocument],
  withdrawn: ['high', withdrawn],
  rejected: ['high', rejected],
  'unknown-status': ['medium', unknownStatus],
  'review-not-accepted': ['medium', reviewNotAccepted],
  expired: ['high', expired],
  expiring: ['medium', expiring],
  'no-expiry': ['low', noExpiry],
  'late-submission': ['high', lateSubmission],
  'price-above-max': ['high', broken('price-max', 'is above')],
  'price-below-min': ['medium', broken('price-min', 'is below')],
  'volume-below-min': ['high', broken('volume-min', 'is under')],
  'volume-above-max': ['medium', broken('volume-max', 'is over')],
  'vintage-too-old': ['high', broken('vintage-min', 'is before')],
  'vintage-too-new': ['high', broken('vintage-max', 'is after')],
  'vintage-after-delivery': ['medium', vintageAfterDelivery],
  'delivery-after-due': ['high', broken('delivery', 'is after')],
  'delivery-past': ['medium', deliveryPast],
  'contract-type-not-asked': ['high', broken('contract-type', 'is not among those')],
  'no-currency': ['high', noCurrency],
  'currency-differs': ['low', currencyDiffers],
  'no-exchange-rate': ['high', noExchangeRate],
  'volume-mismatch': ['medium', volumeMismatch],
  'total-mismatch': ['high', totalOff('differs')],
  'total-rounding': ['low', totalOff('rounding')],
  'summary-only': ['medium', summaryOnly],
  'no-lines': ['medium', noLines],
  'no-volume': ['high', noVolume],
  'no-prices': ['medium', noPrices],
  'no-dates': ['medium', lacking('dueDate', 'delivery date')],
  'no-vintages': ['medium', lacking('vintageYear', 'reporting period')],
  'implausible-numbers': ['high', implausibleNumbers],
  'prepayment-before-delivery': ['low', prepaymentBeforeDelivery],
  'prepayment-share': ['medium', prepaymentShare],
  'prepayment-above-total': ['high', prepaymentAboveTotal],
  'no-registry-id': ['medium', noRegistryId],
  'listing-unknown': ['medium', listingUnknown],
  'listing-missing': ['medium', listingMissing],
  'listing-not-asked': ['high', listingNotAsked],
  'listing-short': ['medium', listingShort],
  'price-above-listing': ['low', priceAboveListing],
}

const quoted = (text: string | null) => (text === null ? 'none' : `"${shorten(text, 40)}"`)

const hasOffer = ({ offer }: Flagged) => !offer.eligibility.exclusions.some(({ code }) => code === 'no-offer')
const isAccepted = ({ offer }: Flagged) => offer.status === 'accepted'
const isFull = (of: Flagged) => hasOffer(of) && of.offer.shape === 'full'

// --- the document ---------------------------------------------------------------------------------------------------

function noOffer(of: Flagged): Body | null {
  return hasOffer(of) ? null : { words: 'The response holds no offer that can be read.', compared: [] }
}

function invalidDocument({ offer, problems }: Flagged): Body | null {
  if (offer.source.valid) return null
  const told = problems === 0 ? '' : ` (${counted(problems, 'problem')})`
  const words = `The document did not fit the promised form${told}; it is used as far as it goes.`
  return { words, compared: [flagValue('problems', problems)] }
}

function summaryOnly(of: Flagged): Body | null {
  if (of.offer.shape !== 'summary') return null
  const words = 'Only the summary within the RFQ could be read: no deliveries, pre-payments or review are known.'
  return { words, compared: [] }
}

function implausibleNumbers({ implausible }: Flagged): Body | null {
  if (implausible.length === 0) return null
  const first = implausible[0]
  const others = implausible.length > 1 ? `, and ${counted(implausible.length - 1, 'other')}` : ''
  const words = `A number is negative or too large to be true: ${first?.what} ${first?.value}${others}.`
  return { words, compared: [...implausible].slice(0, 5) }
}

// --- status ---------------------------------------------------------------------------------------------------------

function withdrawn({ offer: { missingSince } }: Flagged): Body | null {
  if (missingSince === null) return null
  return {
    words: `The RFQ has not shown this offer since ${missingSince}.`,
    compared: [flagValue('missing since', missingSince)],
  }
}

function rejected({ offer: { status } }: Flagged): Body | null {
  return status === 'rejected' ? { words: 'The offer was rejected.', compared: [flagValue('status', status)] } : null
}

function unknownStatus({ offer: { status } }: Flagged): Body | null {
  if (responseStatus.safeParse(status).success) return null
  const words = `Its status, ${quoted(status)}, is none the marketplace names.`
  return { words, compared: [flagValue('status', status), flagValue('known', responseStatus.options.join(', '))] }
}

function reviewNotAccepted({ offer: { terms } }: Flagged): Body | null {
  if (terms.review === null || terms.review.status === 'accepted') return null
  const { status } = terms.review
  const words = `Its review is not accepted: status ${quoted(status)}.`
  return { words, compared: [flagValue('review status', status), flagValue('wanted', 'accepted')] }
}

function expired(of: Flagged): Body | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  if (daysToExpiry === null || daysToExpiry >= 0 || isAccepted(of)) return null
  const words = `It expired on ${expiryDate}, ${counted(-daysToExpiry, 'day')} before ${of.asOfDate}.`
  return { words, compared: [flagValue('expiry date', expiryDate), flagValue('as of', of.asOfDate)] }
}

function expiring(of: Flagged): Body | null {
  const { expiryDate, daysToExpiry } = of.offer.terms
  const window = of.settings.expiryWindowDays
  if (daysToExpiry === null || daysToExpiry < 0 || daysToExpiry > window || isAccepted(of)) return null
  const words = `It expires on ${expiryDate}, in ${counted(daysToExpiry, 'day')} (flagged within ${amountOf(window)}).`
  return { words, compared: [flagValue('days to expiry', daysToExpiry, 'days'), flagValue('window', window, 'days')] }
}

function noExpiry(of: Flagged): Body | null {
  if (!hasOffer(of) || of.offer.terms.expiryDate !== null || isAccepted(of)) return null
  return { words: 'It names no expiry date.', compared: [flagValue('expiry date', null)] }
}

function lateSubmission({ offer: { late, submittedAt }, rfq }: Flagged): Body | null {
  if (late !== true) return null
  const words = `Late: submitted ${submittedAt}, after the response due date ${rfq.responseDueDate} had ended.`
  return { words, compared: [flagValue('submitted', submittedAt), flagValue('response due date', rfq.responseDueDate)] }
}

// --- what the RFQ asks ----------------------------------------------------------------------------------------------

/** Raised where a requirement is weighed and not met. */
function broken(code: Requirement['code'], relation: string): Rule {
  return ({ offer }) => {
    const requirement = offer.requirements.find((one) => one.code === code)
    if (requirement?.met !== false) return null
    const { found, asked } = requirement
    const words = `The ${found.what}, ${valueWords(found)}, ${relation} the ${asked.what}, ${valueWords(asked)}.`
    return { words: words.replace('among those the asked for', 'among those asked for'), compared: [found, asked] }
  }
}

function listingNotAsked({ offer, rfq }: Flagged): Body | null {
  const requirement = offer.requirements.find((one) => one.code === 'listing')
  if (requirement?.met !== false) return null
  const words = `It is made with listing ${shorten(offer.listingId ?? '', 40)}, none of the ${rfq.listingIds.length} the RFQ asks for.`
  return { words, compared: [requirement.found, requirement.asked] }
}

// --- currency -------------------------------------------------------------------------------------------------------

function noCurrency(of: Flagged): Body | null {
  const { currency, currencyCode } = of.offer.terms
  if (!hasOffer(of) || currencyCode !== null) return null
  const words = currency === null ? 'It names no currency.' : `Its currency, ${quoted(currency)}, is no currency code.`
  return { words, compared: [flagValue('currency', currency)] }
}

function currencyDiffers({ offer: { terms }, rfq, currency }: Flagged): Body | null {
  if (terms.currencyCode === null || currency.rfq === null || terms.currencyCode === currency.rfq) return null
  const words = `It is priced in ${terms.currencyCode}, the RFQ in ${currency.rfq}.`
  return {
    words,
    compared: [flagValue('currency', terms.currencyCode), flagValue('currency of the RFQ', rfq.currency)],
  }
}

function noExchangeRate({ offer: { terms, compared }, currency }: Flagged): Body | null {
  if (terms.currencyCode === null || compared.rate !== null) return null
  const why = currency.rates.find((rate) => rate.currency === terms.currencyCode)?.words ?? ''
  const words = `It cannot be ranked: priced in ${terms.currencyCode}. ${why}`.trimEnd()
  return { words, compared: [flagValue('currency', terms.currencyCode), flagValue('compared in', currency.comparison)] }
}

// --- lines ----------------------------------------------------------------------------------------------------------

function volumeMismatch({ offer: { terms, metrics }, settings }: Flagged): Body | null {
  if (metrics.volumeVerdict !== 'differs' || terms.statedVolume === null) return null
  const { statedVolume } = terms
  const words = `It states ${tonnes(statedVolume)}; its lines add up to ${tonnes(metrics.sumVolume)}.`
  const tolerance = flagValue('tolerance', settings.volumeTolerance, 't')
  return {
    words,
    compared: [
      flagValue('stated volume', statedVolume, 't'),
      flagValue('sum of lines', metrics.sumVolume, 't'),
      tolerance,
    ],
  }
}

function totalOff(verdict: 'differs' | 'rounding'): Rule {
  return ({ offer: { terms, metrics } }) => {
    if (metrics.totalVerdict !== verdict || terms.statedTotal === null) return null
    const { statedTotal, currency } = terms
    const [stated, added] = [money(statedTotal, currency), money(metrics.sumValue, currency)]
    const note = verdict === 'rounding' ? ' (rounding: within the tolerance)' : ''
    const compared = [
      flagValue('stated total', statedTotal, currency),
      flagValue('sum of lines', metrics.sumValue, currency),
    ]
    return { words: `It states a total of ${stated}; its lines add up to ${added}${note}.`, compared }
  }
}

function noLines(of: Flagged): Body | null {
  if (!isFull(of) || of.offer.lines.length > 0) return null
  return {
    words: 'It has no delivery lines; only its stated volume and total are known.',
    compared: [flagValue('lines', 0)],
  }
}

function noVolume(of: Flagged): Body | null {
  const { metrics, terms } = of.offer
  if (!hasOffer(of) || metrics.volume !== null || metrics.sumVolume > 0 || (terms.statedVolume ?? 0) > 0) return null
  const compared = [
    flagValue('stated volume', terms.statedVolume, 't'),
    flagValue('sum of lines', metrics.sumVolume, 't'),
  ]
  return { words: 'Neither its lines nor its statement gives a volume above 0.', compared }
}

function noPrices(of: Flagged): Body | null {
  const { lines, metrics } = of.offer
  const lackingPrice = lines.filter((line) => line.unitPrice === null).length
  if (lackingPrice > 0) return lackingWords(lackingPrice, lines.length, 'unit price')
  if (!hasOffer(of) || metrics.pricePerTonne !== null) return null
  return { words: 'It gives no price per tonne.', compared: [flagValue('price per tonne', null)] }
}

function lacking(member: 'dueDate' | 'vintageYear', noun: string): Rule {
  return ({ offer: { lines } }) => {
    const without = lines.filter((line) => line[member] === null).length
    return without === 0 ? null : lackingWords(without, lines.length, noun)
  }
}

function lackingWords(without: number, lines: number, noun: string): Body {
  const words = `${amountOf(without)} of ${counted(lines, 'line')} ${without === 1 ? 'has' : 'have'} no ${noun}.`
  return { words, compared: [flagValue(`lines without ${noun}`, without), flagValue('lines', lines)] }
}

function vintageAfterDelivery({ offer: { lines } }: Flagged): Body | null {
  const early = lines.filter(({ dueDate, periodEnd }) => dueDate !== null && periodEnd !== null && periodEnd > dueDate)
  const first = early[0]
  if (first === undefined) return null
  const words = `${counted(early.length, 'line')} to be delivered before the reporting period has ended: delivery ${first.dueDate}, period to ${first.periodEnd}.`
  return { words, compared: [flagValue('delivery', first.dueDate), flagValue('period end', first.periodEnd)] }
}

function deliveryPast(of: Flagged): Body | null {
  const { firstDelivery } = of.offer.metrics
  if (firstDelivery === null || firstDelivery >= of.asOfDate || isAccepted(of)) return null
  const words = `Its first delivery, ${firstDelivery}, lies before ${of.asOfDate}.`
  return { words, compared: [flagValue('first delivery', firstDelivery), flagValue('as of', of.asOfDate)] }
}

// --- pre-payments ---------------------------------------------------------------------------------------------------

function prepaymentBeforeDelivery({ offer: { prepayments, metrics } }: Flagged): Body | null {
  const first = earliest(prepayments.map((payment) => ((payment.amount ?? 0) > 0 ? payment.dueDate : null)))
  const { firstDelivery } = metrics
  if (first === null || firstDelivery === null || first >= firstDelivery) return null
  const words = `It asks for payment on ${first}, before the first delivery on ${firstDelivery}.`
  return { words, compared: [flagValue('first pre-payment', first), flagValue('first delivery', firstDelivery)] }
}

// The share of a sum is off by noise; exactly the limit is within it.
const NOISE = 1e-9

function prepaymentShare({ offer: { metrics }, settings }: Flagged): Body | null {
  const limit = settings.prepaymentShareLimit
  if (metrics.prepaidShare === null || metrics.prepaidShare <= limit + NOISE) return null
  const words = `It asks for ${percent(metrics.prepaidShare)} of the total before delivery (flagged above ${percent(limit)}).`
  return {
    words,
    compared: [flagValue('pre-paid', metrics.prepaidShare * 100, '%'), flagValue('limit', limit * 100, '%')],
  }
}

function prepaymentAboveTotal({ offer: { metrics, terms } }: Flagged): Body | null {
  if (metrics.prepaidShare === null || metrics.total === null || metrics.prepaidShare <= 1 + NOISE) return null
  const { currency } = terms
  const words = `Its pre-payments, ${money(metrics.prepaid, currency)}, are above its total, ${money(metrics.total, currency)}.`
  return {
    words,
    compared: [flagValue('pre-payments', metrics.prepaid, currency), flagValue('total', metrics.total, currency)],
  }
}

// --- the listing ----------------------------------------------------------------------------------------------------

function noRegistryId({ offer: { listing } }: Flagged): Body | null {
  if (!listing.known || listing.registryId !== null) return null
  const words = `Its listing names no registry id (registry: ${listing.registry === null ? 'none' : shorten(listing.registry, 40)}).`
  return { words, compared: [flagValue('registry id', null)] }
}

function listingUnknown({ offer: { listing, listingId } }: Flagged): Body | null {
  if (listing.known) return null
  const words =
    listingId === null ? 'It names no listing.' : `Its listing, ${shorten(listingId, 40)}, was never observed.`
  return { words, compared: [flagValue('listing', listingId)] }
}

function listingMissing({ offer: { listing } }: Flagged): Body | null {
  if (listing.missingSince === null) return null
  const words = `The channel has not shown its listing since ${listing.missingSince}.`
  return { words, compared: [flagValue('listing missing since', listing.missingSince)] }
}

function listingShort({ offer: { listing, metrics } }: Flagged): Body | null {
  const { availableVolume } = listing
  if (availableVolume === null || metrics.volume === null || availableVolume >= metrics.volume) return null
  const words = `It promises ${tonnes(metrics.volume)}; its listing shows ${tonnes(availableVolume)} available.`
  return { words, compared: [flagValue('volume', metrics.volume, 't'), flagValue('available', availableVolume, 't')] }
}

function priceAboveListing({ offer: { listing, metrics, terms } }: Flagged): Body | null {
  const { maxUnitPrice, currency } = listing
  const over = ratio(metrics.pricePerTonne, maxUnitPrice)
  if (over === null || over <= 1 + NOISE || currency !== terms.currencyCode || metrics.pricePerTonne === null)
    return null
  const words = `It asks ${perTonne(metrics.pricePerTonne, currency)}, more than the listing's highest price, ${perTonne(maxUnitPrice ?? 0, currency)}.`
  const unit = `${currency}/t`
  return {
    words,
    compared: [
      flagValue('price per tonne', metrics.pricePerTonne, unit),
      flagValue('highest of the listing', maxUnitPrice, unit),
    ],
  }
}

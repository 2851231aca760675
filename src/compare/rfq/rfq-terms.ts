import { CURRENCY_CODE, type Settings } from '../../core/decision/settings.js'
import { nonBlank, plausibleOrNull, positiveOrNull } from '../../core/numbers.js'
import { formatCount, formatTonnes } from '../../core/text/number-format.js'
import { daysBetween } from '../date-math.js'
import { type ComparisonContext, toSource } from '../input/comparison-context.js'
import type { ParsedRfq, Unreadable } from '../input/comparison-input.js'
import { isUnreadable } from '../input/stored-documents.js'

/** What lists show of an RFQ; all null if its document is unusable. */
export function rfqFacts({ document, shape, readState }: Pick<ParsedRfq, 'document' | 'shape' | 'readState'>) {
  return {
    number: plausibleOrNull(document?.number),
    reference: nonBlank(document?.reference),
    title: nonBlank(document?.title),
    state: nonBlank(document?.state),
    responseDueDate: document?.responseDueDate ?? null,
    fulfilmentDueDate: document?.fulfilmentDueDate ?? null,
    minVolume: plausibleOrNull(document?.minVolume),
    maxVolume: plausibleOrNull(document?.maxVolume),
    /** In the RFQ's currency, as sent. */
    minUnitPrice: plausibleOrNull(document?.pricing?.minUnitPrice),
    maxUnitPrice: plausibleOrNull(document?.pricing?.maxUnitPrice),
    currency: nonBlank(document?.pricing?.currency),
    /** Offers that the list shows of an RFQ that was never read itself. */
    unreadOffers: shape === 'list' ? new Set(document?.responses?.map(({ id }) => id)).size : 0,
    readState,
  }
}
export type RfqFacts = ReturnType<typeof rfqFacts>

/** Extracts the terms of an RFQ; all null if its document is unusable. */
export function parseRfqTerms(known: ParsedRfq, { asOfDate, settings }: ComparisonContext) {
  const rfq = known.document
  const facts = rfqFacts(known)
  const { minVolume, maxVolume } = facts
  return {
    source: toSource('rfq', known),
    id: known.id,
    ...facts,
    buyerDescription: nonBlank(rfq?.buyerDescription),
    additionalRequirements: nonBlank(rfq?.additionalRequirements),
    reasonForPurchase: nonBlank(rfq?.reasonForPurchase),
    contractTypes: (rfq?.contractTypes ?? []).filter(nonBlank),
    listingIds: [...(rfq?.listingIds ?? [])],
    closedAt: rfq?.closedAt ?? null,
    /** Days from the as-of date; 0 on the due date, negative after it. */
    daysToDue: daysBetween(asOfDate, facts.responseDueDate),
    /** Null: no limit (`Any`, or not stated). */
    minVintageYear: vintageLimit(rfq?.minVintageYear),
    maxVintageYear: vintageLimit(rfq?.maxVintageYear),
    window: awardWindow({ minVolume, maxVolume, unreadable: known.unreadable }, settings),
    /** What it states in a way that cannot be read, `fulfilmentDueDate`: such a limit is unknown, not absent. */
    unreadable: [...known.unreadable],
    missingSince: known.missingSince,
  }
}

/** RFQ terms as stated, before limits are converted into the comparison currency. */
export type StatedRfqTerms = ReturnType<typeof parseRfqTerms>

export interface RfqTerms extends StatedRfqTerms {
  /** The limits in the comparison currency; null without a limit or an exchange rate. */
  comparedMinUnitPrice: number | null
  comparedMaxUnitPrice: number | null
}

/** `1 offer, not read yet`. */
export const unreadText = (offers: number): string => `${formatCount(offers, 'offer')}, not read yet`

const vintageLimit = (limit: number | string | null | undefined) =>
  typeof limit === 'number' ? plausibleOrNull(limit) : null

/** Normalises a currency to a three-letter code, or null if it is not one. */
export function currencyCode(currency: string | null): string | null {
  const code = currency?.trim().toUpperCase() ?? ''
  return CURRENCY_CODE.test(code) ? code : null
}

/** The tonnes that an award may have. */
interface AwardWindow {
  /** Minimum tonnes; null if neither the RFQ nor the settings state one. Coverage is measured against it. */
  lower: number | null
  /** Maximum tonnes; null if unlimited. */
  upper: number | null
  /** Whether `upper` is the RFQ's maximum; otherwise a single larger offer may be awarded too. */
  isUpperStated: boolean
  /** Why no award can be recommended: one sentence, or null. */
  problem: string | null
  /** Where the limits come from, or `problem`; one sentence. */
  message: string
}

/** Without a stated maximum, an award has at most this multiple of the requested tonnes. */
const WITHOUT_MAXIMUM = 2

/**
 * The RFQ's minimum to its maximum; the volume of the settings raises the lower end. Without a maximum, or if it is waived, the upper end
 * is twice the lower one, or the maximum if that is more.
 */
export function awardWindow(
  stated: { minVolume: number | null; maxVolume: number | null; unreadable: Unreadable },
  { volume: set, requirements }: Pick<Settings, 'volume' | 'requirements'>,
): AwardWindow {
  const [min, max, volume] = [positiveOrNull(stated.minVolume), positiveOrNull(stated.maxVolume), positiveOrNull(set)]
  const unknown = (['minVolume', 'maxVolume'] as const).find((member) => isUnreadable(stated.unreadable, member))
  if (unknown !== undefined) {
    const problem = `No award is recommended, because the ${unknown} that the RFQ states cannot be read.`
    return { lower: null, upper: null, isUpperStated: false, problem, message: problem }
  }
  const isUpperStated = max !== null && requirements.volumeMax === 'hard'
  const lower = min === null || (volume ?? 0) > min ? (volume ?? min) : min
  if (lower === null) {
    const problem =
      'No award is recommended, because the RFQ states no minimum volume: say how many tonnes to award (“volume”).'
    return { lower, upper: isUpperStated ? max : null, isUpperStated, problem, message: problem }
  }
  const lowerText = lower === min ? "the RFQ's minimum" : 'the volume entered'
  const upper = isUpperStated ? max : Math.max(WITHOUT_MAXIMUM * lower, max ?? 0)
  if (upper < lower) {
    const problem = `No award is recommended, because ${lowerText}, ${formatTonnes(lower)}, is above the RFQ's maximum of ${formatTonnes(upper)}.`
    return { lower, upper, isUpperStated, problem, message: problem }
  }
  const waived = max === null ? 'the RFQ states no maximum' : `the RFQ's maximum of ${formatTonnes(max)} is waived`
  const maximum = `the RFQ's maximum${isUpperStated ? '' : ', which is waived'}`
  const upperText = upper === max ? maximum : `twice that, because ${waived}`
  const below = volume !== null && volume < lower ? ` The volume entered, ${formatTonnes(volume)}, is below that.` : ''
  const message = `${formatTonnes(lower)}, ${lowerText}, to ${formatTonnes(upper)}, ${upperText}.${below}`
  return { lower, upper, isUpperStated, problem: null, message }
}

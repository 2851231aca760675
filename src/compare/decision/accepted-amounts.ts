import { formatPercent, formatTonnes, formatTotal } from '../../core/number-format.js'
import { ratio, sum } from '../../core/numbers.js'
import { reachedFrom } from '../awards/cheapest-combination.js'
import { tonnesOf, totalOf } from '../offer/known-amounts.js'
import { coverageOf } from '../offer/metrics.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { amountsText, joined, numbersText } from './award-figures.js'
import { notAwardableClauses } from './not-awardable.js'

/** Offers that cannot be compared are named by reason; more reasons are counted. */
const MAX_REASONS = 3

/** The sum of what is known. */
export interface KnownSum {
  /** 0 if nothing is known. */
  value: number
  /** Whether every part is known; otherwise the sum is at least `value`. */
  isComplete: boolean
}

/** The sum of the values that are not null. */
export const sumKnown = (values: readonly (number | null)[]): KnownSum => ({
  value: sum(values.map((value) => value ?? 0)),
  isComplete: !values.includes(null),
})

const atLeast = ({ isComplete }: Pick<KnownSum, 'isComplete'>, words: string): string =>
  isComplete ? words : `at least ${words}`

/**
 * What is known of accepted offers of which at least one cannot be compared, as the end of a sentence: tonnes, amounts by
 * currency, and why they are not compared.
 * @param comparison code of the comparison currency; empty if there is none
 */
export function notComparedText(accepted: readonly OfferReport[], comparison: string): string {
  const tonnes = sumKnown(accepted.map(tonnesOf))
  const totals = totalsByCurrency(accepted)
  const [only, another] = totals.amounts
  if (only !== undefined && another === undefined && totals.isComplete && accepted.every(isUnconverted)) {
    const amounts = { tonnes: tonnes.value, total: only.total, pricePerTonne: ratio(only.total, tonnes.value) }
    return `: ${amountsText(amounts, only.code)}, which cannot be converted${into(comparison)}`
  }
  const [first, ...others] = accepted
  if (first !== undefined && others.length === 0) {
    const known = tonnes.isComplete ? `: ${formatTonnes(tonnes.value)}` : ''
    return `${known}, which cannot be compared: ${notAwardableClauses(first)}`
  }
  const sums = totals.amounts.map(({ code, total }) => formatTotal(total, code))
  const known = [
    ...(tonnes.value === 0 ? [] : [atLeast(tonnes, formatTonnes(tonnes.value))]),
    ...(sums.length === 0 ? [] : [atLeast(totals, `${joined(sums)} in total`)]),
  ]
  const reasons = [...conversionTexts(accepted, comparison), ...exclusionTexts(accepted)]
  return known.length === 0 ? `; ${reasons.join('; ')}` : `: ${[known.join(', '), ...reasons].join('; ')}`
}

const into = (comparison: string) => (comparison === '' ? '' : ` into ${comparison}`)

/** Whether nothing but an exchange rate is missing to compare the offer. */
const isUnconverted = ({ eligibility }: OfferReport): boolean => {
  const codes = eligibility.exclusions.map(({ code }) => code)
  return codes.includes('no-exchange-rate') && !codes.some((code) => code === 'no-volume' || code === 'no-price')
}

/** As offered, in the order of the offers. */
function totalsByCurrency(offers: readonly OfferReport[]) {
  const totals = new Map<string, number>()
  for (const offer of offers) {
    const { currencyCode } = offer.terms
    const total = totalOf(offer)
    if (currencyCode !== null && total !== null) totals.set(currencyCode, (totals.get(currencyCode) ?? 0) + total)
  }
  const isComplete = offers.every((offer) => offer.terms.currencyCode !== null && totalOf(offer) !== null)
  return { amounts: [...totals].map(([code, total]) => ({ code, total })), isComplete }
}

/** `EUR cannot be converted into USD`. */
function conversionTexts(offers: readonly OfferReport[], comparison: string): string[] {
  const codes = new Set(offers.filter(isUnconverted).flatMap(({ terms }) => terms.currencyCode ?? []))
  if (codes.size === 0) return []
  return [`${joined([...codes].sort())} cannot be converted${into(comparison) || ' into one currency'}`]
}

/** `offer 2 cannot be compared: it states no volume above 0`, by reason. */
function exclusionTexts(offers: readonly OfferReport[]): string[] {
  const sharing = new Map<string, OfferReport[]>()
  for (const offer of offers.filter((one) => !isUnconverted(one))) {
    const why = notAwardableClauses(offer)
    if (why !== '') sharing.set(why, [...(sharing.get(why) ?? []), offer])
  }
  const texts = [...sharing].map(([why, those]) => {
    const [first, ...others] = those
    const clauses = first === undefined || others.length === 0 ? why : notAwardableClauses(first, 'each')
    return `${numbersText(those.map(({ sequence }) => sequence))} cannot be compared: ${clauses}`
  })
  return texts.length <= MAX_REASONS ? texts : [...texts.slice(0, MAX_REASONS), 'others cannot be compared either']
}

/**
 * How much of the wanted volume is covered, as a sentence after another; empty if that is not known.
 * @param wanted tonnes; null if the RFQ states none
 */
export function coverageText(tonnes: KnownSum, wanted: number | null): string {
  if (wanted === null || tonnes.value === 0) return ''
  const missing = missingOf(tonnes, wanted)
  const share = formatPercent(coverageOf(tonnes.value, wanted) ?? 0)
  if (missing === 0) return ` It covers ${share} of the wanted ${formatTonnes(wanted)}.`
  const most = tonnes.isComplete ? '' : 'at most '
  return ` It covers ${atLeast(tonnes, share)} of the wanted ${formatTonnes(wanted)}: ${most}${formatTonnes(wanted - tonnes.value)} are missing.`
}

/** The tonnes missing to the wanted volume; null if they are not known. What is known may suffice. */
export function missingOf(tonnes: KnownSum, wanted: number | null): number | null {
  if (wanted === null) return null
  if (tonnes.value >= reachedFrom(wanted)) return 0
  return tonnes.isComplete ? wanted - tonnes.value : null
}

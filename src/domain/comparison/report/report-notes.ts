import type { Source } from '../comparison-context.js'
import { formatPercent, formatPrice, formatTonnes } from '../number-format.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { CRITERIA, type Criterion, type Settings } from '../settings.js'

export interface About {
  definitions: { term: string; words: string }[]
  /** What the data cannot say. */
  limits: string[]
  /** Every document the figures rest on: the RFQ, the offers, the listings. */
  sources: Source[]
  /** Observation runs named by the sources, ascending. */
  runs: number[]
}

const CRITERION_WORDS: Record<Criterion, string> = {
  price: '100 × lowest risk-adjusted price of the ranked offers / own.',
  coverage: '100 × coverage; 100 if the RFQ names no volume.',
  delivery: "100 × share of the volume due on or before the RFQ's fulfilment date; 100 if it names none.",
  promptness: '100 / (1 + mean wait / the days of the settings).',
  vintage: '100, less the points of the settings for each year between the mean vintage year and the as-of year.',
  payment: '100 × (1 − share paid before delivery).',
  evidence:
    '100 × facts the listing states / 6: country, registry, registry id, methodology, mitigation activity, label. What it claims, not what was verified.',
}

/** What the words of a report mean, with the settings it was made with. */
export function definitionsOf(settings: Settings): About['definitions'] {
  const totalTolerance = formatPercent(settings.totalTolerance)
  return [
    {
      term: 'As-of',
      words:
        'The moment the report speaks of: what had been observed by then, and nothing later. Days are counted from its calendar date in the time zone of the channel.',
    },
    {
      term: 'Observed',
      words:
        'Documents are polled. A change happened after one observation and was seen by another; when exactly is not known.',
    },
    {
      term: 'Volume, total',
      words: 'The sums of the delivery lines where each has a volume and a price; else what the offer states.',
    },
    { term: 'Price per tonne', words: 'Total / volume: the volume-weighted average price.' },
    {
      term: 'Mismatch',
      words: `Stated volume and sum of lines differ by more than ${formatTonnes(settings.volumeTolerance)}; totals by more than 0.01 and ${totalTolerance} of the total. Between 0.01 and that it is rounding.`,
    },
    {
      term: 'Present value',
      words: `Pre-payments, and what is left of each delivery's total after them, each divided by (1 + ${formatPercent(settings.discountRate)}) ^ (days / 365). Pre-payments are taken as part of the total; the balance is paid at delivery, pro rata. What is overdue or undated counts in full.`,
    },
    {
      term: 'Risk-adjusted price',
      words:
        'Present value per tonne / (1 − haircut): the price of a tonne that arrives. Haircuts are chosen by contract type.',
    },
    { term: 'Coverage', words: 'Volume / wanted volume, at most 100 %.' },
    {
      term: 'Ranked',
      words:
        'Offers that are in view, not rejected, not expired (unless accepted), with a volume, a price and a currency that can be compared. All others are listed with the reason.',
    },
    {
      term: 'Score',
      words: `${CRITERIA.map((name) => `${name} ${formatPrice(settings.weights[name])}`).join(', ')}: the weighted mean of seven scores from 0 to 100. What is not known earns 0.`,
    },
    ...CRITERIA.map((name) => ({ term: `Score: ${name}`, words: CRITERION_WORDS[name] })),
    { term: 'Ties', words: 'Go to the offer submitted first; submitted at once, to the identifier first in order.' },
    { term: 'Requirements', words: 'The limits the RFQ states. What cannot be told is not met.' },
    { term: 'Late', words: "Submitted after the RFQ's response due date had ended in the time zone of the channel." },
    {
      term: 'Awards',
      words:
        'Minimise what is paid: totals as offered, not discounted. The saving is against the maximum price of the RFQ for the same tonnes. The maximum volume is told of, not enforced.',
    },
    { term: 'Break-even', words: 'The price at or below which an offer would be first, all else unchanged.' },
  ]
}

/** What no report from these documents can say. */
export const DATA_LIMITATIONS: readonly string[] = [
  'Labels, methodologies and registry ids are as claimed by the developer; no registry was asked.',
  'Whether an offer binds, and on which terms of contract, is not part of the documents.',
  'Why an offer is no longer shown is not told: it may have been withdrawn, or hidden.',
  'Changes between two observations that were undone before the second were not seen.',
  'Prices are as stated; taxes, fees, transfer and retirement costs are not told.',
  'The marketplace has no statement of what rejecting, accepting or reviewing an offer entails.',
]

/** Meanings, limits and sources of a report: model.ts, `About`. */
export function aboutOf(
  { rfq, offers, settings }: { rfq: RfqTerms; offers: readonly OfferReport[]; settings: Settings },
  listings: readonly Source[],
): About {
  const sources = [rfq.source, ...offers.map(({ source }) => source), ...listings]
  return { definitions: definitionsOf(settings), limits: [...DATA_LIMITATIONS], sources, runs: runsOf(sources) }
}

/** Observation runs that sources name, ascending. */
export const runsOf = (sources: readonly { runId: number }[]): number[] =>
  [...new Set(sources.map(({ runId }) => runId))].sort((a, b) => a - b)

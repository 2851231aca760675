import { formatFourDecimals, formatPercent, formatTonnes } from '../../core/number-format.js'
import { CRITERIA, type Settings } from '../../core/settings.js'
import type { Source } from '../comparison-context.js'
import { CRITERION_DEFINITIONS, CRITERION_NAMES } from '../offer/criterion-text.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

export interface About {
  definitions: { term: string; words: string }[]
  /** What cannot be concluded from the data. */
  limits: string[]
  /** Every document the figures are derived from: the RFQ, the offers, the listings. */
  sources: Source[]
  /** IDs of the runs that observed the sources, ascending. */
  runs: number[]
}

/** Definitions of the terms in a report, with its settings. */
export function definitionsOf(settings: Settings): About['definitions'] {
  const totalTolerance = formatPercent(settings.totalTolerance)
  return [
    {
      term: 'As-of',
      words:
        "The moment the report describes. It uses everything observed by then and nothing later. Days are counted from its calendar date in the channel's time zone.",
    },
    {
      term: 'Observed',
      words: 'Documents are polled. A change happened between two observations; the exact time is unknown.',
    },
    {
      term: 'Volume, total',
      words:
        'The sums of the delivery lines if every line has a volume and a price; otherwise the figures the offer states.',
    },
    { term: 'Price per tonne', words: 'Total ÷ volume: the volume-weighted average price.' },
    {
      term: 'Mismatch',
      words: `The stated volume and the sum of the delivery lines differ by more than ${formatTonnes(settings.volumeTolerance)}, or the totals by more than 0.01 and more than ${totalTolerance} of the stated total. A smaller difference in totals above 0.01 counts as rounding.`,
    },
    {
      term: 'Present value',
      words: `Each payment is divided by (1 + ${formatPercent(settings.discountRate)}) ^ (days / 365). Pre-payments are part of the total; the balance is paid on delivery, pro rata. Overdue and undated payments count at face value.`,
    },
    {
      term: 'Risk-adjusted price',
      words:
        'Present value per tonne ÷ (1 − haircut): the expected price of a delivered tonne. Haircuts are set by contract type.',
    },
    { term: 'Coverage', words: 'Volume ÷ wanted volume, at most 100 %.' },
    {
      term: 'Ranked',
      words:
        'Offers that are not missing, rejected or expired (accepted offers never expire) and that have a volume, a price and a convertible currency. All others are listed with the reason for exclusion.',
    },
    {
      term: 'Score',
      words: `The weighted mean of seven scores from 0 to 100. Unknown values score 0. Weights: ${CRITERIA.map((name) => `${name} ${formatFourDecimals(settings.weights[name])}`).join(', ')}.`,
    },
    ...CRITERIA.map((name) => ({
      term: `Score: ${CRITERION_NAMES[name].toLowerCase()}`,
      words: CRITERION_DEFINITIONS[name],
    })),
    { term: 'Ties', words: 'Decided in favour of the offer submitted first, then the lower identifier.' },
    {
      term: 'Requirements',
      words: 'The limits the RFQ states. A requirement that cannot be evaluated counts as not met.',
    },
    {
      term: 'Compliant',
      words:
        'Meets every requirement that is set to hard; a rejected review never counts as compliant. The recommended award is chosen by the award rule of the settings.',
    },
    {
      term: 'Runner-up',
      words: 'The award that the rule would choose if one of the awarded offers were not available.',
    },
    {
      term: 'Excess',
      words:
        'Tonnes awarded beyond the wanted volume, because offers are taken whole. They have a cost and are no saving.',
    },
    { term: 'Late', words: "Submitted after the end of the RFQ's response due date in the channel's time zone." },
    {
      term: 'Awards',
      words:
        "Awards minimise the amount paid: offered totals, not discounted. The saving is relative to the RFQ's maximum price for the same tonnes. Exceeding the RFQ's maximum volume is reported, not prevented.",
    },
    {
      term: 'Prices to reach',
      words:
        'On Negotiation: the highest price per tonne at which an offer would rank first, or be part of the cheapest compliant award, with all other offers unchanged. They are solved for the settings of this report.',
    },
    { term: 'Break-even', words: 'The price at or below which an offer would rank first, all else unchanged.' },
  ]
}

/** What cannot be concluded from the documents. */
export const DATA_LIMITATIONS: readonly string[] = [
  'Labels, methodologies and registry IDs are as claimed by the developer; no registry has been consulted.',
  'The documents do not say whether an offer is binding or on which contract terms.',
  'The reason an offer is missing is unknown: it may have been withdrawn or hidden.',
  'A change made and undone between two observations is not visible.',
  'Prices are as stated; taxes, fees, transfer and retirement costs are not included.',
  'The marketplace does not document the consequences of rejecting, accepting or reviewing an offer.',
]

/** Definitions, limitations and sources of a report. */
export function aboutOf(
  { rfq, offers, settings }: { rfq: RfqTerms; offers: readonly OfferReport[]; settings: Settings },
  listings: readonly Source[],
): About {
  const sources = [rfq.source, ...offers.map(({ source }) => source), ...listings]
  return { definitions: definitionsOf(settings), limits: [...DATA_LIMITATIONS], sources, runs: runsOf(sources) }
}

/** IDs of the runs that observed the sources, ascending. */
export const runsOf = (sources: readonly { runId: number }[]): number[] =>
  [...new Set(sources.map(({ runId }) => runId))].sort((a, b) => a - b)

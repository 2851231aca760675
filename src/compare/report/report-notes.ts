import type { AwardTolerance, Settings } from '../../core/decision/settings.js'
import { formatPercent, formatTonnes } from '../../core/text/number-format.js'
import { PRICED_BY } from '../decision/what-if.js'
import type { Source } from '../input/comparison-context.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { TOTAL_TOLERANCE, VOLUME_TOLERANCE } from '../offer/reconciliation.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'

export interface About {
  definitions: { term: string; message: string }[]
  /** What cannot be concluded from the data. */
  limits: string[]
  /** Every document the figures are derived from: the RFQ, the offers, the listings. */
  sources: Source[]
  /** IDs of the runs that observed the sources, ascending. */
  runs: number[]
}

/** What ranks go by. */
export const rankedBy = ({ priceBasis }: Pick<Settings, 'priceBasis'>): string =>
  priceBasis === 'quoted' ? 'price per tonne' : 'cost per tonne'

/** What the recommended award has, as it continues a sentence. */
const awardedBy = (tolerance: AwardTolerance): string => {
  if (tolerance === 'unlimited') return 'the lowest total'
  if (tolerance === 0) return 'the lowest price per tonne'
  return `the lowest total of those whose price per tonne is at most ${formatPercent(tolerance)} above the lowest`
}

/** Definitions of the terms in a report, with its settings. */
export function definitionsOf(settings: Settings): About['definitions'] {
  return [
    {
      term: 'As-of',
      message:
        "The moment the report describes. It uses everything observed by then and nothing later. Days are counted from its calendar date in the channel's time zone.",
    },
    {
      term: 'Observed',
      message: 'Documents are polled. A change happened between two observations; the exact time is unknown.',
    },
    {
      term: 'Volume, total',
      message:
        'The sums of the delivery lines if every line has a volume and a price; otherwise the figures the offer states.',
    },
    { term: 'Price per tonne', message: 'Total ÷ volume: the volume-weighted average price.' },
    {
      term: 'Mismatch',
      message: `The stated volume and the sum of the delivery lines differ by more than ${formatTonnes(VOLUME_TOLERANCE)}, or the totals by more than 0.01 and more than ${formatPercent(TOTAL_TOLERANCE)} of the stated total. A smaller difference in totals above 0.01 counts as rounding.`,
    },
    {
      term: 'Present value',
      message: `Each payment is divided by (1 + ${formatPercent(settings.discountRate)}) ^ (days / 365). Pre-payments are part of the total; the balance is paid on delivery, pro rata. Overdue and undated payments count at face value.`,
    },
    { term: 'Coverage', message: 'Volume ÷ the requested tonnes, at most 100 %.' },
    {
      term: 'Tonnes of an award',
      message:
        'From the RFQ’s minimum volume, or a larger volume that was entered, to its maximum; without a maximum, to twice the lower end.',
    },
    {
      term: 'Compared, ranked',
      message: `Offers whose status is “submitted”, that are still listed, with a volume and a total in a currency that can be converted, and that meet every hard requirement. By ${rankedBy(settings)}. All others are listed with the reason.`,
    },
    { term: 'Ties', message: 'Decided in favour of the offer submitted first, then the lower identifier.' },
    {
      term: 'Requirements',
      message:
        'What the RFQ asks for, applied as set: hard, advisory or off. A requirement that cannot be evaluated counts as not met.',
    },
    { term: 'Late', message: "Submitted after the end of the RFQ's response due date in the channel's time zone." },
    {
      term: 'Award',
      message: `A set of whole offers. The recommended one has ${awardedBy(settings.awardTolerance)}, compared by ${PRICED_BY[settings.priceBasis]}. Totals are those payable.`,
    },
    {
      term: 'Efficient award',
      message: 'No other set of whole offers has at least as many tonnes, within the maximum, for less.',
    },
    {
      term: 'Price of extra tonnes',
      message:
        'What the tonnes cost that an award has beyond the one before it: difference of totals ÷ difference of tonnes.',
    },
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

import type { Criterion, WantedBasis } from '../../src/domain/comparison/settings.js'

/** Names of the criteria, as headers and as names of sensitivity cases. */
export const CRITERION_NAMES: Record<Criterion, string> = {
  price: 'Price',
  coverage: 'Coverage',
  delivery: 'Delivery',
  promptness: 'Promptness',
  vintage: 'Vintage',
  payment: 'Payment',
  evidence: 'Evidence',
}

/** How each criterion is scored; the exact definitions are those of `Scores` in src/domain/comparison/model.ts. */
export const CRITERION_RULES: Record<Criterion, string> = {
  price: '100 × lowest risk-adjusted price ÷ offer’s own',
  coverage: '100 × share of the wanted volume',
  delivery: '100 × share of the volume due on time',
  promptness: '100 ÷ (1 + mean wait ÷ wait that halves the score)',
  vintage: '100 − points lost per year of age',
  payment: '100 × share not paid in advance',
  evidence: '100 × facts stated ÷ 6',
}

/** The RFQ's volumes a report can aim at. */
export const TARGET_LABELS: Record<WantedBasis, string> = {
  min: 'Target: minimum volume',
  mid: 'Target: midpoint volume',
  max: 'Target: maximum volume',
}

/** In place of a table of offers. */
export const NO_OFFERS = 'No offers received.'

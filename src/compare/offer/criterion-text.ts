import type { Criterion } from '../../core/decision/settings.js'

/** Names of the score criteria, as headers and as names of sensitivity cases. */
export const CRITERION_NAMES: Record<Criterion, string> = {
  price: 'Price',
  coverage: 'Coverage',
  delivery: 'Delivery',
  promptness: 'Promptness',
  vintage: 'Vintage',
  payment: 'Payment',
  evidence: 'Evidence',
}

/** How each criterion is scored, in full sentences. */
export const CRITERION_DEFINITIONS: Record<Criterion, string> = {
  price: "100 × lowest present value per tonne among scored offers ÷ the offer's own.",
  coverage: '100 × coverage; 100 if the RFQ states no volume.',
  delivery: "100 × share of the volume due on or before the RFQ's fulfilment due date; 100 if it states none.",
  promptness: '100 ÷ (1 + mean wait ÷ the wait that halves the score).',
  vintage: '100 minus the points per year of age between the mean vintage year and the as-of year; at least 0.',
  payment: '100 × (1 − share paid before delivery).',
  evidence:
    '100 × facts stated by the listing ÷ 6: country, registry, registry ID, methodology, mitigation activity, label. As claimed, not verified.',
}

import type { WantedBasis } from '../../src/domain/comparison/settings.js'

/** The RFQ's volumes a report can aim at. */
export const TARGET_LABELS: Record<WantedBasis, string> = {
  min: 'Target: minimum volume',
  mid: 'Target: midpoint volume',
  max: 'Target: maximum volume',
}

/** In place of a table of offers. */
export const NO_OFFERS = 'No offers received.'

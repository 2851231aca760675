import type { WantedBasis } from '../../src/domain/comparison/settings.js'

/** The volumes of the RFQ that a report can use as its target. */
export const TARGET_LABELS: Record<WantedBasis, string> = {
  min: 'Target: minimum volume',
  mid: 'Target: midpoint volume',
  max: 'Target: maximum volume',
}

/** Replaces a table of offers that would be empty. */
export const NO_OFFERS = 'No offers received.'

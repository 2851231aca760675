import type { AwardRule, Settings } from '../../core/settings.js'
import type { Sensitivity } from '../awards/sensitivity-model.js'
import type { RankedOffer } from '../offer/ranking.js'
import type { AwardContext } from './award-figures.js'
import type { AwardSolver, RequirementMask } from './award-solver.js'
import type { RequirementCost } from './decision-model.js'

/** What all parts of a recommendation are computed from. */
export interface RecommendationInput {
  solver: AwardSolver
  context: AwardContext
  hard: RequirementMask
  settings: Settings
  ranked: readonly RankedOffer[]
  sensitivity: Sensitivity
  costs: readonly RequirementCost[]
  /** Offers that cannot be awarded at all, in words. */
  excluded: readonly string[]
  /** Questions by offer ID. */
  questionsOf: (offerId: string) => string[]
}

export const RULE_TEXT: Record<AwardRule, { title: string; words: string }> = {
  'cheapest-compliant': {
    title: 'Cheapest compliant',
    words: 'the lowest total among sets of whole offers that meet every hard requirement',
  },
  'best-score-compliant': {
    title: 'Best score compliant',
    words: 'whole offers that meet every hard requirement, in rank order until the wanted volume is reached',
  },
  'cheapest-regardless': {
    title: 'Cheapest regardless of requirements',
    words: 'the lowest total among sets of whole offers, whatever requirements they do not meet',
  },
}

/** Weights and rates affect the award only through ranks. */
export const dependsOnScores = ({ awardRule }: Settings) => awardRule === 'best-score-compliant'

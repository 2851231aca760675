import type { RequirementName } from '../../core/settings.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { type Candidate, candidatesOf, namesIn } from './award-solver.js'

/** Awardable offers by the requirements they do not meet, whatever the levels: few groups, however many offers. */
export interface FailureGroups {
  /** The requirements that all offers of a group do not meet. */
  groups: RequirementName[][]
  /** The group of each awardable offer, by offer ID; an index of `groups`. */
  groupOf: ReadonlyMap<string, number>
  /** The awardable offers, by sequence. */
  candidates: readonly Candidate[]
}

export function failureGroups(offers: readonly OfferReport[], rfq: RfqTerms, asOfDate: string): FailureGroups {
  const candidates = candidatesOf(offers, rfq, asOfDate)
  const masks = [...new Set(candidates.map(({ failedMask }) => failedMask))].sort((a, b) => a - b)
  const indexes = new Map(masks.map((mask, index) => [mask, index]))
  const groupOf = new Map(candidates.map(({ offer, failedMask }) => [offer.id, indexes.get(failedMask) ?? 0]))
  return { groups: masks.map(namesIn), groupOf, candidates }
}

import { type AwardState, awardState } from '../../compare/decision/award-state.js'
import type { AwardFacts } from '../../core/decision/award-record.js'
import type { RfqState } from '../rfq-state.js'

/** The state of the standing award of an RFQ that lists show. */
export type AwardBrief = Pick<AwardState, 'status' | 'findings' | 'next'>

export function awardInBrief(award: AwardFacts, { assessed }: RfqState): AwardBrief {
  const { status, findings, next } = awardState(award, assessed.offers)
  return { status, findings, next }
}

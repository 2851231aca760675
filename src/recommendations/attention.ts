import type { Attention } from '../store/contract.js'
import type { AwardBrief } from './awards/award-in-brief.js'
import type { RfqFacts } from './rfq-facts.js'
import type { RfqFigures } from './rfq-figures.js'

/**
 * Whether a person has to look at an RFQ, whatever its due date: 2 (now) if its recorded award has to be decided again or expires by
 * tomorrow; 1 if the award waits for something else, if it closed and nobody decided whom to award, or if its document is invalid, so that
 * nothing closes it.
 * @param award the state of its standing award; null if there is none
 */
export function attentionOf(
  { state, valid, undecided }: Pick<RfqFacts, 'state'> & Pick<RfqFigures, 'undecided'> & { valid: boolean },
  award: AwardBrief | null,
): Attention {
  const waiting = award?.findings.filter(({ code }) => code !== 'accepted') ?? []
  if (waiting.some(({ loud }) => loud)) return 2
  return waiting.length > 0 || undecided || (!valid && state !== 'closed') ? 1 : 0
}

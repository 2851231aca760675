import { CLOSE_OUTCOMES, type CloseOutcome } from './records.js'
import { quoteForShell } from './text/quote-for-shell.js'
import { nameById } from './text/rfq-name.js'

/** Time after a refused close in which the RFQ is not closed again unless it changed (docs/CLOSING.md, rule 5). */
export const REFUSAL_COOLDOWN_MS = 24 * 3_600_000

/** The state of a close intent: open (`planned`, `sending`), or settled with the outcome of the close. */
export type IntentState = 'planned' | 'sending' | CloseOutcome

/**
 * The states to which an intent may change (docs/CLOSING.md, rule 7). `planned` cannot become `closed`: nothing was sent yet,
 * so somebody else closed the RFQ. `sending` to `sending` is the second POST.
 */
const TRANSITIONS: { readonly [from in IntentState]?: readonly IntentState[] } = {
  planned: ['sending', 'already-closed', 'failed'],
  sending: ['sending', ...CLOSE_OUTCOMES],
}

/** The states of an intent that is not settled yet. */
export const OPEN_INTENT_STATES = Object.keys(TRANSITIONS)

/** Maximum number of POSTs per intent (docs/CLOSING.md, rule 7). */
export const MAX_POSTS_PER_INTENT = 2
/** Maximum number of intents per RFQ within 24 hours, unless an operator requests more (docs/CLOSING.md, rule 5). */
export const MAX_INTENTS_PER_DAY = 2

export const isIntentTransition = (from: IntentState, to: IntentState): boolean =>
  TRANSITIONS[from]?.includes(to) ?? false

/** What a person can do about a close that had no certain effect, of an RFQ that now has a state. */
export function closeRemedy(
  outcome: 'refused' | 'failed' | 'unknown',
  { channel, rfqId, state }: { channel: string; rfqId: string; state: string | null },
): string {
  if (state !== 'open') return 'check it on the marketplace; no close is sent, because it is not open any more'
  const remedies = {
    refused: 'why it was refused; it is sent again when its document changes or after 24 hours, or at once',
    failed: 'why the close had no effect; it is not sent again, except',
    unknown: 'whether it is closed; it is not sent again, except',
  }
  return `check on the marketplace ${remedies[outcome]} with: ${retryCommand(channel, rfqId)}`
}

/** The command that sends a close again. Uses the id, because another RFQ may have the same number by now. */
export const retryCommand = (channel: string, rfqId: string) =>
  `quotekeeper close-expired --channel ${quoteForShell(channel)} --retry ${quoteForShell(nameById(rfqId))}`

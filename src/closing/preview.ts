import type { ApprovalPlan, DecisionRecord } from '../core/records.js'
import { quoteForShell } from '../core/text/quote-for-shell.js'
import { createCalendar } from '../core/time/expiry.js'
import type { Closings, History } from '../store/contract.js'
import type { Outbox } from '../store/events/outbox-contract.js'
import type { ClosingPolicy } from './contract.js'
import { type Evaluation, evaluateStored, storedCandidate } from './evaluate.js'
import { dayBefore } from './round-state.js'

/** How a closing round that started now would evaluate RFQs of a channel before it reads them again. */
export interface ClosingPreview {
  /** By id; an RFQ qualifies if there is no reason against. RFQs that are not stored have none. */
  evaluations: ReadonlyMap<string, Evaluation>
  /** Why the round would be blocked until a person approves it; null if it would not be. */
  approval: { reason: string; command: string } | null
}

export type PreviewStore = Pick<History, 'rfqs'> &
  Pick<Outbox, 'openRfqsDue'> &
  Pick<Closings, 'latestCloseReplies' | 'openIntents' | 'sentIntents' | 'restoredAt' | 'pendingPlans'>

interface PreviewedRfqs extends Pick<ClosingPolicy, 'timeZone' | 'graceHours' | 'maxPerRun'> {
  channel: string
  /** Default: all that are due, and `others`. */
  ids?: readonly string[] | undefined
  others?: readonly string[]
}

/**
 * Evaluates RFQs as stored by the rules of a round (docs/CLOSING.md, rules 2, 3, 5, 7, 9 and 11), without sending, reading from the
 * marketplace or recording anything. The round itself decides: it also reads each RFQ again and compares the clocks.
 */
export async function previewCloses(
  store: PreviewStore,
  { channel, ids, others = [], timeZone, graceHours, maxPerRun }: PreviewedRfqs,
  now: Date,
): Promise<ClosingPreview> {
  const calendar = createCalendar(timeZone)
  const [open, intents, sentIntents, restoredAt, plans] = await Promise.all([
    store.openRfqsDue(channel, calendar.dateAt(now)),
    store.openIntents(channel),
    store.sentIntents(channel, dayBefore(now)),
    store.restoredAt(),
    store.pendingPlans({ channel, now }),
  ])
  const openIntents = new Map(intents.map((intent) => [intent.rfqId, undefined]))
  async function evaluateAll(rfqIds: readonly string[]): Promise<[string, Evaluation][]> {
    if (rfqIds.length === 0) return []
    const closeReplies = byRfq(await store.latestCloseReplies(channel, rfqIds))
    const context = { calendar, graceHours, now, openIntents, sentIntents, restoredAt, closeReplies }
    const found = await store.rfqs({ channel, ids: rfqIds, withoutResponses: true })
    return found.map(({ rfq }) => [rfq.id, evaluateStored(storedCandidate(rfq), context)])
  }
  const due = open.map(({ rfqId }) => rfqId)
  const evaluations = new Map(await evaluateAll(ids ?? [...new Set([...due, ...others])]))
  // Only RFQs that are due can qualify; the documents of all others are not read.
  const mayBeLarge = due.length > maxPerRun && [...evaluations.values()].some(qualifies)
  const rest = mayBeLarge ? await evaluateAll(due.filter((id) => !evaluations.has(id))) : []
  const qualified = [...evaluations, ...rest].filter(([, evaluation]) => qualifies(evaluation)).map(([id]) => id)
  if (qualified.length <= maxPerRun) return { evaluations, approval: null }
  const plan = plans.find(({ rfqIds }) => qualified.some((id) => rfqIds.includes(id)))
  return { evaluations, approval: approvalOf(plan, { channel, maxPerRun, qualified: qualified.length }) }
}

const qualifies = ({ against }: Evaluation) => against.length === 0

const byRfq = (decisions: readonly DecisionRecord[]) => new Map(decisions.map((each) => [each.rfqId, each]))

/** Why a round is blocked because of its size, and the command that approves it, or that makes the plan to approve. */
function approvalOf(
  plan: ApprovalPlan | undefined,
  { channel, maxPerRun, qualified }: Pick<PreviewedRfqs, 'channel' | 'maxPerRun'> & { qualified: number },
): ClosingPreview['approval'] {
  const command = `quotekeeper close-expired --channel ${quoteForShell(channel)}`
  return plan === undefined
    ? {
        reason: `${qualified} RFQs are past due, more than maxPerRun (${maxPerRun}), so the next closing round is blocked until approved`,
        command: `${command} --dry-run`,
      }
    : {
        reason: `a closing round of ${plan.rfqIds.length} RFQs is blocked until approved (plan ${plan.plan})`,
        command: `${command} --approve ${quoteForShell(plan.plan)}`,
      }
}

import type { ApprovalPlan, DecisionRecord } from '../core/records.js'
import { quoteForShell } from '../core/text/quote-for-shell.js'
import { createCalendar } from '../core/time/expiry.js'
import type { Closings, History, RunQueries } from '../store/contract.js'
import type { Outbox } from '../store/events/outbox-contract.js'
import { listBlockReason } from './closing-blockers.js'
import type { ClosingPolicy } from './contract.js'
import { evaluateStored, storedCandidate } from './evaluate.js'
import { dayBefore } from './round-state.js'

/** How a closing round that started now would evaluate one RFQ before its fresh read. */
export interface ClosingPreview {
  /** Reasons for closing it; it qualifies if `against` is empty. */
  for: string[]
  against: string[]
  /** As stored now. */
  state: string | null
  dueDate: string | null
  /** What a person can do about the reasons against: sentences with a command. */
  remedies: string[]
  /** A planned or sent close whose outcome is not recorded yet, and how it will be; null if there is none. */
  unsettled: string | null
}

type PreviewStore = Pick<RunQueries, 'newestListRead'> &
  Pick<History, 'rfqs'> &
  Pick<Outbox, 'openRfqsDue'> &
  Pick<
    Closings,
    'latestCloseReplies' | 'openIntents' | 'sentIntents' | 'restoredAt' | 'pendingPlans' | 'unsettledCloses'
  >

interface PreviewedRfq extends Pick<ClosingPolicy, 'timeZone' | 'graceHours' | 'maxPerRun'> {
  channel: string
  rfqId: string
}

/**
 * Evaluates an RFQ as stored by the rules of a round (docs/CLOSING.md, rules 2, 3, 5, 7 and 11), without sending, reading from the
 * marketplace or recording anything. The round itself decides: it also reads the RFQ again and compares the clocks.
 * @returns null if the RFQ is not stored
 */
export async function previewClose(
  store: PreviewStore,
  { channel, rfqId, timeZone, graceHours, maxPerRun }: PreviewedRfq,
  now: Date,
): Promise<ClosingPreview | null> {
  const [found] = await store.rfqs({ channel, ids: [rfqId], withoutResponses: true })
  if (found === undefined) return null
  const [replies, intents, sentIntents, restoredAt, poll, plans, unsettled] = await Promise.all([
    store.latestCloseReplies(channel, [rfqId]),
    store.openIntents(channel),
    store.sentIntents(channel, dayBefore(now)),
    store.restoredAt(),
    store.newestListRead(channel, now),
    store.pendingPlans({ channel, now }),
    store.unsettledCloses({ channel, now }),
  ])
  const calendar = createCalendar(timeZone)
  const context = {
    ...{ calendar, graceHours, now, sentIntents, restoredAt },
    openIntents: new Map(intents.map((intent) => [intent.rfqId, undefined])),
    closeReplies: byRfq(replies),
  }
  const evaluation = evaluateStored(storedCandidate(found.rfq), context)
  const { state, dueDate } = evaluation
  const qualifies = evaluation.against.length === 0
  // Only these can qualify; the documents of all others are not read.
  const due = qualifies ? (await store.openRfqsDue(channel, calendar.dateAt(now))).map((rfq) => rfq.rfqId) : []
  const qualified = await countQualified(store, { channel, ids: due }, context)
  const listReason = listBlockReason(poll)
  const blocker =
    qualified > maxPerRun
      ? describeSizeBlocker(
          plans.find(({ rfqIds }) => rfqIds.includes(rfqId)),
          { channel, qualified, maxPerRun },
        )
      : null
  const unsettledCloses = unsettled.filter((close) => close.rfqId === rfqId)
  const openClose = unsettledCloses.find(({ outcome }) => outcome === 'open')
  return {
    ...{ for: evaluation.for, state, dueDate },
    against: [
      ...evaluation.against.map(({ text }) => text),
      ...(listReason === null ? [] : [listReason.text]),
      ...(blocker === null ? [] : [blocker.reason]),
    ],
    remedies: [...unsettledCloses.map(({ remedy }) => remedy), ...(blocker === null ? [] : [blocker.remedy])],
    unsettled: openClose === undefined ? null : `${openClose.reason}; ${openClose.remedy}`,
  }
}

async function countQualified(
  store: PreviewStore,
  { channel, ids }: { channel: string; ids: readonly string[] },
  context: Parameters<typeof evaluateStored>[1],
): Promise<number> {
  if (ids.length === 0) return 0
  const closeReplies = byRfq(await store.latestCloseReplies(channel, ids))
  const open = await store.rfqs({ channel, ids, withoutResponses: true })
  return open.filter(
    ({ rfq }) => evaluateStored(storedCandidate(rfq), { ...context, closeReplies }).against.length === 0,
  ).length
}

const byRfq = (decisions: readonly DecisionRecord[]) => new Map(decisions.map((each) => [each.rfqId, each]))

/** Why a closing round would be blocked because of its size, with the approval plan that already names this RFQ, if there is one. */
function describeSizeBlocker(
  plan: ApprovalPlan | undefined,
  { channel, qualified, maxPerRun }: Pick<PreviewedRfq, 'channel' | 'maxPerRun'> & { qualified: number },
): { reason: string; remedy: string } {
  if (plan !== undefined) {
    const { plan: id, rfqIds, remedy } = plan
    return { reason: `it is blocked until approved, as one of ${rfqIds.length} RFQs (plan ${id})`, remedy }
  }
  return {
    reason: `${qualified} RFQs are past due, more than maxPerRun (${maxPerRun}), so a closing round is blocked until approved`,
    remedy:
      `check them with: quotekeeper close-expired --channel ${quoteForShell(channel)} --dry-run; ` +
      'the next closing round prints the command that approves them',
  }
}

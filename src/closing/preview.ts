import type { DecisionRecord } from '../core/records.js'
import { createCalendar } from '../core/time/expiry.js'
import type { Closings, History } from '../store/contract.js'
import type { Outbox } from '../store/events/outbox-contract.js'
import { type Approval, approvalOf } from './approval.js'
import type { ClosingPolicy } from './contract.js'
import { type Evaluation, evaluateStored, storedCandidate } from './evaluate.js'
import { dayBefore } from './round-state.js'

/** How a closing round that started now would evaluate RFQs of a channel before it reads them again. */
export interface ClosingPreview {
  /** By id; an RFQ qualifies if there is no reason against. RFQs that are not stored have none. */
  evaluations: ReadonlyMap<string, Evaluation>
  /** What the round would wait for; null if it is small enough. */
  approval: Approval | null
}

export type PreviewStore = Pick<History, 'rfqs'> &
  Pick<Outbox, 'openRfqsDue'> &
  Pick<Closings, 'latestCloseReplies' | 'openIntents' | 'sentIntents' | 'restoredAt'>

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
  const [open, intents, sentIntents, restoredAt] = await Promise.all([
    store.openRfqsDue(channel, calendar.dateAt(now)),
    store.openIntents(channel),
    store.sentIntents(channel, dayBefore(now)),
    store.restoredAt(),
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
  const qualified = new Map([...evaluations, ...rest].filter(([, evaluation]) => qualifies(evaluation)))
  return { evaluations, approval: approvalOf({ channel, day: calendar.dateAt(now), maxPerRun }, qualified) }
}

const qualifies = ({ against }: Evaluation) => against.length === 0

const byRfq = (decisions: readonly DecisionRecord[]) => new Map(decisions.map((each) => [each.rfqId, each]))

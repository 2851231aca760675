import { createCalendar } from '../domain/expiry.js'
import type { HeldPlan } from '../domain/records.js'
import type { Closings, History, RunQueries } from '../store/contract.js'
import { openIntentReason } from './candidates.js'
import type { ClosingPolicy } from './contract.js'
import { type Candidate, type Evaluation, evaluate, reasonAgainstAnother, storedCandidate } from './evaluate.js'
import { dayBefore, newestPoll } from './round-state.js'

/** What a closing round that began now would find about one RFQ before it reads it again. */
export interface ClosingPreview {
  /** Reasons for closing it, and against; it qualifies if there is none against. */
  for: string[]
  against: string[]
  /** As stored now. */
  state: string | null
  dueDate: string | null
  /** What a person can do about a reason against: a sentence with a command. */
  remedies: string[]
  /** A close that was planned or sent and is not settled yet, and what settles it; null if there is none. */
  unsettled: string | null
}

type PreviewStore = Pick<RunQueries, 'newestRun'> &
  Pick<History, 'rfqs'> &
  Pick<Closings, 'closeAnswers' | 'openIntents' | 'sentIntents' | 'heldPlans' | 'unsettledCloses'>

interface PreviewedRfq extends Pick<ClosingPolicy, 'timeZone' | 'graceHours' | 'maxPerRun'> {
  channel: string
  rfqId: string
}

/**
 * Evaluates an RFQ as stored by the rules of a round (docs/CLOSING.md, rules 2, 3, 5 and 7), without sending, reading from the
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
  const [answers, intents, sent, poll, plans, unsettled] = await Promise.all([
    store.closeAnswers(channel),
    store.openIntents(channel),
    store.sentIntents(channel, dayBefore(now)),
    newestPoll(store, channel),
    store.heldPlans({ channel, now }),
    store.unsettledCloses({ channel, now }),
  ])
  const calendar = createCalendar(timeZone)
  const open = new Set(intents.map((intent) => intent.rfqId))
  const answerOf = new Map(answers.map((answer) => [answer.rfqId, answer]))
  const evaluateStored = (candidate: Candidate): Evaluation => {
    const evaluation = evaluate(candidate, { calendar, graceHours, now })
    const { id } = candidate
    if (open.has(id)) evaluation.against.push(openIntentReason())
    const another = reasonAgainstAnother(candidate, { answer: answerOf.get(id), sent: sent.get(id) ?? 0, now })
    if (another !== null) evaluation.against.push(another)
    return evaluation
  }
  const evaluation = evaluateStored(storedCandidate(found.rfq))
  const { state, dueDate } = evaluation
  const qualifies = evaluation.against.length === 0
  const all = qualifies ? await store.rfqs({ channel, withoutResponses: true }) : []
  const qualified = all.filter(({ rfq }) => evaluateStored(storedCandidate(rfq)).against.length === 0).length
  const hold =
    qualified > maxPerRun
      ? describeHold(
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
      ...(poll?.suspicious ? [`the list suddenly lost most of its entries in the newest poll (run ${poll.id})`] : []),
      ...(hold === null ? [] : [hold.reason]),
    ],
    remedies: [...unsettledCloses.map(({ remedy }) => remedy), ...(hold === null ? [] : [hold.remedy])],
    unsettled: openClose === undefined ? null : `${openClose.reason}; ${openClose.remedy}`,
  }
}

/** Why a closing round would be held because of its size, with the plan of an earlier one that held this RFQ. */
function describeHold(
  plan: HeldPlan | undefined,
  { channel, qualified, maxPerRun }: Pick<PreviewedRfq, 'channel' | 'maxPerRun'> & { qualified: number },
): { reason: string; remedy: string } {
  if (plan !== undefined) {
    const { plan: id, rfqIds, remedy } = plan
    return { reason: `it is held for approval, one of ${rfqIds.length} RFQs (plan ${id})`, remedy }
  }
  return {
    reason: `${qualified} RFQs are past due, more than maxPerRun (${maxPerRun}), so a closing round is held for approval`,
    remedy:
      `check them with: quotekeeper close-expired --channel ${channel} --dry-run; ` +
      'the next closing round says how to approve them',
  }
}

import { createCalendar } from '../domain/expiry.js'
import type { Closings, History, RunQueries } from '../store/contract.js'
import { openIntentReason } from './candidates.js'
import type { ClosingPolicy } from './contract.js'
import { evaluate, reasonAgainstAnother, storedCandidate } from './evaluate.js'
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
}

type PreviewStore = Pick<RunQueries, 'newestRun'> &
  Pick<History, 'rfqs'> &
  Pick<Closings, 'closeAnswers' | 'openIntents' | 'sentIntents' | 'heldPlans' | 'unsettledCloses'>

interface PreviewedRfq extends Pick<ClosingPolicy, 'timeZone' | 'graceHours'> {
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
  { channel, rfqId, timeZone, graceHours }: PreviewedRfq,
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
  const candidate = storedCandidate(found.rfq)
  const evaluation = evaluate(candidate, { calendar: createCalendar(timeZone), graceHours, now })
  const answer = answers.find((each) => each.rfqId === rfqId)
  const another = reasonAgainstAnother(candidate, { answer, sent: sent.get(rfqId) ?? 0, now })
  const plan = plans.find(({ rfqIds }) => rfqIds.includes(rfqId))
  const hasIntent = intents.some((intent) => intent.rfqId === rfqId)
  const { state, dueDate } = evaluation
  return {
    ...{ for: evaluation.for, state, dueDate },
    against: [
      ...evaluation.against.map(({ text }) => text),
      ...(hasIntent ? [openIntentReason().text] : []),
      ...(another === null ? [] : [another.text]),
      ...(poll?.suspicious ? [`the list suddenly lost most of its entries in the newest poll (run ${poll.id})`] : []),
      ...(plan === undefined ? [] : [`it is held for approval, one of ${plan.rfqIds.length} RFQs (plan ${plan.plan})`]),
    ],
    remedies: [
      ...unsettled.filter((close) => close.rfqId === rfqId).map(({ remedy }) => remedy),
      ...(plan === undefined ? [] : [plan.remedy]),
    ],
  }
}

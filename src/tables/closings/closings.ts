import { z } from 'zod'
import { previewClose } from '../../closing/preview.js'
import {
  CLOSE_OUTCOMES,
  type CloseOutcome,
  DECISION_KINDS,
  type DecisionListing,
  type DecisionRecord,
} from '../../core/records.js'
import type { ClockSkewBlock } from '../../core/time/clock-skew.js'
import { factsOf } from '../../recommendations/rfq-facts.js'
import type { ChannelRules } from '../channels/channel-rules.js'
import { type Lookup, type RfqAddress, type RfqRef, withRfq } from '../find-rfq.js'
import { channelDates, dueOf } from '../rfqs/rfq-list.js'
import { channelKey, count, nullableNumber, nullableText, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'
import { type ClosingOutlook, closingOutlook } from './closing-outlook.js'
import { explainDecision } from './explain-decision.js'

export const closing = z
  .strictObject({
    id: z.int(),
    runId: z.int(),
    channel: channelKey,
    rfqId: text,
    rfqNumber: nullableNumber,
    dueDate: nullableText,
    timeZone: text,
    decidedAt: timestamp,
    decision: z.enum(DECISION_KINDS),
    reason: text,
    outcome: z.enum(CLOSE_OUTCOMES).nullable(),
    httpStatus: z.int().nullable(),
    message: nullableText,
    versionBefore: z.int().nullable(),
    versionAfter: z.int().nullable(),
    evidence: z.record(z.string(), z.unknown()),
    previousHash: text,
    hash: text,
    approvedBy: nullableText,
    times: count.describe('Number of consecutive rounds that made this decision.'),
    repeatedUntil: timestamp.nullable(),
  })
  .meta({ id: 'Closing' }) satisfies z.ZodType<DecisionRecord>

/** The closings of one RFQ, and what may close it. */
export interface RfqClosings extends RfqRef, Omit<ChannelRules, 'key'> {
  title: string | null
  state: string | null
  dueDate: string | null
  /** The clock skew that blocked the newest closing round; null if there was none, or the RFQ is not due to be closed. */
  clockSkewBlock: ClockSkewBlock | null
  /** Newest first, each with an explanation of its evidence. */
  closings: { record: DecisionRecord; explanation: string }[]
}

/** How a closing round that started now would evaluate an RFQ. */
export interface ClosingReasons {
  /** Reasons for closing it; it qualifies if `against` is empty. */
  for: string[]
  against: string[]
  /** What a person can do about the reasons against. */
  remedies: string[]
  /** A planned or sent close whose outcome is not recorded yet, and how it will be; null if there is none. */
  unsettled: string | null
}

export interface ClosingFilter {
  channel?: string
  rfqId?: string
  asOf?: Date
  outcome?: CloseOutcome
  /** Only closings with an id below this one, for paging. */
  before?: number
  limit: number
}

/** Maximum number of closings shown for one RFQ; older ones are left out. */
const MAX_CLOSINGS = 100

/** Decisions to close or keep RFQs, newest first. */
export function closingViews(source: ViewSource) {
  const { store, rulesOf } = source
  return {
    closings: (filter: ClosingFilter) => store.decisions(filter),
    /** Without evidence, in the order of the listing, with the total count. */
    closingRows: (listing: DecisionListing) => store.listDecisions(listing),
    rfqClosings: (address: RfqAddress): Promise<Lookup<RfqClosings>> =>
      withRfq(store, { ...address, withoutResponses: true }, async ({ rfq }, ref) => {
        const { channel, id: rfqId } = ref
        const facts = factsOf(rfq)
        const { title, state, responseDueDate: dueDate } = facts
        const rules = rulesOf(channel)
        const { timeZone, graceHours, autoClose } = rules
        const { overdue } = dueOf(facts, channelDates(rules, address.now))
        const clockSkewBlock = overdue && autoClose === 'on' ? await source.findClockSkewBlock(channel) : null
        const records = await store.decisions({ channel, rfqId, limit: MAX_CLOSINGS })
        const closings = records.map((record) => ({ record, explanation: explainDecision(record) }))
        return { ...ref, title, state, dueDate, timeZone, graceHours, autoClose, clockSkewBlock, closings }
      }),
    /** If the RFQ qualifies, reads every due RFQ of the channel as well, because a round with too many candidates is blocked. */
    async closingReasons({ channel, id: rfqId, now }: RfqNow): Promise<ClosingReasons> {
      const { timeZone, graceHours } = rulesOf(channel)
      const { maxPerRun } = source.config.closing
      const preview = await previewClose(store, { channel, rfqId, timeZone, graceHours, maxPerRun }, now)
      return preview ?? { for: [], against: ['it is not in the database'], remedies: [], unsettled: null }
    },
    /** Predicts whether the next closing round closes an open RFQ that is past due; null for any other RFQ. */
    async closingOutlook({ channel, id, now }: RfqNow): Promise<ClosingOutlook | null> {
      const [found] = await store.rfqs({ channel, ids: [id], withoutResponses: true })
      return found === undefined ? null : closingOutlook(source, found.rfq, now)
    },
  }
}

/** An RFQ, and the time at which it is evaluated. */
interface RfqNow extends Pick<RfqRef, 'channel' | 'id'> {
  now: Date
}

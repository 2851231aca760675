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
import { channelKey, count, nullableText, number, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'
import { type ClosingOutlook, closingOutlook } from './closing-outlook.js'
import { explainDecision } from './explain-decision.js'

export const closing = z
  .strictObject({
    id: z.int(),
    runId: z.int(),
    channel: channelKey,
    rfqId: text,
    rfqNumber: number,
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
    times: count.describe('How many rounds in a row came to this decision.'),
    repeatedUntil: timestamp.nullable(),
  })
  .meta({ id: 'Closing' }) satisfies z.ZodType<DecisionRecord>

/** The closings of one RFQ, and what may close it. */
export interface RfqClosings extends RfqRef, Omit<ChannelRules, 'key'> {
  title: string | null
  state: string | null
  dueDate: string | null
  /** What the clocks showed, if they stopped the newest closing round and it is past due. */
  clockSkewBlock: ClockSkewBlock | null
  /** Newest first, each with everything that it is based on, in words. */
  closings: { record: DecisionRecord; explanation: string }[]
}

/** What a closing round that began now would find about an RFQ. */
export interface ClosingReasons {
  /** Reasons for closing it, and against; it qualifies without any against. */
  for: string[]
  against: string[]
  /** What a person can do about a reason against. */
  remedies: string[]
  /** A close that was planned or sent and is not settled yet, and what settles it; null if there is none. */
  unsettled: string | null
}

export interface ClosingFilter {
  channel?: string
  rfqId?: string
  asOf?: Date
  outcome?: CloseOutcome
  /** Only those with a smaller id. */
  before?: number
  limit: number
}

/** Closings of one RFQ that are explained, newest first. */
const MAX_EXPLAINED = 100

/** Decisions to close or keep RFQs, newest first. */
export function closingViews(source: ViewSource) {
  const { store, rulesOf } = source
  return {
    closings: (filter: ClosingFilter) => store.decisions(filter),
    /** Without their evidence, in any order, and how many there are. */
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
        const records = await store.decisions({ channel, rfqId, limit: MAX_EXPLAINED })
        const closings = records.map((record) => ({ record, explanation: explainDecision(record) }))
        return { ...ref, title, state, dueDate, timeZone, graceHours, autoClose, clockSkewBlock, closings }
      }),
    /** Reads every RFQ of the channel if it qualifies, because a round that is too large is blocked. */
    async closingReasons({ channel, id: rfqId, now }: ClosedRfq): Promise<ClosingReasons> {
      const { timeZone, graceHours } = rulesOf(channel)
      const { maxPerRun } = source.config.closing
      const preview = await previewClose(store, { channel, rfqId, timeZone, graceHours, maxPerRun }, now)
      return preview ?? { for: [], against: ['it is not stored'], remedies: [], unsettled: null }
    },
    /** What becomes of an RFQ that is past due and open; null of any other. */
    async closingOutlook({ channel, id, now }: ClosedRfq): Promise<ClosingOutlook | null> {
      const [found] = await store.rfqs({ channel, ids: [id], withoutResponses: true })
      return found === undefined ? null : closingOutlook(source, found.rfq, now)
    },
  }
}

interface ClosedRfq extends Pick<RfqRef, 'channel' | 'id'> {
  now: Date
}

import {
  closeRemedy,
  type IntentState,
  isIntentTransition,
  MAX_INTENTS_PER_DAY,
  MAX_POSTS_PER_INTENT,
  OPEN_INTENT_STATES,
} from '../../core/close-intent.js'
import type { DecisionRecord, UnsettledClose } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import { createCalendar } from '../../core/time/expiry.js'
import { StoreError } from '../errors.js'
import { fence } from '../runs/channel-lock.js'
import type { LiveRun } from '../runs/run-contract.js'
import { findMeta } from '../sql/meta.js'
import {
  type Dialect,
  matching,
  membersOf,
  type Queries,
  type SqlDatabase,
  type Transaction,
} from '../sql/sql-database.js'
import { RESTORED_AT } from './closing-stop.js'
import { appendDecision, isNewestOf, type NewDecision } from './decision-log.js'

/** The intention to close an RFQ, stored before the POST. An RFQ has at most one that is not settled. */
export interface CloseIntent {
  id: number
  channel: string
  rfqId: string
  state: IntentState
  runId: number
  createdAt: Timestamp
  /** When the first byte of the newest POST was sent; null if that is not known. */
  sentAt: Timestamp | null
  /** POSTs sent so far, including one that may be in flight. */
  posts: number
  /** The evidence for the decision that settles it. */
  evidence: Record<string, unknown>
}

/** An intent to be stored. */
interface NewIntent extends Pick<CloseIntent, 'rfqId' | 'evidence'> {
  run: LiveRun
  /** A person requested this close, so that the limit of two within 24 hours does not apply. */
  requested?: boolean
  now: Date
}

type IntentRow = Omit<CloseIntent, 'evidence'> & { evidence: string }
const INTENT = membersOf('id', 'channel', 'rfqId', 'state', 'runId', 'createdAt', 'sentAt', 'posts', 'evidence')

const toIntent = (row: IntentRow): CloseIntent => ({
  ...row,
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
})

/** The open states as an SQL list. */
const OPEN = `(${OPEN_INTENT_STATES.map((state) => `'${state}'`).join(', ')})`
/** When an intent was sent. If a crash prevented that this was recorded, when it was created. */
const SENT_AT = 'coalesce(sent_at, created_at)'

/** Close intents: stored before a POST, settled with the decision that records its outcome. */
export function createCloseIntents(database: SqlDatabase) {
  /**
   * Changes an intent.
   * @throws StoreError if it may not change to the state, or another process has counted a newer POST of it
   */
  const change = async (
    tx: Transaction,
    intent: CloseIntent,
    { state, posts = intent.posts, sentAt = intent.sentAt }: Partial<CloseIntent> & Pick<CloseIntent, 'state'>,
  ): Promise<CloseIntent> => {
    const { id, channel, rfqId, createdAt } = intent
    await tx.lock('close intent', id)
    // After a fail-over that lost the last commits, another intent may have the same id.
    const same = { id, channel, rfqId, createdAt }
    const row = await tx.get<IntentRow>(`select ${INTENT} from close_intents where ${matching(same)}`, same)
    const name = `Close intent ${id} of RFQ ${rfqId}`
    if (!row) throw new StoreError(`${name} does not exist.`)
    if (!isIntentTransition(row.state, state))
      throw new StoreError(`${name} is ${row.state}; it cannot become ${state}.`)
    if (row.posts !== intent.posts) throw new StoreError(`${name} was continued by another process.`)
    const changed = await tx.get<IntentRow>(
      `update close_intents set state = @state, posts = @posts, sent_at = @sentAt where id = @id returning ${INTENT}`,
      { id, state, posts, sentAt },
    )
    return toIntent(changed as IntentRow)
  }

  /** The number of intents of each RFQ, or of one, that were sent after a moment. */
  const countSent = async (queries: Queries, after: Date, rfq: { channel: string; rfqId?: string }) => {
    const rows = await queries.all<{ id: string; sent: number }>(
      `select rfq_id as id, count(*) as sent from close_intents
      where ${matching(rfq)} and posts > 0 and ${SENT_AT} > @after group by rfq_id`,
      { ...rfq, after: after.toISOString() },
    )
    return new Map(rows.map(({ id, sent }) => [id, sent]))
  }

  return {
    /** The intents that are not settled, oldest first. */
    async openIntents(channel: string): Promise<CloseIntent[]> {
      const rows = await database.all<IntentRow>(
        `select ${INTENT} from close_intents where channel = @channel and state in ${OPEN} order by created_at, id`,
        { channel },
      )
      return rows.map(toIntent)
    },

    /**
     * RFQs that need attention, oldest first: the newest close was refused, is unknown or failed, or its intent is open. RFQs that are
     * closed, missing, or due later now are left out (docs/CLOSING.md, rule 12).
     */
    async unsettledCloses({ channel, now }: { channel: string; now: Date }): Promise<UnsettledClose[]> {
      const rows = await database.all<UnsettledRow>(selectUnsettled(database.dialect), { channel })
      const restoredAt = await findMeta(database, RESTORED_AT)
      const unfinished = `select id from runs where channel = @channel and kind = 'close' and finished_at is null`
      const round = await database.get(unfinished, { channel })
      return rows.flatMap(({ evidence, timeZone, dueDate, state, ...row }) => {
        const { outcome, rfqId, since } = row
        const close = { ...row, channel, inProgress: false }
        if (outcome === 'open') return { ...close, inProgress: round !== undefined, remedy: SETTLE }
        if (dueDate !== null && dueDate >= createCalendar(timeZone).dateAt(now)) return []
        const { result } = JSON.parse(evidence) as { result?: string }
        // What was sent before a restore is not sent again without a person (docs/CLOSING.md, rule 11).
        const remedy = closeRemedy(since <= (restoredAt ?? '') ? 'unknown' : outcome, { channel, rfqId, state })
        return { ...close, reason: result ?? row.reason, remedy }
      })
    },

    /** The number of intents of each RFQ that were sent after a moment. */
    sentIntents: (channel: string, after: Date) => countSent(database, after, { channel }),

    /**
     * Stores an intent. Rejects with `RunLostError` if the run lost the lock, and with `StoreError` if the RFQ has an open intent, of which
     * an index allows one, or if two of its intents were sent within 24 hours and no person requested this one.
     */
    planClose: ({ run, rfqId, evidence, requested = false, now }: NewIntent): Promise<CloseIntent> =>
      database.write(async (tx) => {
        const { id: runId, channel } = run
        // A process that lost the lock must not close, because what it read may be out of date.
        await fence(tx, run)
        const rfq = { channel, rfqId }
        const sent = (await countSent(tx, new Date(now.getTime() - 24 * 3_600_000), rfq)).get(rfqId) ?? 0
        if (!requested && sent >= MAX_INTENTS_PER_DAY) {
          throw new StoreError(`RFQ ${rfqId} of ${channel} was asked to close ${sent} times within 24 hours.`)
        }
        const inserted = await tx.get<IntentRow>(
          `insert into close_intents (channel, rfq_id, state, run_id, created_at, evidence)
          values (@channel, @rfqId, 'planned', @runId, @at, @evidence) returning ${INTENT}`,
          { ...rfq, runId, at: now.toISOString(), evidence: JSON.stringify(evidence) },
        )
        return toIntent(inserted as IntentRow)
      }),

    /**
     * Counts a POST that is about to be sent, at most two per intent. The count is on disk when the promise resolves. Rejects with
     * `RunLostError` if the run lost the lock.
     */
    markSending: (intent: CloseIntent, run: LiveRun): Promise<CloseIntent> =>
      database.write(async (tx) => {
        await fence(tx, run)
        if (intent.posts >= MAX_POSTS_PER_INTENT)
          throw new StoreError(`Close intent ${intent.id} of RFQ ${intent.rfqId} was sent ${intent.posts} times.`)
        return change(tx, intent, { state: 'sending', posts: intent.posts + 1 })
      }),

    /** Records when the first byte of the counted POST was sent. */
    recordSent: (intent: CloseIntent, sentAt: Date): Promise<CloseIntent> =>
      database.write((tx) => change(tx, intent, { state: 'sending', sentAt: sentAt.toISOString() })),

    /** Reverts `markSending` because nothing was sent. An intent without any POST ends as `failed`, without a decision. */
    withdrawSending: (intent: CloseIntent): Promise<CloseIntent> => {
      const posts = intent.posts - 1
      return database.write((tx) => change(tx, intent, { state: posts > 0 ? 'sending' : 'failed', posts }))
    },

    /** Settles the intent with the outcome of the decision and appends the decision, in one transaction. */
    settleClose: (intent: CloseIntent, decision: NewDecision): Promise<DecisionRecord> =>
      database.write(async (tx) => {
        await change(tx, intent, { state: decision.outcome ?? 'failed' })
        return appendDecision(tx, decision)
      }),
  }
}

const SETTLE =
  'a closing round settles it by reading the RFQ; it needs autoClose: on and closing to be enabled to send it again'

interface UnsettledRow extends Omit<UnsettledClose, 'channel' | 'inProgress' | 'remedy'> {
  evidence: string
  timeZone: string
  dueDate: string | null
  state: string | null
}

/** Selects the newest outcomes that need attention, except those of RFQs with an open intent, and the open intents. */
const selectUnsettled = ({ leftJoin }: Dialect) => `
with open as (select * from close_intents where channel = @channel and state in ${OPEN}), unsettled as (
  select rfq_id, outcome, decided_at as since, id as decision_id, reason, evidence, time_zone from close_decisions
  where ${isNewestOf('outcome is not null and channel = @channel')} and outcome in ('refused', 'unknown', 'failed')
    and rfq_id not in (select rfq_id from open)
  union all
  select rfq_id, 'open', coalesce(sent_at, created_at), null,
    case when posts > 0 then 'a close was sent and is not settled' else 'a close was planned and not sent' end, evidence, 'UTC'
  from open
)
select ${membersOf('rfqId', 'outcome', 'since', 'decisionId', 'reason', 'evidence', 'timeZone')},
  r.number as "rfqNumber", r.response_due_date as "dueDate", r.state
from unsettled u ${leftJoin('rfqs', 'r', 'r.channel = @channel and r.id = u.rfq_id')}
where outcome = 'open' or r.missing_since is null and coalesce(r.state, '') <> 'closed'
order by since, u.rfq_id`

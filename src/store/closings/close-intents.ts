import {
  type IntentState,
  isIntentTransition,
  MAX_INTENTS_PER_DAY,
  MAX_POSTS_PER_INTENT,
  OPEN_INTENT_STATES,
} from '../../core/close-intent.js'
import type { DecisionRecord } from '../../core/records.js'
import type { CloseIntent, Closings, NewDecision } from '../contract.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { IntentOpenError, StoreError } from '../errors.js'
import { fence } from '../runs/channel-lock.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'

interface IntentRow {
  id: number
  channel: string
  rfq_id: string
  state: IntentState
  run_id: number
  created_at: string
  sent_at: string | null
  posts: number
  evidence: string
}

const toIntent = (row: IntentRow): CloseIntent => ({
  id: row.id,
  channel: row.channel,
  rfqId: fromStoredText(row.rfq_id),
  state: row.state,
  runId: row.run_id,
  createdAt: row.created_at,
  sentAt: row.sent_at,
  posts: row.posts,
  evidence: JSON.parse(row.evidence) as Record<string, unknown>,
})

const DAY_MS = 24 * 3_600_000

/** The open states as an SQL list. */
export const OPEN = `(${OPEN_INTENT_STATES.map((state) => `'${state}'`).join(', ')})`
/** When an intent was sent. If a crash prevented that this was recorded, when it was created. */
const SENT_AT = 'coalesce(sent_at, created_at)'

/**
 * Close intents: stored before a POST, settled with the decision that records its outcome.
 * @param appendDecision appends to the closing log, within the transaction that settles the intent
 */
export function createCloseIntents(
  database: SqlDatabase,
  appendDecision: (tx: Transaction, decision: NewDecision) => Promise<DecisionRecord>,
): Pick<
  Closings,
  'openIntents' | 'sentIntents' | 'planClose' | 'markSending' | 'recordSent' | 'withdrawSending' | 'settleClose'
> {
  /** Returns the stored intent after checking that it may change to `to`. */
  const requireTransition = async (tx: Transaction, intent: CloseIntent, to: IntentState): Promise<IntentRow> => {
    await tx.lock('close intent', intent.id)
    const row = await tx.get<IntentRow>('select * from close_intents where id = @id', { id: intent.id })
    const name = `Close intent ${intent.id} of RFQ ${intent.rfqId}`
    // After a fail-over that lost the last commits, another intent may have the same id.
    const isSame =
      row?.channel === intent.channel &&
      row.rfq_id === toStoredText(intent.rfqId) &&
      row.created_at === intent.createdAt
    if (!row || !isSame) throw new StoreError(`${name} does not exist.`)
    if (!isIntentTransition(row.state, to)) throw new StoreError(`${name} is ${row.state}; it cannot become ${to}.`)
    return row
  }

  /** Checks that no other process has counted a newer POST of the intent. */
  const requireCounted = async (tx: Transaction, intent: CloseIntent): Promise<void> => {
    const { posts } = await requireTransition(tx, intent, 'sending')
    if (posts !== intent.posts)
      throw new StoreError(`The close of RFQ ${intent.rfqId} was continued by another process.`)
  }

  return {
    async openIntents(channel) {
      const rows = await database.all<IntentRow>(
        `select * from close_intents where channel = @channel and state in ${OPEN} order by created_at, id`,
        { channel },
      )
      return rows.map(toIntent)
    },

    async sentIntents(channel, after) {
      const rows = await database.all<{ id: string; sent: number }>(
        `select rfq_id as id, count(*) as sent from close_intents
        where channel = @channel and posts > 0 and ${SENT_AT} > @after group by rfq_id`,
        { channel, after: after.toISOString() },
      )
      return new Map(rows.map(({ id, sent }) => [fromStoredText(id), sent]))
    },

    planClose: ({ run, rfqId, evidence, requested = false, now }) =>
      database.write(async (tx) => {
        const { id: runId, channel } = run
        // A process that lost the lock must not close, because what it read may be out of date.
        await fence(tx, run)
        await tx.lock('close intents', channel, rfqId)
        const rfq = { channel, rfqId: toStoredText(rfqId) }
        const open = await tx.get<{ id: number }>(
          `select id from close_intents where channel = @channel and rfq_id = @rfqId and state in ${OPEN}`,
          rfq,
        )
        if (open) {
          throw new IntentOpenError(`RFQ ${rfqId} of ${channel} has a close that is not settled (intent ${open.id}).`)
        }
        const counted = await tx.get<{ sent: number }>(
          `select count(*) as sent from close_intents
          where channel = @channel and rfq_id = @rfqId and posts > 0 and ${SENT_AT} > @after`,
          { ...rfq, after: new Date(now.getTime() - DAY_MS).toISOString() },
        )
        const sent = counted?.sent ?? 0
        if (!requested && sent >= MAX_INTENTS_PER_DAY) {
          throw new StoreError(`RFQ ${rfqId} of ${channel} was asked to close ${sent} times within 24 hours.`)
        }
        const inserted = await tx.get<IntentRow>(
          `insert into close_intents (channel, rfq_id, state, run_id, created_at, evidence)
          values (@channel, @rfqId, 'planned', @runId, @at, @evidence) returning *`,
          { ...rfq, runId, at: now.toISOString(), evidence: JSON.stringify(evidence) },
        )
        return toIntent(inserted as IntentRow)
      }),

    markSending: (intent, run) =>
      database.write(async (tx) => {
        await fence(tx, run)
        const current = await requireTransition(tx, intent, 'sending')
        if (current.posts !== intent.posts) {
          throw new StoreError(`The close of RFQ ${intent.rfqId} was continued by another process.`)
        }
        if (current.posts >= MAX_POSTS_PER_INTENT) {
          throw new StoreError(`Close intent ${intent.id} of RFQ ${intent.rfqId} was sent ${current.posts} times.`)
        }
        const row = await tx.get<IntentRow>(
          `update close_intents set state = 'sending', posts = posts + 1 where id = @id returning *`,
          { id: intent.id },
        )
        return toIntent(row as IntentRow)
      }),

    recordSent: (intent, sentAt) =>
      database.write(async (tx) => {
        await requireCounted(tx, intent)
        const row = await tx.get<IntentRow>('update close_intents set sent_at = @at where id = @id returning *', {
          at: sentAt.toISOString(),
          id: intent.id,
        })
        return toIntent(row as IntentRow)
      }),

    withdrawSending: (intent, now) =>
      database.write(async (tx) => {
        await requireCounted(tx, intent)
        const posts = intent.posts - 1
        await tx.run('update close_intents set posts = @posts, state = @state, settled_at = @at where id = @id', {
          ...{ id: intent.id, posts, state: posts > 0 ? 'sending' : 'failed' },
          at: posts > 0 ? null : now.toISOString(),
        })
      }),

    settleClose: (intent, decision) =>
      database.write(async (tx) => {
        const state = decision.outcome ?? 'failed'
        await requireTransition(tx, intent, state)
        await tx.run('update close_intents set state = @state, settled_at = @at where id = @id', {
          state,
          at: decision.decidedAt,
          id: intent.id,
        })
        return appendDecision(tx, decision)
      }),
  }
}

import {
  type IntentState,
  isIntentTransition,
  MAX_INTENTS_PER_DAY,
  MAX_POSTS_PER_INTENT,
  OPEN_INTENT_STATES,
} from '../domain/close-intent.js'
import type { DecisionRecord } from '../domain/records.js'
import type { Connection } from './connection.js'
import type { CloseIntent, Closings, NewDecision } from './contract.js'
import { IntentOpenError, StoreError } from './errors.js'
import { assertLive } from './runs.js'
import { fromStoredText, toStoredText } from './stored-text.js'

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

/**
 * Close intents: stored before a POST, settled with the decision that records its outcome.
 * @param appendDecision appends to the decision log, within the transaction that settles the intent
 */
export function createCloseIntents(
  connection: Connection,
  appendDecision: (decision: NewDecision) => DecisionRecord,
): Pick<Closings, 'openIntents' | 'sentIntents' | 'planClose' | 'markSending' | 'settleClose'> {
  const sql = (text: string) => connection.statement(text)

  /** The intent as stored now, after checking that it may change to `to`. Within a transaction only. */
  const requireTransition = (intent: CloseIntent, to: IntentState): IntentRow => {
    const row = sql('select * from close_intents where id = ?').get(intent.id) as IntentRow | undefined
    const name = `Close intent ${intent.id} of RFQ ${intent.rfqId}`
    if (!row) throw new StoreError(`${name} does not exist.`)
    if (!isIntentTransition(row.state, to)) throw new StoreError(`${name} is ${row.state}; it cannot become ${to}.`)
    return row
  }

  return {
    async openIntents(channel) {
      const rows = connection.read((db) =>
        db
          .prepare(`select * from close_intents where channel = ? and state in ${OPEN} order by created_at, id`)
          .all(channel),
      )
      return (rows as IntentRow[]).map(toIntent)
    },

    async sentIntents(channel, after) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select rfq_id as id, count(*) as sent from close_intents
            where channel = ? and posts > 0 and sent_at > ? group by rfq_id`,
          )
          .all(channel, after.toISOString()),
      ) as { id: string; sent: number }[]
      return new Map(rows.map(({ id, sent }) => [fromStoredText(id), sent]))
    },

    planClose: ({ channel, rfqId, runId, evidence, requested = false, now }) =>
      connection.write(() => {
        // A process that lost its run must not close: what it read may be out of date.
        assertLive(connection, { id: runId })
        const storedId = toStoredText(rfqId)
        const open = sql(`select id from close_intents where channel = ? and rfq_id = ? and state in ${OPEN}`)
          .pluck()
          .get(channel, storedId)
        if (open !== undefined) {
          throw new IntentOpenError(`RFQ ${rfqId} of ${channel} has a close that is not settled (intent ${open}).`)
        }
        const sent = sql(
          'select count(*) from close_intents where channel = ? and rfq_id = ? and posts > 0 and sent_at > ?',
        )
          .pluck()
          .get(channel, storedId, new Date(now.getTime() - DAY_MS).toISOString()) as number
        if (!requested && sent >= MAX_INTENTS_PER_DAY) {
          throw new StoreError(`RFQ ${rfqId} of ${channel} was asked to close ${sent} times within 24 hours.`)
        }
        return toIntent(
          sql(
            `insert into close_intents (channel, rfq_id, state, run_id, created_at, evidence)
            values (?, ?, 'planned', ?, ?, ?) returning *`,
          ).get(channel, storedId, runId, now.toISOString(), JSON.stringify(evidence)) as IntentRow,
        )
      }),

    markSending: (intent, now) =>
      connection.write(() => {
        const current = requireTransition(intent, 'sending')
        if (current.posts !== intent.posts) {
          throw new StoreError(`The close of RFQ ${intent.rfqId} was continued by another process.`)
        }
        if (current.posts >= MAX_POSTS_PER_INTENT) {
          throw new StoreError(`Close intent ${intent.id} of RFQ ${intent.rfqId} was sent ${current.posts} times.`)
        }
        const row = sql(
          `update close_intents set state = 'sending', sent_at = ?, posts = posts + 1 where id = ? returning *`,
        ).get(now.toISOString(), intent.id)
        return toIntent(row as IntentRow)
      }),

    settleClose: (intent, decision) =>
      connection.write(() => {
        const state = decision.outcome ?? 'failed'
        requireTransition(intent, state)
        sql('update close_intents set state = ?, settled_at = ? where id = ?').run(state, decision.decidedAt, intent.id)
        return appendDecision(decision)
      }),
  }
}

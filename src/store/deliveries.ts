import { randomUUID } from 'node:crypto'
import type { DeadLetters, DeliveryRecord, TargetState } from '../domain/deliveries.js'
import type { Connection } from './connection.js'
import { type EventRow, toEvent } from './event-row.js'
import type { Claim, Outbox } from './outbox-contract.js'
import { fromStoredText, toStoredText } from './stored-text.js'

/** A process sends one message within this time, or its claim on the target ends (ms). */
export const CLAIM_MS = 120_000
/** A later moment was written before the clock was set back (ms). */
const MAX_RETRY_PAUSE_MS = 24 * 3_600_000

interface TargetRow {
  target: string
  since: string
  since_sequence: number
  failures: number
  retry_at: string | null
  succeeded_at: string | null
  error: string | null
  holder: string | null
  lease_until: string | null
}
interface DeliveryRow {
  id: number
  event_id: string
  kind: DeliveryRecord['kind']
  channel: string | null
  target: string
  state: DeliveryRecord['state']
  message_id: string | null
  attempts: number
  created_at: string
  attempted_at: string | null
  next_at: string | null
  settled_at: string | null
  status: number | null
  error: string | null
}

const toDelivery = (row: DeliveryRow): DeliveryRecord => ({
  id: row.id,
  eventId: row.event_id,
  kind: row.kind,
  channel: row.channel,
  target: row.target,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  attemptedAt: row.attempted_at,
  nextAt: row.next_at,
  settledAt: row.settled_at,
  status: row.status,
  error: row.error === null ? null : fromStoredText(row.error),
})

/** Whether a moment that was stored is still to come; one far ahead is not, because the clock was set back. */
const isAhead = (moment: string | null, now: Date, maxMs: number): boolean => {
  if (moment === null) return false
  const wait = Date.parse(moment) - now.getTime()
  return wait > 0 && wait <= maxMs
}

/** A target for which something waits. */
const FIND_WAITING = `
select * from delivery_targets t where target = ?
  and exists (select 1 from deliveries d where d.target = t.target and d.state = 'pending')`

type Deliveries = Omit<Outbox, 'recordEvent' | 'openRfqsDue' | 'recordDueRfqs' | 'routeEvents'>

/**
 * The deliveries of events, one per event and target. A claim on a target is a lease in `delivery_targets`, so that one
 * process at a time sends to it, in order.
 */
export function createDeliveries(connection: Connection): Deliveries {
  const sql = (text: string) => connection.statement(text)

  /** The deliveries of the next message, oldest first: of one that was tried before, or the oldest that were not. */
  const nextMessage = (target: string, maxEvents: number, now: string): DeliveryRow[] => {
    const due = `target = @target and state = 'pending' and (next_at is null or next_at <= @now or next_at > @far)`
    const far = new Date(Date.parse(now) + MAX_RETRY_PAUSE_MS).toISOString()
    const [head] = sql(`select * from deliveries where ${due} order by id limit 1`).all({
      target,
      now,
      far,
    }) as DeliveryRow[]
    if (!head) return []
    if (head.message_id !== null) {
      return sql(`select * from deliveries where target = ? and state = 'pending' and message_id = ? order by id`).all(
        target,
        head.message_id,
      ) as DeliveryRow[]
    }
    return sql(`select * from deliveries where ${due} and message_id is null order by id limit @maxEvents`).all({
      target,
      now,
      far,
      maxEvents,
    }) as DeliveryRow[]
  }

  const eventsOf = (deliveries: readonly DeliveryRow[]) => {
    const ids = JSON.stringify(deliveries.map(({ event_id }) => event_id))
    const rows = sql('select * from events where id in (select value from json_each(?)) order by sequence').all(ids)
    return (rows as EventRow[]).map(toEvent)
  }

  return {
    setTargets: (targets, now) =>
      connection.write(() => {
        const names = JSON.stringify(targets)
        const removed = 'target not in (select value from json_each(@names))'
        sql(
          `update deliveries set state = 'dead', settled_at = @now, next_at = null, error = @error
          where state = 'pending' and ${removed}`,
        ).run({ names, now: now.toISOString(), error: 'the target is no longer configured' })
        sql(`delete from delivery_targets where ${removed}`).run({ names })
        sql(
          `insert or ignore into delivery_targets (target, since, since_sequence)
          select value, @now, (select coalesce(max(sequence), 0) from events) from json_each(@names)`,
        ).run({ names, now: now.toISOString() })
      }),

    async claimMessage({ target, holder, maxEvents, now }) {
      const at = now.toISOString()
      const isFree = (row: TargetRow | undefined): row is TargetRow =>
        row !== undefined &&
        !isAhead(row.retry_at, now, MAX_RETRY_PAUSE_MS) &&
        (row.holder === holder || !isAhead(row.lease_until, now, CLAIM_MS))
      // Most of the time nothing is due: a look without the write lock.
      if (!connection.read((db) => isFree(db.prepare(FIND_WAITING).get(target) as TargetRow | undefined))) return null
      return connection.write(() => {
        const row = sql('select * from delivery_targets where target = ?').get(target) as TargetRow | undefined
        if (!isFree(row)) return null
        const deliveries = nextMessage(target, maxEvents, at)
        const [first] = deliveries
        if (!first) return null
        const events = eventsOf(deliveries)
        const messageId =
          first.message_id ?? (maxEvents === 1 ? first.event_id : `msg_${randomUUID().replaceAll('-', '')}`)
        const until = new Date(now.getTime() + CLAIM_MS)
        sql('update delivery_targets set holder = ?, lease_until = ?, attempted_at = ? where target = ?').run(
          holder,
          until.toISOString(),
          at,
          target,
        )
        sql(
          `update deliveries set message_id = @messageId, attempts = attempts + 1, attempted_at = @at,
            first_attempted_at = coalesce(first_attempted_at, @at)
          where id in (select value from json_each(@ids))`,
        ).run({ messageId, at, ids: JSON.stringify(deliveries.map(({ id }) => id)) })
        const { failures } = row
        return { target, messageId, events, attempt: first.attempts + 1, failures, holder, until }
      })
    },

    endAttempt: (claim, end, now) =>
      connection.write(() => {
        const { target, messageId, holder } = claim
        const at = now.toISOString()
        const mine = `target = @target and message_id = @messageId and state = 'pending'`
        if (end.kind === 'delivered') {
          sql(
            `update deliveries set state = 'delivered', settled_at = @at, next_at = null, status = null, error = null
            where ${mine}`,
          ).run({ target, messageId, at })
          sql(
            `update delivery_targets set failures = 0, failing_since = null, retry_at = null, error = null,
              succeeded_at = @at
            where target = @target`,
          ).run({ target, at })
        } else if (end.kind === 'failed') recordFailure(connection, claim, end, at)
        sql('update delivery_targets set holder = null, lease_until = null where target = ? and holder = ?').run(
          target,
          holder,
        )
      }),

    async deliveries({ states = ['pending', 'dead'], target, before, limit = -1, order = 'oldest-first' }) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select d.*, e.kind, e.channel from deliveries d join events e on e.id = d.event_id
            where d.state in (select value from json_each(@states)) and (@target is null or d.target = @target)
              and (@before is null or d.id < @before)
            order by d.id ${order === 'newest-first' ? 'desc' : ''} limit @limit`,
          )
          .all({ states: JSON.stringify(states), target: target ?? null, before: before ?? null, limit }),
      )
      return (rows as DeliveryRow[]).map(toDelivery)
    },

    async deadLetters() {
      return connection.read((db) =>
        db
          .prepare(
            `select e.channel, d.target, count(*) as count, min(coalesce(d.settled_at, d.created_at)) as since
            from deliveries d join events e on e.id = d.event_id where d.state = 'dead'
            group by e.channel, d.target order by e.channel, d.target`,
          )
          .all(),
      ) as DeadLetters[]
    },

    async targetStates() {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select t.*,
              (select count(*) from deliveries d where d.target = t.target and d.state = 'pending') as pending,
              (select count(*) from deliveries d where d.target = t.target and d.state = 'dead') as dead
            from delivery_targets t order by t.target`,
          )
          .all(),
      )
      return (rows as (TargetRow & { pending: number; dead: number })[]).map(toTargetState)
    },

    retryDeliveries: (which, now) =>
      connection.write(() => {
        const rows = sql(
          `update deliveries set state = 'pending', settled_at = null, next_at = null, created_at = @now,
            message_id = null, first_attempted_at = null
          where state in ('pending', 'dead') and (@ids is null or id in (select value from json_each(@ids)))
            and (@target is null or target = @target) and target in (select target from delivery_targets)
          returning id, target`,
        ).all({
          ids: Array.isArray(which) ? JSON.stringify(which) : null,
          target: which !== null && 'target' in which ? which.target : null,
          now: now.toISOString(),
        }) as { id: number; target: string }[]
        for (const target of new Set(rows.map((row) => row.target))) {
          sql('update delivery_targets set retry_at = null where target = ?').run(target)
        }
        return rows.map(({ id }) => id).sort((a, b) => a - b)
      }),
  }
}

type Failure = Extract<Parameters<Outbox['endAttempt']>[1], { kind: 'failed' }>

/** Plans the next attempt, or gives up: after 72 hours of failed attempts, not after 72 hours of waiting for the first. */
function recordFailure(connection: Connection, claim: Claim, end: Failure, at: string): void {
  const sql = (text: string) => connection.statement(text)
  const { target, messageId } = claim
  const { because, status, retryAt } = end
  const isRejected = because === 'message'
  const facts = { target, error: toStoredText(end.error), retryAt: retryAt.toISOString() }
  sql(
    `update deliveries set status = @status, error = @error, next_at = @nextAt
    where target = @target and message_id = @messageId and state = 'pending'`,
  ).run({ ...facts, status, messageId, nextAt: isRejected ? facts.retryAt : null })
  if (isRejected) {
    // It answered, so it can be reached.
    sql('update delivery_targets set failures = 0, failing_since = null where target = ?').run(target)
  } else {
    sql(
      `update delivery_targets set failures = failures + 1, failing_since = min(coalesce(failing_since, @at), @at),
        retry_at = @retryAt, error = @error
      where target = @target`,
    ).run({ ...facts, at })
  }
  // Those that waited behind the first as long as the target has failed would fail too.
  const isOver = isRejected
    ? 'message_id = @messageId and first_attempted_at < @deadBefore'
    : 'created_at < @deadBefore and (select failing_since from delivery_targets where target = @target) < @deadBefore'
  sql(
    `update deliveries set state = 'dead', settled_at = @at, next_at = null, error = coalesce(error, @error)
    where target = @target and state = 'pending' and ${isOver}`,
  ).run({ target, error: facts.error, messageId, at, deadBefore: end.deadBefore.toISOString() })
}

const toTargetState = (row: TargetRow & { pending: number; dead: number }): TargetState => ({
  target: row.target,
  since: row.since,
  failures: row.failures,
  retryAt: row.retry_at,
  succeededAt: row.succeeded_at,
  error: row.error === null ? null : fromStoredText(row.error),
  pending: row.pending,
  dead: row.dead,
})

import { randomUUID } from 'node:crypto'
import type { DeadLetters, DeliveryRecord, TargetState } from '../../core/events/deliveries.js'
import { MAX_CLOCK_DIFFERENCE_MS } from '../../core/time/clock.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { allOf, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { type EventRow, NEWEST_SEQUENCE, toEvent } from './event-feed.js'
import type { Claim, Outbox } from './outbox-contract.js'

/** A claim on a target expires after this time, in milliseconds; a process sends one message within it. */
export const CLAIM_MS = 120_000
/** The longest pause between attempts, in milliseconds. A later moment was written before the clock was set back. */
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
  sequence: number
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
  sequence: row.sequence,
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

/**
 * Whether a stored moment is in the future. One too far ahead is ignored, because it was stored before the clock was set back. Allows for
 * different clocks of machines.
 */
const isAhead = (moment: string | null, now: Date, maxMs: number): boolean => {
  if (moment === null) return false
  const wait = Date.parse(moment) - now.getTime()
  return wait > 0 && wait <= maxMs + MAX_CLOCK_DIFFERENCE_MS
}

/** A condition: the run that observed the event has ended or lost its lease, so that all events of a run are sent together. */
const HAS_NO_LIVE_RUN = `not exists (
  select 1 from events e join runs r on r.id = e.run_id
  where e.id = deliveries.event_id and r.finished_at is null and r.lease_until >= @now)`

/** Selects a target that has pending deliveries. */
const SELECT_PENDING_TARGET = `
select * from delivery_targets t where target = @target
  and exists (select 1 from deliveries d where d.target = t.target and d.state = 'pending')`

type Deliveries = Omit<Outbox, 'recordEvent' | 'openRfqsDue' | 'recordDueRfqs' | 'routeEvents'>

/**
 * The deliveries of events, one per event and target. A claim on a target is a lease in `delivery_targets`, so that one
 * process at a time sends to it, in order.
 */
export function createDeliveries(database: SqlDatabase): Deliveries {
  const { anyOf } = database.dialect

  /** The deliveries of the next message, oldest first: of a message that is retried, or else the oldest new ones. */
  const nextMessage = async (tx: Transaction, target: string, maxEvents: number, now: string) => {
    const due = `target = @target and state = 'pending' and (next_at is null or next_at <= @now or next_at > @far) and ${HAS_NO_LIVE_RUN}`
    const far = new Date(Date.parse(now) + MAX_RETRY_PAUSE_MS).toISOString()
    const head = await tx.get<DeliveryRow>(`select * from deliveries where ${due} order by id limit 1`, {
      target,
      now,
      far,
    })
    if (!head) return []
    if (head.message_id !== null) {
      return tx.all<DeliveryRow>(
        `select * from deliveries where target = @target and state = 'pending' and message_id = @messageId order by id`,
        { target, messageId: head.message_id },
      )
    }
    return tx.all<DeliveryRow>(
      `select * from deliveries where ${due} and message_id is null order by id limit @maxEvents`,
      { target, now, far, maxEvents },
    )
  }

  const eventsOf = async (tx: Transaction, deliveries: readonly DeliveryRow[]) => {
    const ids = deliveries.map(({ event_id }) => event_id)
    const rows = await tx.all<EventRow>(`select * from events where ${anyOf('id', '@ids')} order by sequence`, { ids })
    return rows.map(toEvent)
  }

  return {
    setTargets: (targets, now) =>
      database.write(async (tx) => {
        await tx.lock('targets')
        const removed = `not (${anyOf('target', '@targets')})`
        await tx.run(
          `update deliveries set state = 'dead', settled_at = @now, next_at = null, error = @error
          where state = 'pending' and ${removed}`,
          { targets, now: now.toISOString(), error: 'the target is no longer configured' },
        )
        await tx.run(`delete from delivery_targets where ${removed}`, { targets })
        for (const target of targets) {
          await tx.run(
            `insert into delivery_targets (target, since, since_sequence)
            values (@target, @now, ${NEWEST_SEQUENCE}) on conflict (target) do nothing`,
            { target, now: now.toISOString() },
          )
        }
      }),

    async claimMessage({ target, holder, maxEvents, now }) {
      const at = now.toISOString()
      const isFree = (row: TargetRow | undefined): row is TargetRow =>
        row !== undefined &&
        !isAhead(row.retry_at, now, MAX_RETRY_PAUSE_MS) &&
        (row.holder === holder || !isAhead(row.lease_until, now, CLAIM_MS))
      // Checks first without the write lock, because usually nothing is due.
      if (!isFree(await database.get<TargetRow>(SELECT_PENDING_TARGET, { target }))) return null
      return database.write(async (tx) => {
        await tx.lock('target', target)
        const row = await tx.get<TargetRow>('select * from delivery_targets where target = @target', { target })
        if (!isFree(row)) return null
        const waiting = await nextMessage(tx, target, maxEvents, at)
        const [first] = waiting
        if (!first) return null
        const events = await eventsOf(tx, waiting)
        const ids = waiting.map(({ id }) => id)
        const messageId =
          first.message_id ?? (maxEvents === 1 ? first.event_id : `msg_${randomUUID().replaceAll('-', '')}`)
        const until = new Date(now.getTime() + CLAIM_MS)
        await tx.run(
          `update delivery_targets set holder = @holder, lease_until = @until, attempted_at = @at where target = @target`,
          { holder, until: until.toISOString(), at, target },
        )
        await tx.run(
          `update deliveries set message_id = @messageId, attempts = attempts + 1, attempted_at = @at,
            first_attempted_at = coalesce(first_attempted_at, @at)
          where ${anyOf('id', '@ids')}`,
          { messageId, at, ids },
        )
        const { failures } = row
        return { target, messageId, events, attempt: first.attempts + 1, failures, holder, until }
      })
    },

    endAttempt: (claim, end, now) =>
      database.write(async (tx) => {
        const { target, messageId, holder } = claim
        await tx.lock('target', target)
        const at = now.toISOString()
        const ofMessage = `target = @target and message_id = @messageId and state = 'pending'`
        if (end.kind === 'delivered') {
          await tx.run(
            `update deliveries set state = 'delivered', settled_at = @at, next_at = null, status = null, error = null
            where ${ofMessage}`,
            { target, messageId, at },
          )
          await tx.run(
            `update delivery_targets set failures = 0, failing_since = null, retry_at = null, error = null,
              succeeded_at = @at
            where target = @target`,
            { target, at },
          )
        } else if (end.kind === 'failed') await recordFailure(tx, claim, end, at)
        await tx.run(
          'update delivery_targets set holder = null, lease_until = null where target = @target and holder = @holder',
          { target, holder },
        )
      }),

    async deliveries({ states = ['pending', 'dead'] }) {
      const rows = await database.all<DeliveryRow>(
        `select d.*, e.sequence, e.kind, e.channel from deliveries d join events e on e.id = d.event_id
        where ${anyOf('d.state', '@states')} order by d.id`,
        { states },
      )
      return rows.map(toDelivery)
    },

    async deadLetters() {
      return database.all<DeadLetters>(
        `select e.channel, d.target, count(*) as count, min(coalesce(d.settled_at, d.created_at)) as since
        from deliveries d join events e on e.id = d.event_id where d.state = 'dead'
        group by e.channel, d.target order by e.channel nulls first, d.target`,
      )
    },

    async targetStates() {
      const rows = await database.all<TargetRow & { pending: number; dead: number }>(
        `select t.*,
          (select count(*) from deliveries d where d.target = t.target and d.state = 'pending') as pending,
          (select count(*) from deliveries d where d.target = t.target and d.state = 'dead') as dead
        from delivery_targets t order by t.target`,
      )
      return rows.map(toTargetState)
    },

    retryDeliveries: ({ ids, target, fromSequence }, now) =>
      database.write(async (tx) => {
        const where = allOf(
          ids === undefined && fromSequence === undefined && `state <> 'delivered'`,
          ids !== undefined && anyOf('id', '@ids'),
          target !== undefined && 'target = @target',
          fromSequence !== undefined && 'event_id in (select id from events where sequence >= @fromSequence)',
        )
        const rows = await tx.all<{ id: number; target: string }>(
          `update deliveries set state = 'pending', settled_at = null, next_at = null, created_at = @now,
            message_id = null, first_attempted_at = null
          where ${where} and target in (select target from delivery_targets)
          returning id, target`,
          { ids: ids ?? null, target: target ?? null, fromSequence: fromSequence ?? null, now: now.toISOString() },
        )
        const targets = [...new Set(rows.map((row) => row.target))]
        await tx.run(`update delivery_targets set retry_at = null where ${anyOf('target', '@targets')}`, { targets })
        return rows.map(({ id }) => id).sort((a, b) => a - b)
      }),
  }
}

type Failure = Extract<Parameters<Outbox['endAttempt']>[1], { kind: 'failed' }>

/** Plans the next attempt, or gives up after 72 hours of failed attempts. Time spent waiting for the first attempt does not count. */
async function recordFailure(tx: Transaction, claim: Claim, end: Failure, at: string): Promise<void> {
  const { target, messageId } = claim
  const { because, status, retryAt } = end
  const isRejected = because === 'message'
  const facts = { target, error: toStoredText(end.error), retryAt: retryAt.toISOString() }
  await tx.run(
    `update deliveries set status = @status, error = @error, next_at = @nextAt
    where target = @target and message_id = @messageId and state = 'pending'`,
    { ...facts, status, messageId, nextAt: isRejected ? facts.retryAt : null },
  )
  if (isRejected) {
    // The target answered, so it can be reached.
    await tx.run('update delivery_targets set failures = 0, failing_since = null where target = @target', { target })
  } else {
    await tx.run(
      `update delivery_targets set failures = failures + 1, retry_at = @retryAt, error = @error,
        failing_since = case when failing_since < @at then failing_since else @at end
      where target = @target`,
      { ...facts, at },
    )
  }
  // Deliveries that have waited since before the target began to fail for too long are given up as well.
  const isOver = isRejected
    ? 'message_id = @messageId and first_attempted_at < @deadBefore'
    : 'created_at < @deadBefore and (select failing_since from delivery_targets where target = @target) < @deadBefore'
  await tx.run(
    `update deliveries set state = 'dead', settled_at = @at, next_at = null, error = coalesce(error, @error)
    where target = @target and state = 'pending' and ${isOver}`,
    { target, error: facts.error, messageId, at, deadBefore: end.deadBefore.toISOString() },
  )
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

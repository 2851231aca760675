import type { RunRecord } from '../../core/records.js'
import { type Clock, MAX_CLOCK_DIFFERENCE_MS } from '../../core/time/clock.js'
import type { RunEnd, Runs } from '../contract.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { RunBusyError, RunLostError } from '../errors.js'
import type { EventDraft, EventWriter } from '../events/event-writer.js'
import { endFirstPoll } from '../events/observed-events.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { createHolder, describeMachine, describeProcess, type Holder, livenessOf } from './process-holder.js'
import { createRunQueries, type RunRow, toRunRecord } from './run-queries.js'
import { dequeue, enqueue, readQueue, type WaitingRun } from './waiting-runs.js'

/** A run whose lease was not renewed for this long counts as interrupted, in milliseconds. */
const LEASE_MS = 30_000
const RENEW_INTERVAL_MS = 10_000
/** A watched lease that is not renewed for this long has expired, whatever its times say, in milliseconds. */
const UNRENEWED_MS = 15_000

const KEY_REMEDY = 'correct or renew the API key of the channel, then restart the service'

/** The process that holds a run. */
interface RunHolder extends Holder {
  /** A person started the run, not the service. */
  byHand?: boolean
}

/**
 * Runs and their lock: an unfinished run locks its channel and kind. The lock is released when its process ends: at once
 * if that process ran on this machine, otherwise when its lease expires.
 */
export function createRuns(options: {
  database: SqlDatabase
  clock: Clock
  command: string | null
  events: EventWriter
}): Runs & { stopRenewing(): void } {
  const { database, clock, command, events } = options
  const self = createHolder({ command })
  /** The runs of this process, with their holder as stored. */
  const active = new Map<number, { lost: AbortController; holder: string }>()
  /** Leases of other processes that are watched because the clock may be wrong, and since when (`performance.now()`). */
  const watched = new Map<number, { leaseUntil: string; since: number }>()
  const isUnrenewed = ({ id, lease_until }: RunRow): boolean => {
    const now = performance.now()
    const known = watched.get(id)
    if (known?.leaseUntil !== lease_until) watched.set(id, { leaseUntil: lease_until, since: now })
    return known?.leaseUntil === lease_until && now - known.since >= UNRENEWED_MS
  }
  const leaseUntil = () => new Date(clock().getTime() + LEASE_MS).toISOString()

  const renew = async (id: number) => {
    const renewed = await database
      .write((tx) =>
        tx.run(
          // After a fail-over that lost the last commits, a run of another process may have the same id.
          `update runs set lease_until = @until where id = @id and finished_at is null and holder = @holder`,
          { until: leaseUntil(), id, holder: active.get(id)?.holder ?? '' },
        ),
      )
      .catch(() => null) // If the database is locked, full or unreachable, the next renewal retries before the lease expires.
    if (renewed !== 0) return
    active.get(id)?.lost.abort(takenOverError(id))
    active.delete(id)
  }
  // One by one, so that a run that is writing documents does not delay the renewal of the others.
  const timer = setInterval(() => active.forEach((_, id) => void renew(id)), RENEW_INTERVAL_MS).unref()

  const finish = async (id: number, end: RunEnd, now: Date): Promise<RunRecord> => {
    const { outcome, error, cause = error, stop, suspicious, failedItems, notBefore, postponed = 0, ...rest } = end
    const { keyRefused, requestRates, ...counts } = rest
    const finished = database.write(async (tx) => {
      const row = await tx.get<RunRow>(
        `update runs set finished_at = @finishedAt, outcome = @outcome, requests = @requests, seen = @seen,
          inserted = @inserted, changed = @changed, unchanged = @unchanged, missing = @missing, invalid = @invalid,
          error = @error, cause = @cause, stop_code = @stopCode, stop_clocks = @stopClocks, suspicious = @suspicious, failed_items = @failedItems,
          not_before = @notBefore, postponed = @postponed, allowed_rate = @allowed, required_rate = @required,
          expected_age_minutes = @ageMinutes, holder = '{}',
          lease_until = ''
        where id = @id and finished_at is null returning *`,
        {
          ...counts,
          ...{ id, outcome, postponed },
          finishedAt: now.toISOString(),
          error: error === null ? null : toStoredText(error),
          cause: cause === null ? null : toStoredText(cause),
          stopCode: stop?.code ?? null,
          stopClocks: stop?.clocks ?? null,
          suspicious: suspicious == null ? null : Number(suspicious),
          failedItems: failedItems ?? null,
          allowed: requestRates?.allowed ?? null,
          required: requestRates?.required ?? null,
          ageMinutes: requestRates?.ageMinutes ?? null,
          notBefore: notBefore?.toISOString() ?? null,
        },
      )
      if (!row) throw takenOverError(id)
      await events.write(tx, [...(await endFirstPoll(tx, row)), ...(keyRefused ? await keyRefusal(tx, row) : [])])
      return toRunRecord(row)
    })
    // Also if this fails: the next run of this process takes over what it left behind.
    return finished.finally(() => active.delete(id))
  }

  /** The event that the API key was refused: one until a run of this kind succeeds again. */
  const keyRefusal = async (tx: Transaction, row: RunRow): Promise<EventDraft[]> => {
    const { channel, kind, id, error } = row
    const reported = await tx.get(
      `select 1 as found from events where channel = @channel and kind = 'channel.key-refused' and at > coalesce(
        (select finished_at from runs where channel = @channel and kind = @kind and outcome in ('complete', 'partial')
          and id < @id order by id desc limit 1), '')`,
      { channel, kind, id },
    )
    if (reported !== undefined) return []
    const at = row.finished_at ?? row.started_at
    const data = { reason: error === null ? '' : fromStoredText(error), remedy: KEY_REMEDY }
    return [{ kind: 'channel.key-refused', at, channel, data }]
  }

  return {
    async beginRun({ channel, kind, now, timeZone = 'UTC', byHand = false, ticket }) {
      const text = JSON.stringify({ ...self, ...(byHand && { byHand }) } satisfies RunHolder)
      let id = 0
      const attempt = database.write(async (tx) => {
        await tx.lock('run', channel, kind)
        const current = await tx.get<RunRow>(
          'select * from runs where channel = @channel and kind = @kind and finished_at is null',
          { channel, kind },
        )
        const isHeld =
          current && isRunAlive(current, self, { now: clock(), isActive: active.has(current.id), isUnrenewed })
        const isBusy = current && (isHeld || !(await markInterrupted(tx, current, now)))
        const queue = await readQueue(tx, { channel, kind }, { now: clock(), self })
        const [first] = queue
        const isOtherFirst = first !== undefined && first.ticket !== ticket
        if (isBusy || isOtherFirst) {
          if (ticket !== undefined) await enqueue(tx, { channel, kind }, { queue, ticket, byHand, self, now: clock() })
          return isBusy ? busyError(current, self) : queuedError(queue, { channel, kind, ticket }, self)
        }
        if (ticket !== undefined) await dequeue(tx, { channel, kind }, { queue, ticket })
        const row = await tx.get<RunRow>(
          `insert into runs (channel, kind, started_at, holder, lease_until)
          values (@channel, @kind, @at, @holder, @until) returning id`,
          { channel, kind, at: now.toISOString(), holder: text, until: leaseUntil() },
        )
        id = (row as RunRow).id
        const lost = new AbortController()
        // Before the commit, after which other attempts of this process see the run.
        active.set(id, { lost, holder: text })
        return { id, channel, kind, timeZone, lost: lost.signal }
      })
      const begun = await attempt.catch((error) => {
        active.delete(id)
        throw error
      })
      if (begun instanceof RunBusyError) throw begun
      return { ...begun, finish: (end, at) => finish(begun.id, end, at) }
    },
    dequeueRun: ({ channel, kind, ticket }) =>
      database.write(async (tx) => {
        await tx.lock('run', channel, kind)
        const queue = await readQueue(tx, { channel, kind }, { now: clock(), self })
        await dequeue(tx, { channel, kind }, { queue, ticket })
      }),
    ...createRunQueries(database),
    stopRenewing() {
      clearInterval(timer)
    },
  }
}

function busyError(row: RunRow, self: Holder): RunBusyError {
  const holder = JSON.parse(row.holder) as RunHolder
  const by = holder.nonce === self.nonce ? 'this process' : describeProcess(holder)
  const facts = { byHand: holder.byHand ?? false, by, startedAt: row.started_at }
  return new RunBusyError(describeBusy(row, holder, self), facts)
}

/** The holder of a run, since when it runs, and what to do. */
function describeBusy({ id, channel, kind, started_at, lease_until }: RunRow, holder: RunHolder, self: Holder): string {
  const busy = `A ${kind} run of ${channel} is in progress: run ${id}, begun ${secondOf(started_at)} by`
  if (holder.nonce === self.nonce) return `${busy} this process.`
  const who = `${busy} ${describeProcess(holder)} ${describeMachine(holder, self)}. Wait until it has ended, or stop that process`
  if (livenessOf(holder, self) === 'exists') return `${who}.`
  return `${who}; if it is gone, the lease of the run expires at ${lease_until.slice(11, 19)} UTC.`
}

/** The error for a run that is not the first of the queue. */
function queuedError(
  queue: readonly WaitingRun[],
  { channel, kind, ticket }: { channel: string; kind: string; ticket: string | undefined },
  self: Holder,
): RunBusyError {
  const own = queue.findIndex((waiting) => waiting.ticket === ticket)
  const ahead = own === -1 ? queue : queue.slice(0, own)
  const { holder, since } = ahead[0] as WaitingRun
  const by = describeProcess(holder)
  return new RunBusyError(
    `Another command is next in the queue for a ${kind} run of ${channel}: ${by} ${describeMachine(holder, self)}, waiting since ` +
      `${secondOf(since)}. Wait until its run has ended.`,
    { byHand: ahead.some(({ byHand }) => byHand), by, startedAt: null },
  )
}

const secondOf = (timestamp: string) => `${timestamp.slice(0, 19).replace('T', ' ')} UTC`

/**
 * Keeps a run from being taken over until the transaction ends.
 * @throws RunLostError if another process has taken it over
 */
export async function assertLive(tx: Transaction, { id, channel }: { id: number; channel?: string }): Promise<void> {
  const isOfChannel = channel === undefined ? '' : 'and channel = @channel'
  const row = await tx.get(
    `select id from runs where id = @id ${isOfChannel} and finished_at is null ${tx.dialect.shareLock}`,
    { id, ...(channel !== undefined && { channel }) },
  )
  if (!row) throw takenOverError(id)
}

const takenOverError = (id: number) => new RunLostError(`Run ${id} was taken over by another process.`)

/** @returns false if its process has renewed or finished the run since it was read */
async function markInterrupted(tx: Transaction, { id, lease_until }: RunRow, now: Date): Promise<boolean> {
  const changed = await tx.run(
    `update runs set outcome = 'interrupted', finished_at = @at, error = @error
    where id = @id and finished_at is null and lease_until = @seen`,
    { at: now.toISOString(), error: 'the process ended before the run was finished', id, seen: lease_until },
  )
  return changed === 1
}

/** Whether the process of a run still works on it. The times of the lease count only if the process is not known to exist or to be gone. */
function isRunAlive(
  row: RunRow,
  self: Holder,
  { now, isActive, isUnrenewed }: { now: Date; isActive: boolean; isUnrenewed: (row: RunRow) => boolean },
): boolean {
  const holder = JSON.parse(row.holder) as RunHolder
  // Otherwise the database was unavailable when this process began or ended it.
  if (holder.nonce === self.nonce) return isActive
  const liveness = livenessOf(holder, self)
  if (liveness === 'gone') return false
  const leftMs = Date.parse(row.lease_until) - now.getTime()
  if (leftMs >= 0 && leftMs <= LEASE_MS + MAX_CLOCK_DIFFERENCE_MS) return true
  if (leftMs < 0 && liveness === 'unknown') return false
  // The process exists but its lease has expired, or the lease ends too late: a clock was set.
  return !isUnrenewed(row)
}

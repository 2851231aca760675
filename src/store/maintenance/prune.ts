import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { PruneReport, Pruning } from '../contract.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { type PacedWrite, pacedWrites } from './paced-writes.js'

/** The newest runs of each channel and kind are never folded. */
const MIN_SINGLE_RUNS = 100
/** Runs read before yielding to the event loop. */
const RUNS_PER_STEP = 500
/** Runs folded in one transaction, so that polls do not wait long. */
const RUNS_PER_TRANSACTION = 250
/** The size of a row without its texts, including its index entry. */
const ROW_OVERHEAD_BYTES = 60

const isReferenced = (table: string) => `exists (select 1 from ${table} where run_id = r.id)`
/** A condition: the run has ended, found nothing new, and nothing refers to it. */
const IDLE = `r.finished_at is not null and r.inserted = 0 and r.changed = 0 and r.missing = 0 and r.suspicious = 0
  and not (${['versions', 'absences', 'close_decisions', 'close_intents'].map(isReferenced).join(' or ')})`
const BYTES = `length(r.channel || r.kind || r.started_at || r.lease_until || r.holder || coalesce(r.finished_at, '')
  || coalesce(r.outcome, '') || coalesce(r.error, '')) + ${ROW_OVERHEAD_BYTES}`

interface RunRow {
  id: number
  channel: string
  kind: string
  outcome: string
  day: string
  /** 1 if the run may be folded. */
  idle: number
  bytes: number
}

/** The row into which a group of runs is folded; the other values are sums. */
interface Totals extends Record<string, string | number | null> {
  folded: number
  /** Of the newest run. */
  id: number
}

/** Idle runs of one day, channel, kind and outcome, oldest first. */
type Group = RunRow[]

/**
 * Folds idle runs into one row per day, channel, kind and outcome, and deletes approval plans that expired and old events.
 * Never changes versions, absences, decisions, intents, or a run that one of them refers to. Uses short transactions with pauses between
 * them, so that other processes can write. If it is interrupted, the finished part is kept.
 */
export function createPruning(database: SqlDatabase): Pruning {
  return {
    async prune({ foldRunsBefore, dropPlansBefore, dropEventsBefore, dryRun = false, signal }) {
      const none = { rows: 0, bytes: 0 }
      const write = pacedWrites(database)
      const report: PruneReport = { runs: { ...none }, plans: none, events: none }
      for (const group of foldRunsBefore === null ? [] : await idleGroups(database, foldRunsBefore, signal)) {
        for (let start = 0; start < group.length - 1; start += RUNS_PER_TRANSACTION - 1) {
          signal?.throwIfAborted()
          const part = group.slice(start, start + RUNS_PER_TRANSACTION)
          const folded = dryRun ? part.length - 1 : await write((tx) => foldRuns(tx, part))
          report.runs.rows += folded
          report.runs.bytes += folded * averageBytes(part)
        }
        await yieldToEventLoop()
      }
      if (dropPlansBefore !== null) report.plans = await dropPlans(database, dropPlansBefore.toISOString(), dryRun)
      if (dropEventsBefore !== null)
        report.events = await dropEvents(database, dropEventsBefore.toISOString(), { write, dryRun, signal })
      report.runs.bytes = Math.round(report.runs.bytes)
      return report
    },
  }
}

const averageBytes = (rows: readonly RunRow[]) => rows.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length

/** The groups with more than one run, ordered by their first run. */
async function idleGroups(database: SqlDatabase, before: Date, signal: AbortSignal | undefined): Promise<Group[]> {
  const groups = new Map<string, Group>()
  const single = await singleRuns(database)
  const cutOff = startOfDay(before)
  for (let after = 0; ; ) {
    signal?.throwIfAborted()
    const rows = await database.all<RunRow & { old: number }>(
      `select r.id, r.channel, r.kind, r.outcome, substr(r.started_at, 1, 10) as day,
        case when r.started_at < @cutOff and ${IDLE} then 1 else 0 end as idle,
        case when r.started_at < @cutOff then ${BYTES} else 0 end as bytes,
        case when r.started_at < @cutOff then 1 else 0 end as old
      from runs r where r.id > @after order by r.id limit ${RUNS_PER_STEP}`,
      { after, cutOff },
    )
    for (const row of rows) {
      if (row.idle === 0 || row.id >= (single.get(`${row.kind} ${row.channel}`) ?? 0)) continue
      const key = JSON.stringify([row.channel, row.kind, row.outcome, row.day])
      const group = groups.get(key)
      if (group) group.push(row)
      else groups.set(key, [row])
    }
    // Runs are numbered in the order in which they began.
    if (rows.length < RUNS_PER_STEP || rows.every(({ old }) => old === 0)) break
    after = rows.at(-1)?.id ?? after
    await yieldToEventLoop()
  }
  return [...groups.values()].filter((group) => group.length > 1)
}

const startOfDay = (moment: Date) => `${moment.toISOString().slice(0, 10)}T00:00:00.000Z`

/** The channels that have runs, found by one index lookup each. */
const CHANNELS_OF_RUNS = `
with recursive names (channel) as (
  select min(channel) from runs
  union all
  select (select min(channel) from runs where channel > names.channel) from names where channel is not null
)
select channel from names where channel is not null`

/** For each kind and channel, the id from which runs are not folded, because readiness reads the newest runs. */
async function singleRuns(database: SqlDatabase): Promise<Map<string, number>> {
  const newest = new Map<string, number>()
  for (const { channel } of await database.all<{ channel: string }>(CHANNELS_OF_RUNS)) {
    for (const kind of ['listings', 'rfqs', 'close']) {
      const row = await database.get<{ id: number }>(
        `select id from runs where channel = @channel and kind = @kind
        order by id desc limit 1 offset ${MIN_SINGLE_RUNS - 1}`,
        { channel, kind },
      )
      newest.set(`${kind} ${channel}`, row?.id ?? 0)
    }
  }
  return newest
}

/**
 * Folds runs into the newest of them. Skips runs that another process has folded in the meantime.
 * @returns how many rows were removed
 */
async function foldRuns(tx: Transaction, group: Group): Promise<number> {
  await tx.lock('folding of runs')
  const ids = group.map(({ id }) => id)
  const idle = `${tx.dialect.anyOf('r.id', '@ids')} and ${IDLE}`
  const totals = await tx.get<Totals>(
    `select count(*) as folded, max(r.id) as id, min(r.started_at) as "startedAt",
      max(r.finished_at) as "finishedAt", sum(r.requests) as requests, sum(r.seen) as seen,
      sum(r.unchanged) as unchanged, sum(r.invalid) as invalid, sum(r.failed_items) as "failedItems",
      sum(r.times) as times, sum(r.postponed) as postponed
    from runs r where ${idle}`,
    { ids },
  )
  if (!totals || totals.folded < 2) return 0
  await tx.run(`delete from runs as r where ${idle} and r.id <> @id`, { ids, id: totals.id })
  await tx.run(
    `update runs set started_at = @startedAt, finished_at = @finishedAt, requests = @requests, seen = @seen,
      unchanged = @unchanged, invalid = @invalid, failed_items = @failedItems, times = @times,
      postponed = @postponed, holder = '{}'
    where id = @id`,
    totals,
  )
  return totals.folded - 1
}

/** Deletes plans that expired before a moment. */
async function dropPlans(database: SqlDatabase, before: string, dryRun: boolean): Promise<PruneReport['plans']> {
  const found = (await database.get<PruneReport['plans']>(
    `select count(*) as rows, coalesce(sum(length(plan_id || channel || rfq_ids) + ${ROW_OVERHEAD_BYTES}), 0) as bytes
    from approval_plans where expires_at < @before`,
    { before },
  )) as PruneReport['plans']
  if (dryRun || found.rows === 0) return found
  const rows = await database.write((tx) => tx.run('delete from approval_plans where expires_at < @before', { before }))
  return { ...found, rows }
}

/** Events deleted in one transaction. */
const EVENTS_PER_TRANSACTION = 250

/**
 * Events that are kept. Some are written once for an occasion, such as a due date, and would be written again if they were missing. Others are
 * the only record of who stopped or resumed closing.
 */
const KEPT_EVENTS = `(kind in ('rfq.due-soon', 'rfq.overdue', 'channel.behind', 'channel.key-refused',
  'close.stopped', 'close.resumed') or kind = 'close.blocked' and rfq_id is null)`

/** Deletes old events with their deliveries, except KEPT_EVENTS and those that are still to be delivered. */
async function dropEvents(
  database: SqlDatabase,
  before: string,
  { write, dryRun, signal }: { write: PacedWrite; dryRun: boolean; signal: AbortSignal | undefined },
): Promise<PruneReport['events']> {
  const total = { rows: 0, bytes: 0 }
  for (let after = 0; ; ) {
    signal?.throwIfAborted()
    const old = await database.all<{ sequence: number; bytes: number; done: number }>(
      `select sequence, length(id || kind || at || data) + 2 * ${ROW_OVERHEAD_BYTES} as bytes,
        case when not (${KEPT_EVENTS}) and not exists (
          select 1 from deliveries d where d.event_id = e.id and d.state = 'pending') then 1 else 0 end as done
      from events e where sequence > @after and at < @before order by sequence limit ${EVENTS_PER_TRANSACTION}`,
      { after, before },
    )
    const done = old.filter((each) => each.done === 1)
    if (done.length > 0 && !dryRun) await write((tx) => deleteEvents(tx, done))
    total.rows += done.length
    total.bytes += done.reduce((sum, { bytes }) => sum + bytes, 0)
    if (old.length < EVENTS_PER_TRANSACTION) break
    after = old.at(-1)?.sequence ?? after
    await yieldToEventLoop()
  }
  if (!dryRun) await write((tx) => tx.run('delete from recorded_moments where at < @before', { before }))
  return total
}

async function deleteEvents(tx: Transaction, events: readonly { sequence: number }[]): Promise<void> {
  const sequences = events.map(({ sequence }) => sequence)
  // Except events that a user has asked to send again in the meantime.
  const done = `select id from events e where ${tx.dialect.anyOf('sequence', '@sequences')}
    and not exists (select 1 from deliveries d where d.event_id = e.id and d.state = 'pending')`
  await tx.run(`delete from deliveries where event_id in (${done})`, { sequences })
  const deleted = await tx.all<{ sequence: number }>(`delete from events where id in (${done}) returning sequence`, {
    sequences,
  })
  await tx.run(`update counters set value = @newest where name = 'pruned events' and value < @newest`, {
    newest: Math.max(0, ...deleted.map(({ sequence }) => sequence)),
  })
}

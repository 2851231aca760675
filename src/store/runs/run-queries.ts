import type { RunKind, RunRecord } from '../../core/records.js'
import type { RunQueries } from '../contract.js'
import { fromStoredText } from '../documents/stored-text.js'
import { allOf, type Queries } from '../sql/sql-database.js'

/** A row of `runs`. */
export interface RunRow {
  id: number
  channel: string
  kind: RunKind
  started_at: string
  finished_at: string | null
  outcome: RunRecord['outcome']
  requests: number
  seen: number
  inserted: number
  changed: number
  unchanged: number
  missing: number
  invalid: number
  error: string | null
  cause: string | null
  stop_code: NonNullable<RunRecord['stop']>['code'] | null
  stop_clocks: string | null
  suspicious: number | null
  failed_items: number | null
  not_before: string | null
  holder: string
  heartbeat: number
  postponed: number
  allowed_rate: number | null
  required_rate: number | null
}

export const toRunRecord = (row: RunRow): RunRecord => ({
  id: row.id,
  channel: row.channel,
  kind: row.kind,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  outcome: row.outcome,
  requests: row.requests,
  seen: row.seen,
  inserted: row.inserted,
  changed: row.changed,
  unchanged: row.unchanged,
  missing: row.missing,
  invalid: row.invalid,
  error: row.error === null ? null : fromStoredText(row.error),
  cause: row.cause === null ? null : fromStoredText(row.cause),
  stop: row.stop_code === null ? null : { code: row.stop_code, clocks: row.stop_clocks },
  suspicious: row.suspicious === 1,
  failedItems: row.failed_items,
  notBefore: row.not_before,
  postponed: row.postponed,
  requestRates: toRequestRates(row),
})

const toRequestRates = (row: RunRow): RunRecord['requestRates'] =>
  row.allowed_rate === null || row.required_rate === null
    ? null
    : { allowed: row.allowed_rate, required: row.required_rate }

/** SQL condition: a run counts as complete. */
const COUNTS_AS_COMPLETE = `(outcome = 'complete' or outcome = 'partial' and failed_items > 0 and failed_items < seen
  and (failed_items <= 3 or failed_items * 100 <= seen))`

/** Queries of the recorded runs. */
export function createRunQueries(queries: Queries): RunQueries {
  return {
    async runs({ channel, kind, outcome, before, limit }) {
      const where = allOf(
        channel !== undefined && 'channel = @channel',
        kind !== undefined && 'kind = @kind',
        outcome !== undefined && 'outcome = @outcome',
        before !== undefined && 'id < @before',
      )
      const rows = await queries.all<RunRow>(`select * from runs where ${where} order by id desc limit @limit`, {
        channel: channel ?? null,
        kind: kind ?? null,
        outcome: outcome ?? null,
        before: before ?? null,
        limit: limit ?? 100,
      })
      return rows.map(toRunRecord)
    },
    async newestRun({ channel, kind, outcome, asOf }) {
      const where = allOf(
        'channel = @channel',
        'kind = @kind',
        'finished_at is not null',
        outcome !== undefined && 'outcome = @outcome',
        asOf !== undefined && 'finished_at <= @asOf',
      )
      const row = await queries.get<RunRow>(`select * from runs where ${where} order by id desc limit 1`, {
        ...{ channel, kind, outcome: outcome ?? null, asOf: asOf?.toISOString() ?? null },
      })
      return row ? toRunRecord(row) : null
    },
    async newestList(channel) {
      const row = await queries.get<{ id: number; suspicious: number }>(
        `select id, suspicious from runs where channel = @channel and kind <> 'listings' and suspicious is not null
        order by id desc limit 1`,
        { channel },
      )
      return row ? { runId: row.id, isWhole: row.suspicious === 0 } : null
    },
    async newestCompleteRun({ channel, kind, asOf }) {
      const where = allOf(
        'channel = @channel',
        'kind = @kind',
        'finished_at is not null',
        COUNTS_AS_COMPLETE,
        asOf !== undefined && 'finished_at <= @asOf',
      )
      const row = await queries.get<RunRow>(`select * from runs where ${where} order by id desc limit 1`, {
        ...{ channel, kind, asOf: asOf?.toISOString() ?? null },
      })
      return row ? toRunRecord(row) : null
    },
    async hadCompleteRun({ channel, kind, asOf }) {
      const row = await queries.get<{ id: number }>(
        `select id from runs where channel = @channel and kind = @kind and finished_at is not null and ${COUNTS_AS_COMPLETE}
          and finished_at <= @asOf order by id limit 1`,
        { channel, kind, asOf: asOf.toISOString() },
      )
      return row !== undefined
    },
    async firstPollAt({ channel, kind }) {
      // Documents are included because a poll that failed may have stored some.
      const ofChannel = channel !== undefined && 'channel = @channel'
      const ofKind = kind !== undefined && (kind === 'listings' ? `kind = 'listing'` : `kind <> 'listing'`)
      const first = await queries.get<{ at: string | null }>(
        `with polls as (
          select started_at, outcome from runs
          where ${allOf(`kind <> 'close'`, ofChannel, kind !== undefined && 'kind = @kind')}
        ), known as (
          select min(started_at) as at from polls where outcome is null or outcome <> 'failed'
          union all
          select min(first_observed_at) from documents where ${allOf(ofChannel, ofKind)}
        )
        select coalesce((select min(at) from known), (select min(started_at) from polls)) as at`,
        { channel: channel ?? null, kind: kind ?? null },
      )
      return first?.at ?? null
    },
  }
}

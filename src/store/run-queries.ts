import type { RunKind, RunRecord } from '../domain/records.js'
import type { Connection } from './connection.js'
import type { RunQueries } from './contract.js'
import { fromStoredText } from './stored-text.js'

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
  suspicious: number
  failed_items: number | null
  not_before: string | null
  holder: string
  lease_until: string
  times: number
  postponed: number
  allowed_rate: number | null
  required_rate: number | null
  expected_age_minutes: number | null
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
  suspicious: row.suspicious === 1,
  failedItems: row.failed_items,
  notBefore: row.not_before,
  times: row.times,
  postponed: row.postponed,
  requestRates: toRequestRates(row),
})

const toRequestRates = (row: RunRow): RunRecord['requestRates'] =>
  row.allowed_rate === null || row.required_rate === null || row.expected_age_minutes === null
    ? null
    : { allowed: row.allowed_rate, required: row.required_rate, ageMinutes: row.expected_age_minutes }

/** Queries of the recorded runs. */
export function createRunQueries(connection: Connection): RunQueries {
  return {
    async runs({ channel, kind, outcome, before, limit }) {
      const rows = connection.read((db) =>
        db
          .prepare(
            `select * from runs where (@channel is null or channel = @channel) and (@kind is null or kind = @kind)
              and (@outcome is null or outcome = @outcome) and (@before is null or id < @before)
            order by id desc limit @limit`,
          )
          .all({
            channel: channel ?? null,
            kind: kind ?? null,
            outcome: outcome ?? null,
            before: before ?? null,
            limit: limit ?? 100,
          }),
      )
      return (rows as RunRow[]).map(toRunRecord)
    },
    async newestRun({ channel, kind, outcome, asOf }) {
      const row = connection.read((db) =>
        db
          .prepare(
            `select * from runs where channel = @channel and kind = @kind and finished_at is not null
              and (@outcome is null or outcome = @outcome) and (@asOf is null or finished_at <= @asOf)
            order by id desc limit 1`,
          )
          .get({ channel, kind, outcome: outcome ?? null, asOf: asOf?.toISOString() ?? null }),
      )
      return row ? toRunRecord(row as RunRow) : null
    },
    async firstPollAt({ channel, kind }) {
      // Documents are included because a poll that failed may have stored some.
      const first = connection.read((db) =>
        db
          .prepare(
            `with polls as (
              select started_at, outcome from runs where kind <> 'close'
                and (@channel is null or channel = @channel) and (@kind is null or kind = @kind)
            ), known as (
              select min(started_at) as at from polls where outcome is not 'failed'
              union all
              select min(first_observed_at) from entities where (@channel is null or channel = @channel)
                and (@kind is null or (kind = 'listing') = (@kind = 'listings'))
            )
            select coalesce((select min(at) from known), (select min(started_at) from polls))`,
          )
          .pluck()
          .get({ channel: channel ?? null, kind: kind ?? null }),
      )
      return (first as string | null | undefined) ?? null
    },
  }
}

import type { RunKind, RunRecord } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import { allOf, matching, membersOf, type Queries, type SqlParameters } from '../sql/sql-database.js'
import type { PollKind } from './run-contract.js'

/** A row of `runs`, with the names of members. */
export interface RunRow extends Omit<RunRecord, 'stop' | 'suspicious' | 'requestRates'> {
  stop: string | null
  suspicious: number | null
  requestRates: string | null
  holder: string
  heartbeat: number
}

/** The columns of a `RunRow`. */
export const RUN = membersOf(
  ...['id', 'channel', 'kind', 'startedAt', 'finishedAt', 'outcome', 'requests', 'seen', 'inserted', 'changed'],
  ...['unchanged', 'missing', 'invalid', 'error', 'cause', 'stop', 'suspicious', 'failedItems', 'notBefore'],
  ...['postponed', 'requestRates', 'holder', 'heartbeat'],
)

export const toRunRecord = ({ holder, heartbeat, ...run }: RunRow): RunRecord => ({
  ...run,
  stop: run.stop === null ? null : JSON.parse(run.stop),
  suspicious: run.suspicious === 1,
  requestRates: run.requestRates === null ? null : JSON.parse(run.requestRates),
})

/**
 * SQL condition: a run counts as complete, because at most three documents, or one in a hundred, failed. Otherwise a single RFQ that always
 * fails would keep the service permanently unready.
 */
const COUNTS_AS_COMPLETE = `(outcome = 'complete' or outcome = 'partial' and failed_items > 0 and failed_items < seen
  and (failed_items <= 3 or failed_items * 100 <= seen))`

/** Queries of the recorded runs. */
export function createRunQueries(queries: Queries) {
  const find = async (where: string, parameters: SqlParameters): Promise<RunRecord[]> =>
    (await queries.all<RunRow>(`select ${RUN} from runs where ${where}`, parameters)).map(toRunRecord)

  return {
    /** Newest first. */
    runs: ({ limit = 100, ...filter }: { channel?: string; kind?: RunKind; limit?: number }): Promise<RunRecord[]> =>
      find(`${matching(filter)} order by id desc limit @limit`, { ...filter, limit }),

    /** The newest finished run of a channel and kind, or of those that a condition holds for. */
    async newestRun({
      asOf,
      isPlanned = false,
      isComplete = false,
      hasList = false,
      ...filter
    }: {
      channel: string
      kind?: RunKind
      asOf?: Date | undefined
      /** It planned its requests. */
      isPlanned?: boolean
      isComplete?: boolean
      /** It read the list of the RFQs. */
      hasList?: boolean
    }): Promise<RunRecord | null> {
      const where = allOf(
        matching(filter),
        'finished_at is not null',
        asOf !== undefined && 'finished_at <= @asOf',
        isPlanned && 'request_rates is not null',
        isComplete && COUNTS_AS_COMPLETE,
        hasList && `kind <> 'listings' and suspicious is not null`,
      )
      const parameters = { ...filter, asOf: asOf?.toISOString() }
      return (await find(`${where} order by id desc limit 1`, parameters))[0] ?? null
    },

    /**
     * When the first poll that did not fail began, or the first poll if all failed. Nothing is known about earlier moments. Null if there was
     * no poll.
     */
    async firstPollAt(filter: { channel?: string; kind?: PollKind }): Promise<Timestamp | null> {
      const first = await queries.get<{ at: string | null }>(
        `select coalesce(min(case when outcome = 'failed' then null else started_at end), min(started_at)) as at from runs
        where kind <> 'close' and ${matching(filter)}`,
        filter,
      )
      return first?.at ?? null
    },
  }
}

import type { ListedDecision } from '../src/core/records.js'
import type { Clock } from '../src/core/time/clock.js'
import type { Store } from '../src/store/contract.js'
import type { JobRunner, Log } from './contract.js'
import { jobId } from './job-id.js'
import { requesterOf } from './report-record.js'

interface OwedReportsDeps {
  enqueue: JobRunner['enqueue']
  log: Log
  store: Pick<Store, 'closedSince' | 'reportedRfqs'>
  now: Clock
}

const CAUSE = 'close'
/** How long after a close its report is still made, if it was lost. */
const OWED_MS = 24 * 3_600_000
/** After this time, a report that was asked for is asked for again, and then once an hour. */
const LOST_AFTER_MS = 10 * 60_000
const HOUR_MS = 3_600_000

/**
 * Enqueues a report for each RFQ of a channel that was closed and has none, also if an earlier round was stopped before it enqueued
 * one, the queue has lost it, or it failed. A failure is only logged, because the closing itself succeeded: the next round tries again.
 */
export async function enqueueOwedReports(deps: OwedReportsDeps, channel: string): Promise<void> {
  const warn = (facts: object, error: unknown) =>
    deps.log.warn(
      { channel, ...facts, err: error },
      'cannot enqueue the report on a closed RFQ; the next closing round tries again',
    )
  const at = deps.now()
  const owed = await owedReports(deps.store, channel, at).catch((error: unknown) => warn({}, error))
  for (const { rfqId, decidedAt, runId } of owed ?? []) {
    const payload = { channel, rfqId, cause: CAUSE }
    const isLost = at.getTime() - Date.parse(decidedAt) > LOST_AFTER_MS
    const askedAt = isLost ? new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS) : new Date(decidedAt)
    try {
      await deps.enqueue('rfq-report', payload, jobId('rfq-report', payload, askedAt))
    } catch (error) {
      warn({ run: runId, rfq: rfqId }, error)
    }
  }
}

/** The closes since whose time the RFQ has no report, the oldest first. */
async function owedReports(store: OwedReportsDeps['store'], channel: string, at: Date): Promise<ListedDecision[]> {
  const since = new Date(at.getTime() - OWED_MS)
  const reported = await store.reportedRfqs({ channel, madeBy: requesterOf({ cause: CAUSE }), since })
  const reportedAt = new Map(reported.map(({ rfqId, madeAt }) => [rfqId, madeAt]))
  const closed = await store.closedSince({ channel, since })
  return closed.filter(({ rfqId, decidedAt }) => (reportedAt.get(rfqId) ?? '') < decidedAt)
}

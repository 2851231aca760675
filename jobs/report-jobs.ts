import type { DecisionRecord } from '../src/core/records.js'
import type { Clock } from '../src/core/time/clock.js'
import type { Store } from '../src/store/contract.js'
import type { JobObserver, JobPayload, JobRunner, Log } from './contract.js'
import { isScheduled } from './job-payload.js'

interface MissingReportsDeps {
  enqueue: JobRunner['enqueue']
  log: Log
  store: Pick<Store, 'closedSince' | 'reportedRfqs'>
  now: Clock
}

const CAUSE = 'close'
/** How long after a close a missing report is still made. */
const MAX_AGE_MS = 7 * 24 * 3_600_000

/**
 * Enqueues a report for each RFQ of a channel that was closed and has none, because an earlier round was stopped before it enqueued one,
 * the queue lost it, or it failed. A failure is only logged, because the closing itself succeeded; the next round retries.
 */
export async function enqueueMissingReports(deps: MissingReportsDeps, channel: string): Promise<void> {
  const warn = (facts: object, error: unknown) =>
    deps.log.warn(
      { channel, ...facts, err: error },
      'cannot enqueue the report on a closed RFQ; the next closing round retries',
    )
  const at = deps.now()
  const missing = await missingReports(deps.store, channel, at).catch((error: unknown) => warn({}, error))
  for (const { rfqId, runId } of missing ?? []) {
    try {
      await deps.enqueue('rfq-report', { channel, rfqId, cause: CAUSE })
    } catch (error) {
      warn({ run: runId, rfq: rfqId }, error)
    }
  }
}

/** Closes of RFQs that have no report made since, oldest first. */
async function missingReports(
  store: MissingReportsDeps['store'],
  channel: string,
  at: Date,
): Promise<DecisionRecord[]> {
  const since = new Date(at.getTime() - MAX_AGE_MS)
  const reported = await store.reportedRfqs({ channel, madeBy: requesterOf({ cause: CAUSE }), since })
  const reportedAt = new Map(reported.map(({ rfqId, madeAt }) => [rfqId, madeAt]))
  const closed = await store.closedSince({ channel, since })
  return closed.filter(({ rfqId, decidedAt }) => (reportedAt.get(rfqId) ?? '') < decidedAt)
}

/** The author of a report as shown in it: the user who requested it, or what caused it. */
export function requesterOf(payload: Pick<JobPayload, 'cause'>): string {
  const { cause } = payload
  if (isScheduled(payload)) return 'schedule'
  if (cause === 'close') return 'closing round'
  return cause.replace(/^(api|page) /, '')
}

interface ReportRecordDeps {
  store: Pick<Store, 'recordEvents'>
  now: Clock
  log: Pick<Log, 'warn'>
}

/** Records the event of a report. A failure is only logged, because the report was written. */
export async function recordReport(
  { store, now, log }: ReportRecordDeps,
  { channel, rfqId }: { channel: string; rfqId?: string | undefined },
  report: { name: string; by: string },
): Promise<void> {
  try {
    const about = { channel, ...(rfqId !== undefined && { rfqId }) }
    await store.recordEvents([{ kind: 'report.made', at: now(), ...about, data: { report } }])
  } catch (error) {
    log.warn({ channel, file: report.name, err: error }, 'cannot record that the report was written')
  }
}

/** Reports to the observer how long a report took, and whether it succeeded. */
export async function observeReport<T>(
  observer: Pick<JobObserver, 'reportEnded'> | undefined,
  report: 'rfq' | 'channel',
  make: () => Promise<T>,
): Promise<T> {
  const started = performance.now()
  let succeeded = false
  try {
    const made = await make()
    succeeded = true
    return made
  } finally {
    observer?.reportEnded({ report, seconds: (performance.now() - started) / 1_000, succeeded })
  }
}

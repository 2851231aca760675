import type { Clock } from '../src/domain/clock.js'
import type { ListedDecision } from '../src/domain/records.js'
import type { Store } from '../src/store/contract.js'
import type { JobRunner, Log } from './contract.js'
import { jobId } from './job-id.js'
import { requesterOf } from './report-record.js'

interface OwedReportsDeps {
  enqueue: JobRunner['enqueue']
  log: Log
  store: Pick<Store, 'listDecisions' | 'reportedRfqs'>
  now: Clock
}

const CAUSE = 'close'
/** How long after a close its report is still made, if it was lost. */
const OWED_MS = 24 * 3_600_000
/** After this time, a report that was asked for is asked for again, and then once an hour. */
const LOST_AFTER_MS = 10 * 60_000
const HOUR_MS = 3_600_000
/** Closes of a channel that are looked at, the newest of each outcome. */
const MAX_CLOSES = 500

/**
 * Enqueues a report for each RFQ of a channel that was closed and has none, also if an earlier round was stopped before it enqueued
 * one, the queue has lost it, or it failed. A failure is only logged, because the closing itself succeeded: the next round tries again.
 */
export async function enqueueOwedReports(
  { enqueue, log, store, now }: OwedReportsDeps,
  channel: string,
): Promise<void> {
  const at = now()
  const since = new Date(at.getTime() - OWED_MS)
  const reported = await store.reportedRfqs({ channel, madeBy: requesterOf({ cause: CAUSE }), since })
  const reportedAt = new Map(reported.map(({ rfqId, madeAt }) => [rfqId, madeAt]))
  for (const { rfqId, decidedAt, runId } of await closedSince(store, channel, since)) {
    if ((reportedAt.get(rfqId) ?? '') >= decidedAt) continue
    const payload = { channel, rfqId, cause: CAUSE }
    const isLost = at.getTime() - Date.parse(decidedAt) > LOST_AFTER_MS
    const askedAt = isLost ? new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS) : new Date(decidedAt)
    try {
      await enqueue('rfq-report', payload, jobId('rfq-report', payload, askedAt))
    } catch (error) {
      const facts = { run: runId, channel, rfq: rfqId, err: error }
      log.warn(facts, 'cannot enqueue the report on a closed RFQ; the next closing round tries again')
    }
  }
}

/** The oldest first, one of each RFQ. */
async function closedSince(store: OwedReportsDeps['store'], channel: string, since: Date): Promise<ListedDecision[]> {
  const list = async (outcome: 'closed' | 'already-closed') =>
    (await store.listDecisions({ channel, outcome, from: 0, to: MAX_CLOSES })).rows
  const found = [...(await list('closed')), ...(await list('already-closed'))]
  const newest = new Map<string, ListedDecision>()
  for (const decision of found.sort((a, b) => a.id - b.id)) {
    if (new Date(decision.decidedAt) >= since) newest.set(decision.rfqId, decision)
  }
  return [...newest.values()]
}

import type { RunKind, RunRecord } from './domain/records.js'
import type { RunQueries } from './store/contract.js'

/** So many RFQs may fail in a poll that otherwise counts as complete: three, or one in a hundred. */
const MAX_FAILED_ITEMS = 3
const MAX_FAILED_SHARE = 0.01

/**
 * Whether a run keeps a poll fresh: it is complete, or it read everything but a few RFQs. Otherwise one RFQ that always
 * fails would hide, by a readiness that is always lost, that the rest of the channel is no longer polled.
 */
export function countsAsComplete({
  outcome,
  failedItems,
  seen,
}: Pick<RunRecord, 'outcome' | 'failedItems' | 'seen'>): boolean {
  if (outcome === 'complete') return true
  if (outcome !== 'partial' || failedItems === null || failedItems === 0) return false
  return failedItems < seen && failedItems <= Math.max(MAX_FAILED_ITEMS, Math.floor(seen * MAX_FAILED_SHARE))
}

type RunStore = Pick<RunQueries, 'runs' | 'newestRun'>

/** How many runs to look through for one that counts as complete although it is partial. */
const MAX_RECENT_RUNS = 50

/** The newest run that counts as complete, of those that had finished by a moment; null if there is none. */
export async function newestCompleteRun(
  store: RunStore,
  { channel, kind, asOf }: { channel: string; kind: RunKind; asOf?: Date | undefined },
): Promise<RunRecord | null> {
  const filter = { channel, kind, ...(asOf && { asOf }) }
  const newest = await store.newestRun(filter)
  if (newest === null || countsAsComplete(newest)) return newest
  const recent = await store.runs({ channel, kind, limit: MAX_RECENT_RUNS })
  const found = recent.find((run) => hasFinished(run.finishedAt, asOf) && countsAsComplete(run))
  return found ?? (await store.newestRun({ ...filter, outcome: 'complete' }))
}

/** More than a month of polls; older ones that found nothing are folded. */
const MAX_RUNS = 10_000

/** Whether a poll that counts as complete had finished by a moment. */
export async function hadCompletePoll(
  store: RunStore,
  { channel, kind, asOf }: { channel: string; kind: RunKind; asOf: Date },
): Promise<boolean> {
  if ((await store.newestRun({ channel, kind, outcome: 'complete', asOf })) !== null) return true
  const runs = await store.runs({ channel, kind, limit: MAX_RUNS })
  // Of runs of a day that were folded into one, the first finished soon after the start.
  return runs.some((run) => hasFinished(run.times > 1 ? run.startedAt : run.finishedAt, asOf) && countsAsComplete(run))
}

const hasFinished = (finishedAt: string | null, asOf: Date | undefined): boolean =>
  finishedAt !== null && (asOf === undefined || new Date(finishedAt) <= asOf)

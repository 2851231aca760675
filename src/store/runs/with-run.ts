import { channelKey } from '../../core/channel.js'
import type { RunKind, RunRecord } from '../../core/records.js'
import { ageOf, type Clock, type Timestamp } from '../../core/time/clock.js'
import type { ChannelSession } from '../../marketplace/contract.js'
import { AbortedError, ChannelError, MarketplaceError, PausedError } from '../../marketplace/errors.js'
import type { RunEnd, RunHandle, RunStart, Store } from '../contract.js'

/** A failure that concerns one RFQ only. */
export interface ItemFailure {
  /** `RFQ 1234`, as shown to people. */
  id: string
  message: string
}

/** What a run has done so far, updated as the work proceeds, so that an error loses nothing. */
export interface RunProgress
  extends Omit<RunEnd, 'requests' | 'outcome' | 'error' | 'cause' | 'failedItems' | 'notBefore' | 'keyRefused'> {
  failures: ItemFailure[]
  /** Something was recorded, confirmed or decided, so that an error makes the run partial, not failed. */
  madeProgress: boolean
  /** Why the run is partial although nothing failed, or null. */
  incomplete: string | null
  /** The RFQs that a closing round leaves to a person, as a sentence, or null: the run is partial. */
  needsAttention: string | null
}

export interface RunContext extends Pick<RunStart, 'timeZone' | 'byHand' | 'signal' | 'onWait'> {
  session: Pick<ChannelSession, 'channel' | 'requests'>
  store: Pick<Store, 'beginRun'>
  now: Clock
}

/** How many failures the error of a run names; the others are counted. */
const MAX_NAMED_FAILURES = 5

/**
 * Begins a run, does its work and records the outcome: complete, partial (some work was done) or failed (none was).
 * A MarketplaceError ends the run but is not thrown; its message is in the record. The same for the reason of the signal.
 * @throws RunBusyError while another run of this kind is in progress; RunLostError when another process took this run over;
 *   any other error of the work that is not a MarketplaceError, after recording it as the end of the run
 */
export async function withRun(
  context: RunContext,
  kind: RunKind,
  work: (run: RunHandle, progress: RunProgress) => Promise<void>,
): Promise<{ run: RunRecord; failures: ItemFailure[] }> {
  const { session, store, now, timeZone, byHand, signal, onWait } = context
  const channel = channelKey(session.channel)
  const run = await store.beginRun({ channel, kind, now: now(), timeZone, byHand, signal, onWait })
  const progress = newProgress()
  let error: Error | null = null
  try {
    await work(run, progress)
  } catch (thrown) {
    error = signal?.aborted && thrown === signal.reason ? new AbortedError(signal.reason.message) : (thrown as Error)
  }
  if (run.lost.aborted) throw run.lost.reason
  const finished = run.finish(runEnd(context, progress, error), now())
  if (error && !(error instanceof MarketplaceError)) {
    await finished.catch(() => undefined) // The database may have failed; the first error says more.
    throw error
  }
  return { run: await finished, failures: progress.failures }
}

/**
 * Until when no run of this kind may begin because the marketplace asked for a pause (Retry-After) that is longer than a run may
 * wait. A run that ended in the future is ignored, because its clock was wrong; the rate limiter has the true pause.
 * @returns null if a run may begin now
 */
export async function pausedUntil(
  store: Pick<Store, 'newestRun'>,
  { channel, kind }: { channel: string; kind: RunKind },
  now: Date,
): Promise<Timestamp | null> {
  const newest = await store.newestRun({ channel, kind })
  if (!newest?.notBefore || (newest.finishedAt !== null && ageOf(newest.finishedAt, now) === Number.POSITIVE_INFINITY))
    return null
  return new Date(newest.notBefore) > now ? newest.notBefore : null
}

/** The progress of a run that has done nothing yet. */
const newProgress = (): RunProgress => ({
  ...{ seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0, postponed: 0 },
  ...{ stop: null, suspicious: null, requestRates: null },
  failures: [],
  madeProgress: false,
  incomplete: null,
  needsAttention: null,
})

function runEnd({ session }: RunContext, progress: RunProgress, error: Error | null): RunEnd {
  const { failures, madeProgress, incomplete, needsAttention, ...found } = progress
  const interrupted = error instanceof PausedError || error instanceof AbortedError
  const isCut = error !== null || incomplete !== null || needsAttention !== null
  const failed = error !== null && !madeProgress && !interrupted
  return {
    ...found,
    requests: session.requests,
    outcome: failed ? 'failed' : isCut || failures.length > 0 ? 'partial' : 'complete',
    error: describeEnd(progress, error),
    cause: describeEnd({ ...progress, needsAttention: null }, error),
    failedItems: isCut ? null : failures.length,
    notBefore: error instanceof PausedError ? error.until.toISOString() : null,
    keyRefused: error instanceof ChannelError && (error.status === 401 || error.status === 403),
  }
}

function describeEnd({ incomplete, needsAttention, failures }: RunProgress, error: Error | null): string | null {
  const named = failures.slice(0, MAX_NAMED_FAILURES).map(({ id, message }) => `${id}: ${message}`)
  const unnamed = failures.length - named.length
  const parts = [incomplete, needsAttention, error?.message, ...named, unnamed > 0 ? `(and ${unnamed} more)` : null]
  return parts.filter((part) => part != null).join(' ') || null
}

import { AbortedError, MarketplaceError, PausedError } from '../marketplace/errors.js'
import type { RunCounts, RunHandle, RunKind } from '../store/contract.js'
import type { PollContext, PollResult } from './contract.js'

/** What a poll counts while it goes on. */
export interface Tally {
  counts: Omit<RunCounts, 'requests'>
  failures: PollResult['failures']
  changes: PollResult['changes']
  /** Something of the channel was kept or confirmed: a failure after it makes the run partial, not failed. */
  something: boolean
  suspicious: string | null
}

/**
 * Begins a run, does its work, and ends it with the truth: complete, partial (some of it came) or failed (nothing did).
 * @throws RunBusyError, RunLostError and whatever is no MarketplaceError; the run is then left to its lease or failed
 */
export async function conduct(
  context: PollContext,
  kind: RunKind,
  work: (run: RunHandle, tally: Tally) => Promise<void>,
): Promise<PollResult> {
  const { org, channel } = context.session.channel
  const run = await context.store.beginRun({ channel: `${org}/${channel}`, kind, now: context.now() })
  const tally = newTally()
  let stopped: Error | null = null
  try {
    await work(run, tally)
  } catch (error) {
    stopped = error as Error
  }
  if (run.lost.aborted) throw run.lost.reason
  const ended = run.finish(verdict(context, tally, stopped), context.now())
  if (stopped && !(stopped instanceof MarketplaceError)) {
    await ended.catch(() => undefined) // The database itself may be what failed; the first error says why.
    throw stopped
  }
  const record = await ended
  return { run: record, failures: tally.failures, changes: tally.changes }
}

function newTally(): Tally {
  return {
    counts: { seen: 0, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 },
    failures: [],
    changes: [],
    something: false,
    suspicious: null,
  }
}

function verdict(context: PollContext, tally: Tally, stopped: Error | null) {
  const paused = stopped instanceof PausedError ? stopped : null
  const failed = stopped !== null && !tally.something && !paused && !(stopped instanceof AbortedError)
  const partial = stopped !== null || tally.failures.length > 0 || tally.suspicious !== null
  return {
    ...tally.counts,
    requests: context.session.requests,
    outcome: failed ? ('failed' as const) : partial ? ('partial' as const) : ('complete' as const),
    error: explainEnd(tally, stopped),
    suspicious: tally.suspicious !== null,
    notBefore: paused?.until ?? null,
  }
}

function explainEnd(tally: Tally, stopped: Error | null): string | null {
  const parts = [tally.suspicious, stopped?.message ?? null]
  const [first, ...more] = tally.failures
  if (first) parts.push(`${first.id}: ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`)
  return parts.filter((part) => part !== null).join(' ') || null
}

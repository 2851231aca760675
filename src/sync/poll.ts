import type { ChannelRef } from '../core/channel.js'
import type { RunKind } from '../core/records.js'
import type { Clock } from '../core/time/clock.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { RecordedChange, RunHandle } from '../store/contract.js'
import { withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { type ListReading, recordList } from './list.js'

/** One poll in progress. */
export interface Poll extends ListReading {
  context: PollContext
  run: RunHandle
  changes: PollResult['changes']
}

/** Runs a poll and collects what changed. Throws what `withRun` throws. */
export async function runPoll(
  context: PollContext,
  kind: RunKind,
  work: (poll: Poll) => Promise<void>,
): Promise<PollResult> {
  const changes: PollResult['changes'] = []
  const result = await withRun(context, kind, (run, progress) => work({ context, run, progress, changes }))
  return { ...result, changes }
}

/**
 * Polls the listings of a channel with one request, records every listing, and marks those that are no longer listed
 * as missing.
 * @returns the recorded run; an error of the marketplace makes it `failed` and is not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollListings(context: PollContext): Promise<PollResult> {
  return runPoll(context, 'listings', (poll) =>
    poll.run.step(async () => {
      const { progress } = poll
      const { entries, changes } = await recordList(poll, 'listing', await context.session.listListings())
      progress.madeProgress = true
      progress.seen += entries.size
      progress.unchanged += entries.size - changes.filter(({ change }) => change !== 'missing').length
      for (const each of changes) countChange(poll, each)
      for (const { valid } of entries.values()) if (!valid) progress.invalid++
    }),
  )
}

/** Counts one recorded or missing document, and reports it unless it is unchanged. */
export function countChange({ progress, changes }: Poll, { kind, id, change }: RecordedChange): void {
  progress[change]++
  if (change !== 'unchanged') changes.push({ kind: kind === 'rfq-entry' ? 'rfq' : kind, id, change })
}

/** The context of one poll of one channel, with its own session. */
export function pollContext(
  { marketplace, store, now }: { marketplace: Marketplace; store: PollContext['store']; now: Clock },
  channel: ChannelRef & { apiKey: string; timeZone: string },
  signal: AbortSignal,
): PollContext {
  return { session: marketplace.session(channel, { signal }), store, now, timeZone: channel.timeZone, signal }
}

/** The options of an RFQ poll, from the configuration. */
export const pollOptions = (config: {
  history: { recheckClosedHours: number }
  requests: { concurrency: number }
}): PollRfqsOptions => ({
  recheckClosedHours: config.history.recheckClosedHours,
  concurrency: config.requests.concurrency,
})

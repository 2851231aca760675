import type { ChannelRef } from '../core/channel.js'
import type { Clock } from '../core/time/clock.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { RunHandle } from '../store/contract.js'
import { withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { type ListReading, recordList } from './list.js'

/** One poll in progress. */
export interface Poll extends ListReading {
  context: PollContext
  run: RunHandle
}

/**
 * Polls the listings of a channel with one request, records every listing, and marks those that are no longer listed
 * as missing.
 * @returns the recorded run; an error of the marketplace makes it `failed` and is not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollListings(context: PollContext): Promise<PollResult> {
  return withRun(context, 'listings', (run, progress) =>
    run.step(async () => {
      const list = await context.session.listListings()
      const { entries, changes } = await recordList({ context, run, progress }, 'listing', list)
      progress.madeProgress = true
      progress.seen += entries.size
      progress.unchanged += entries.size - changes.filter(({ change }) => change !== 'missing').length
      for (const { change } of changes) progress[change]++
      for (const { valid } of entries.values()) if (!valid) progress.invalid++
    }),
  )
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

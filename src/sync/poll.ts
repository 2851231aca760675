import type { ChannelRef } from '../core/channel.js'
import type { RunKind } from '../core/records.js'
import type { Clock } from '../core/time/clock.js'
import type { Marketplace } from '../marketplace/contract.js'
import type { RunHandle, UpsertResult } from '../store/contract.js'
import { withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { checkList, dedupeById, type ListReading, recordList } from './list.js'

type DocumentKind = PollResult['changes'][number]['kind']

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
  const { session, store } = context
  return runPoll(context, 'listings', (poll) =>
    poll.run.step(async () => {
      const { run, progress } = poll
      const { value, partial, readAt } = await session.listListings()
      const present = await store.presentIds(run.channel, 'listing')
      const listings = await dedupeById(value, present)
      checkList(poll, 'listings', { present, listed: new Set(listings.keys()), partial })
      const changes = await recordList(poll, 'listing', listings, readAt)
      progress.madeProgress = true
      progress.counts.seen += listings.size
      progress.counts.unchanged += listings.size
      for (const { id, change } of changes) {
        poll.changes.push({ kind: 'listing', id, change })
        progress.counts[change]++
        if (change !== 'missing') progress.counts.unchanged--
      }
      for (const { valid } of listings.values()) if (!valid) progress.counts.invalid++
    }),
  )
}

/** Counts one recorded document, and reports it if it is new or changed. */
export function countChange(
  { progress, changes }: Pick<Poll, 'progress' | 'changes'>,
  kind: DocumentKind,
  id: string,
  change: UpsertResult,
): void {
  if (change === 'inserted' || change === 'changed') {
    progress.counts[change]++
    changes.push({ kind, id, change })
  } else progress.counts.unchanged++
}

/** Counts and reports documents that are newly missing. */
export function countMissing(
  { progress, changes }: Pick<Poll, 'progress' | 'changes'>,
  kind: DocumentKind,
  ids: readonly string[],
): void {
  progress.counts.missing += ids.length
  for (const id of ids) changes.push({ kind, id, change: 'missing' })
}

/** What a process uses for every poll. */
interface PollServices {
  marketplace: Marketplace
  store: PollContext['store']
  now: Clock
}

/** The context of one poll of one channel, with its own session. */
export function pollContext(
  { marketplace, store, now }: PollServices,
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

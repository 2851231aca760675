import type { PollContext, PollResult } from './contract.js'
import { dedupeById } from './list-entries.js'
import { checkList, recordList, runPoll } from './poll.js'

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

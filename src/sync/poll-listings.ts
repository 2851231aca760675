import type { PollContext, PollResult } from './contract.js'
import { dedupeById } from './list-entries.js'
import { checkList, countChange, markMissing, readList, runPoll } from './poll.js'

/**
 * Polls the listings of a channel with one request, records every listing, and marks those that are no longer listed
 * as missing.
 * @returns the recorded run; an error of the marketplace makes it `failed` and is not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollListings(context: PollContext): Promise<PollResult> {
  const { session, store, now } = context
  return runPoll(context, 'listings', async (poll) => {
    const { run, progress } = poll
    const { value, partial, read } = await readList(poll, () => session.listListings())
    const listings = [...(await dedupeById('listing', value, await store.presentIds(run.channel, 'listing'))).values()]
    const listed = new Set(listings.map((listing) => listing.id))
    await checkList(poll, 'listing', listed, partial)
    const changes = await store.recordListings(run, listings, read.readAt, now())
    progress.madeProgress = true
    for (const [index, listing] of listings.entries()) {
      progress.counts.seen++
      if (!listing.valid) progress.counts.invalid++
      countChange(poll, 'listing', listing.id, changes[index] ?? 'unchanged')
    }
    await markMissing(poll, 'listing', listed, read)
  })
}

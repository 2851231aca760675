import { conduct, type Tally } from './conduct.js'
import type { PollContext, PollResult } from './contract.js'
import { dedupeById } from './list-entries.js'
import { detectMassLoss } from './mass-loss.js'

/**
 * Polls the listings of a channel: one request, every listing kept, absence marked where the list can be believed.
 * @returns the run as recorded; a marketplace that fails makes it `failed`, no exception
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollListings(context: PollContext): Promise<PollResult> {
  const { session, store, now } = context
  return conduct(context, 'listings', async (run, tally) => {
    const { value, readAt } = await session.listListings()
    const listings = [...dedupeById('listing', value).values()]
    const shown = new Set(listings.map((listing) => listing.id))
    const present = await store.presentIds(run.channel, 'listing')
    if (!context.acceptLoss) tally.suspicious = detectMassLoss(present, shown, 'listings')
    const changes = await store.recordListings(run, listings, readAt, now())
    tally.something = true
    for (const [index, listing] of listings.entries()) count(tally, listing, changes[index] ?? 'unchanged')
    if (tally.suspicious) return
    const { missing } = await store.markAbsent(run, 'listing', [...shown], readAt, now())
    tally.counts.missing += missing.length
    tally.changes.push(...missing.map((id) => ({ kind: 'listing' as const, id, change: 'missing' as const })))
  })
}

function count(tally: Tally, listing: { id: string; valid: boolean }, change: string): void {
  tally.counts.seen++
  if (!listing.valid) tally.counts.invalid++
  if (change === 'inserted' || change === 'changed') {
    tally.counts[change]++
    tally.changes.push({ kind: 'listing', id: listing.id, change })
  } else tally.counts.unchanged++
}

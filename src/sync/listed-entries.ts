import type { RfqPollState } from '../store/contract.js'
import type { RfqEntry } from './plan-entries.js'
import type { Poll } from './poll.js'

/**
 * Records what the list says of RFQs that are stored in full, where that is not what it said when they were last read; before they are
 * read, so that it is known also of those that are postponed, that cannot be read, or that a poll does not get to. Writes nothing if
 * the last poll recorded the same.
 * @param readAt when the request for the list was sent
 */
export async function recordListed(
  { context, run }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  readAt: Date,
): Promise<void> {
  const changed: RfqEntry[] = []
  const asRead: string[] = []
  for (const entry of entries.values()) {
    const rfq = known.get(entry.id)
    if (rfq?.shape !== 'full') continue
    if (entry.hash === rfq.listHash) {
      if (rfq.listedHash !== null) asRead.push(entry.id)
    } else if (entry.hash !== rfq.listedHash) changed.push(entry)
  }
  if (changed.length + asRead.length > 0)
    await context.store.recordListed(run, { changed, asRead }, readAt, context.now())
}

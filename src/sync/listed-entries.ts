import type { ListRead, RfqPollState } from '../store/contract.js'
import { conflictWith, type ListedTerms } from './list-conflict.js'
import type { RfqEntry } from './plan-entries.js'
import type { Poll } from './poll.js'
import { isLossy } from './rfq-to-read.js'

/**
 * Records what the list says of RFQs that are stored in full, where that is not what it said when they were last read; before they are
 * read, so that it is known also of those that are postponed, that cannot be read, or that a poll does not get to. Writes nothing if
 * the last poll recorded the same.
 */
export async function recordListed(
  { context, run }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  read: ListRead,
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
    await context.store.recordListed(run, { changed, asRead }, read, context.now())
}

/** RFQs whose documents are loaded at a time. */
const BATCH = 100

/**
 * Records whether the list contradicts RFQs as they were last read, before they are read again, so that an RFQ is not closed that cannot
 * be read, or is left to the next poll (docs/CLOSING.md, rule 2). The entries that an RFQ had when it was read were compared then.
 */
export async function recordListConflicts(
  { context, run }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  { known, terms, read }: { known: ReadonlyMap<string, RfqPollState>; terms: ListedTerms; read: ListRead },
): Promise<void> {
  const doubtful = [...entries.values()].filter((entry) => {
    const rfq = known.get(entry.id)
    if (rfq?.shape !== 'full') return false
    const hasOther = entry.hash !== rfq.listHash || (terms.get(entry.id) ?? []).length > 1 || isLossy(entry)
    return rfq.contradicted || (rfq.state === 'open' && hasOther)
  })
  for (let start = 0; start < doubtful.length; start += BATCH) {
    const batch = doubtful.slice(start, start + BATCH)
    const stored = await context.store.rfqs({
      channel: run.channel,
      ids: batch.map(({ id }) => id),
      withoutResponses: true,
    })
    const changed = stored.flatMap(({ rfq }) => {
      const entry = entries.get(rfq.id)
      if (entry === undefined) return []
      const { conflict } = conflictWith(terms.get(rfq.id) ?? [], isLossy(entry), rfq)
      return conflict === null && rfq.listConflict === null ? [] : [{ rfqId: rfq.id, conflict, rfqReadAt: rfq.readAt }]
    })
    if (changed.length > 0) await context.store.recordListConflicts(run, changed, read, context.now())
  }
}

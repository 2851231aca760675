import type { Problem } from '../core/documents/lenient-parser.js'
import { isAmbiguous, type Observation, type RfqListItem } from '../core/documents/observation.js'
import { contradictionOf, type EntryBody, quoted } from '../core/sources/sources.js'
import type { ListRead, RfqPollState, Snapshot } from '../store/contract.js'
import type { RfqEntry } from './list-entries.js'
import type { Poll } from './poll.js'

/** All that a list has under the identifier of an RFQ: usually one entry. */
const allOf = (entry: RfqEntry) => [...(entry.others ?? []), entry]

/** What the list says of an RFQ. */
export function entryBodyOf(entry: RfqEntry): EntryBody {
  const all = allOf(entry)
  return { body: all.length === 1 ? entry.body : all.map(({ body }) => body), isAmbiguous: all.some(isAmbiguous) }
}

/**
 * Records what the list says of RFQs, where that is not what the last list said; before the RFQs are read, so that it is known also of
 * those that are postponed, that cannot be read, or that a poll does not get to (docs/CLOSING.md, rule 2).
 */
export async function recordEntries(
  { context, run }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  read: ListRead,
): Promise<void> {
  const changed = [...entries.values()].filter((entry) => known.get(entry.id)?.entryHash !== entry.entryHash)
  if (changed.length > 0) await context.store.recordEntries(run, changed.map(toSnapshot), read, context.now())
}

const losesNothing = ({ losesNothing = false, body, exactBody }: Observation<RfqListItem>) =>
  losesNothing || exactBody === body

function toSnapshot(entry: RfqEntry): Snapshot {
  // Not a copy: its content may not be parsed yet.
  if (entry.others === undefined) return entry
  const all = allOf(entry)
  const body = all.map((each) => each.body)
  return {
    id: entry.id,
    body,
    exactBody: all.every(losesNothing) ? body : all.map(({ exactBody }) => exactBody),
    text: all.every(({ text }) => text !== null) ? `[${all.map(({ text }) => text).join()}]` : null,
    valid: all.every(({ valid }) => valid),
    // Ambiguous if one of them is.
    problems: all.filter(isAmbiguous).flatMap(({ problems }) => problems),
    hash: entry.entryHash,
  }
}

/** Where the list contradicts an open RFQ that was read. */
export const contradictions = (entry: EntryBody, rfq: unknown): Problem[] =>
  (contradictionOf(entry, rfq)?.members ?? []).map(({ path, listed, own }) => ({
    path,
    code: 'conflict',
    message: `the list says ${quoted(listed)}, the RFQ itself says ${quoted(own)}`,
  }))

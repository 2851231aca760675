import { hash } from 'node:crypto'
import { contentOf } from '../core/documents/canonical-json.js'
import { IdMap } from '../core/documents/identifier.js'
import { bodyOf, type Observation, type ReadDocument, type RfqListItem } from '../core/documents/observation.js'
import { byCodeUnit } from '../core/numbers.js'
import { createTimeSlices } from '../core/time/time-slice.js'
import type { ListResult } from '../marketplace/contract.js'
import type { LiveRun, RecordedChange, RfqPollState } from '../store/contract.js'
import type { RunProgress } from '../store/runs/with-run.js'
import type { PollContext } from './contract.js'

/** A run that reads a list. */
export interface ListReading {
  context: Pick<PollContext, 'session' | 'now' | 'acceptLoss' | 'store'>
  run: LiveRun
  progress: RunProgress
}

/** The list of the RFQs of a channel, as it was read and recorded. */
export interface RfqList {
  entries: ReadonlyMap<string, RfqEntry>
  /** The RFQs that were stored before, by id. */
  known: ReadonlyMap<string, RfqPollState>
  /** RFQs that it does not have any more; none if it may not be whole. */
  missing: string[]
  /** When the request for it was sent. */
  readAt: Date
}

/**
 * Reads the list of the RFQs of a channel, and records it. If it may not be whole, the run is suspicious and nothing is missing.
 * @throws MarketplaceError, RunLostError, StoreError
 */
export async function readRfqList(reading: ListReading): Promise<RfqList> {
  const { context, run } = reading
  const list = await context.session.listRfqs()
  const known = new Map((await context.store.rfqStates(run.channel)).map((state) => [state.id, state]))
  const { entries, changes } = await recordList(reading, 'rfq-entry', list)
  for (const { id } of changes) Object.assign(known.get(id) ?? {}, { isEntryRead: 0 })
  const missing = changes.flatMap(({ id, change }) => (change === 'missing' ? [id] : []))
  return { entries, known, missing, readAt: list.readAt }
}

/**
 * Records a list. What it does not have is missing; but after a suspicious list (docs/CLOSING.md, rule 2) the run is partial, and nothing
 * is marked missing, unless the user accepted the loss.
 * @returns its entries, and what changed
 */
export async function recordList<T>(
  { context, run, progress }: ListReading,
  kind: 'listing' | 'rfq-entry',
  { value, partial, readAt }: ListResult<T>,
): Promise<{ entries: Map<string, ListEntry<T>>; changes: RecordedChange[] }> {
  const stored = await context.store.listedDocuments(run.channel, kind)
  const present = stored.flatMap(({ id, textHash }) => (textHash === null ? [] : id))
  const entries = await dedupeById(
    value,
    stored.map(({ id }) => id),
  )
  const loss = context.acceptLoss ? null : (partial ?? detectLoss(present, entries))
  progress.suspicious = loss !== null
  progress.incomplete =
    loss &&
    `The list of ${kind === 'listing' ? 'listings' : 'RFQs'} may not be whole: ${loss}. Nothing was marked missing. ` +
      'If the list is right, run `quotekeeper sync --accept-loss`.'
  const snapshots = [...entries.values()].map(asRead)
  const changes = await context.store.recordList(run, kind, snapshots, { whole: loss === null, readAt }, context.now())
  return { entries, changes }
}

/** A list of at least this many entries that loses more than half of them is suspicious. */
const MIN_ENTRIES = 10

/**
 * Detects a list that suddenly lost more than half of ten or more entries, or all of any number. Such a list is more likely to be incomplete
 * than correct.
 * @param present identifiers that are stored and not missing
 * @param listed identifiers of the list just read
 * @returns what was lost, or null
 */
export function detectLoss(
  present: readonly string[],
  listed: Pick<ReadonlySet<string>, 'has' | 'size'>,
): string | null {
  const lost = present.filter((id) => !listed.has(id)).length
  const isLoss = listed.size === 0 ? lost > 0 : present.length >= MIN_ENTRIES && lost * 2 > present.length
  return isLoss ? `it suddenly lost ${lost} of ${present.length} entries` : null
}

/** An entry of the list of RFQs. */
export type RfqEntry = ListEntry<RfqListItem>

/** An entry of a list; of several with one identifier that differ, one of them, with the others. */
interface ListEntry<T> extends Observation<T> {
  others: Observation<T>[]
}

/**
 * Maps the entries of a list by identifier, sorted, so that entries recorded together are stored together and fewer database pages
 * are written. Equal entries with one identifier count once; differing ones are a problem.
 * @param stored identifiers that are stored: an entry has the one with which it was first listed
 */
async function dedupeById<T>(
  observed: readonly Observation<T>[],
  stored: readonly string[],
): Promise<Map<string, ListEntry<T>>> {
  const nextSlice = createTimeSlices()
  const ids = new IdMap(stored.map((id) => [id, id]))
  const byId = new Map<string, Observation<T>[]>()
  for (const each of observed) {
    const id = ids.get(each.id) ?? each.id
    ids.set(id, id)
    const differing = (byId.get(id) ?? []).filter((other) => contentOf(bodyOf(other)) !== contentOf(bodyOf(each)))
    byId.set(id, [...differing, { ...each, id }])
    await nextSlice()
  }
  return new Map([...byId].sort(([a], [b]) => byCodeUnit(a, b)).map(([id, twins]) => [id, toEntry(id, twins)]))
}

function toEntry<T>(id: string, twins: readonly Observation<T>[]): ListEntry<T> {
  // In one order, so that the entry does not change with theirs.
  const others =
    twins.length === 1 ? [...twins] : twins.toSorted((a, b) => byCodeUnit(contentOf(bodyOf(a)), contentOf(bodyOf(b))))
  const last = others.pop() as Observation<T>
  if (others.length === 0) return { others, ...last }
  const message = `the list contains several different entries with the identifier ${id.slice(0, 80)}`
  return { others, ...last, problems: [...last.problems, { path: '', code: 'duplicate' as const, message }] }
}

/** What is recorded of an identifier in a list: the entry, or the array of those that differ. */
function asRead<T>(entry: ListEntry<T>): ReadDocument {
  if (entry.others.length === 0) return entry
  const all = [...entry.others, entry]
  const text = `[${all.map((each) => each.text).join()}]`
  return {
    ...entry,
    ...{ text, hash: hash('sha256', text), bodies: all.length, valid: all.every(({ valid }) => valid) },
  }
}

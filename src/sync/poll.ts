import type { RunKind } from '../core/records.js'
import type { ListChange, LiveRun, PollStates, Recorder, RunHandle, UpsertResult } from '../store/contract.js'
import { type RunProgress, withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult } from './contract.js'
import { type ListEntry, toSnapshot } from './list-entries.js'

type DocumentKind = PollResult['changes'][number]['kind']

/** A run that reads a list. */
export interface ListReading {
  context: Pick<PollContext, 'session' | 'now' | 'acceptLoss'> & { store: Recorder & PollStates }
  run: LiveRun
  progress: RunProgress
}

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
 * Compares a list with what is stored, before recording any of it. After a suspicious list (docs/CLOSING.md, rule 2) the run is partial, and
 * nothing is marked missing, unless the user accepted the loss.
 * @param list.present identifiers that are stored and not missing
 * @param list.listed identifiers of the list just read
 * @param list.partial what the list says of itself that makes it only a part, or null
 */
export function checkList(
  { context, progress }: ListReading,
  noun: 'listings' | 'RFQs',
  { present, listed, partial }: { present: readonly string[]; listed: ReadonlySet<string>; partial: string | null },
): void {
  const loss = context.acceptLoss ? null : (partial ?? detectLoss(present, listed))
  progress.suspicious = loss !== null
  progress.incomplete =
    loss &&
    `The list of ${noun} may not be whole: ${loss}. Nothing was marked missing. ` +
      'If the list is right, run `quotekeeper sync --accept-loss`.'
}

/** Records a list; what it does not have is missing, unless it is suspicious. @returns what changed */
export const recordList = <T>(
  { context, run, progress }: ListReading,
  kind: 'listing' | 'rfq-entry',
  entries: ReadonlyMap<string, ListEntry<T>>,
  readAt: Date,
): Promise<ListChange[]> =>
  context.store.recordList(
    run,
    kind,
    [...entries.values()].map(toSnapshot),
    { whole: !progress.suspicious, readAt },
    context.now(),
  )

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

/** A list of at least this many entries that loses more than half of them is suspicious. */
const MIN_ENTRIES = 10

/**
 * Detects a list that suddenly lost more than half of ten or more entries, or all of any number. Such a list is more likely to be incomplete
 * than correct.
 * @param present identifiers that are stored and not missing
 * @param listed identifiers of the list just read
 * @returns what was lost, or null
 */
export function detectLoss(present: readonly string[], listed: ReadonlySet<string>): string | null {
  const lost = present.filter((id) => !listed.has(id)).length
  const isLoss = listed.size === 0 ? lost > 0 : present.length >= MIN_ENTRIES && lost * 2 > present.length
  return isLoss ? `it suddenly lost ${lost} of ${present.length} entries` : null
}

import type { RunKind } from '../core/records.js'
import type { ReadResult } from '../marketplace/contract.js'
import type { ListRead, LiveRun, UpsertResult } from '../store/contract.js'
import { type RunProgress, withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult } from './contract.js'

type DocumentKind = PollResult['changes'][number]['kind']
const PLURALS = { listing: 'listings', rfq: 'RFQs' }

/** One poll in progress. */
export interface Poll {
  context: PollContext
  run: LiveRun
  progress: RunProgress
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

/** Reads a list, with the number of the newest record of the channel before the request. Throws MarketplaceError. */
export async function readList<T>(
  { context, run }: Pick<Poll, 'context' | 'run'>,
  request: () => Promise<ReadResult<T>>,
): Promise<{ value: T; read: ListRead }> {
  const sentAfter = await context.store.newestRecording(run.channel)
  const { value, readAt } = await request()
  return { value, read: { readAt, sentAfter } }
}

/**
 * Compares the list with what is stored, before recording any of it. After a mass loss the run is partial and
 * `markMissing` does nothing, unless the user accepted the loss.
 * @param listed identifiers of the list just read
 */
export async function checkMassLoss(
  { context, run, progress }: Poll,
  kind: 'listing' | 'rfq',
  listed: ReadonlySet<string>,
): Promise<void> {
  if (context.acceptLoss) return
  progress.incomplete = detectMassLoss(await context.store.presentIds(run.channel, kind), listed, PLURALS[kind])
  progress.suspicious = progress.incomplete !== null
}

/** Marks everything of the kind as missing that the list does not contain, and what it contains as present. */
export async function markMissing(
  { context, run, progress, changes }: Poll,
  kind: 'listing' | 'rfq',
  listed: ReadonlySet<string>,
  read: ListRead,
): Promise<void> {
  if (progress.suspicious) return
  const { missing } = await context.store.updatePresence(run, kind, [...listed], read, context.now())
  countMissing({ progress, changes }, kind, missing)
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

/** Mass loss is detected in lists of at least this many entries. */
const MIN_ENTRIES = 10

/**
 * Detects a list that suddenly lost more than half of ten or more entries. Such a list is more likely to be incomplete
 * than correct, so it marks nothing as missing (docs/ARCHITECTURE.md, "Absence is not deletion").
 * @param present identifiers that are stored and not missing
 * @param listed identifiers of the list just read
 * @param noun what the list contains, in the plural
 * @returns a message that says what was lost and what to do, or null
 */
export function detectMassLoss(present: readonly string[], listed: ReadonlySet<string>, noun: string): string | null {
  const lost = present.filter((id) => !listed.has(id)).length
  if (present.length < MIN_ENTRIES || lost * 2 <= present.length) return null
  return (
    `The list suddenly lost ${lost} of ${present.length} ${noun}, so nothing was marked missing. ` +
    'If the list is right, run `quotekeeper sync --accept-loss`.'
  )
}

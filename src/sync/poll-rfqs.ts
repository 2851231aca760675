import pLimit from 'p-limit'
import type { RfqListItem } from '../domain/observed.js'
import { AbortedError, ChannelError, MarketplaceError, PausedError } from '../marketplace/errors.js'
import { readWholeRfq } from '../marketplace/whole-rfq.js'
import type { Recorded, RfqState, RunHandle } from '../store/contract.js'
import { conduct, type Tally } from './conduct.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { dedupeById, type ListEntry } from './list-entries.js'
import { detectMassLoss } from './mass-loss.js'
import { reasonToRead } from './selection.js'

type RfqEntry = ListEntry<RfqListItem>

/** One poll under way. */
interface Poll {
  context: PollContext
  run: RunHandle
  tally: Tally
  known: ReadonlyMap<string, RfqState>
  /** When the request for the list had been sent. */
  listReadAt: Date
}

/**
 * Polls the RFQs of a channel: the list, then each RFQ that needs it with all its responses, one transaction an RFQ.
 * One that fails stops no other. Killed at any moment it leaves whole RFQs behind, and the next poll goes on.
 * @returns the run as recorded; failures of the marketplace make it `partial` or `failed`, no exception
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollRfqs(context: PollContext, options: PollRfqsOptions): Promise<PollResult> {
  const { session, store, now } = context
  return conduct(context, 'rfqs', async (run, tally) => {
    const { value, readAt } = await session.listRfqs()
    const entries = dedupeById('rfq', value)
    tally.counts.seen += entries.size
    const known = new Map((await store.rfqStates(run.channel)).map((state) => [state.id, state]))
    const poll: Poll = { context, run, tally, known, listReadAt: readAt }
    await noteAbsence(poll, entries)
    const { read, leave } = select(entries, known, options, now())
    await store.touchRfqs(
      run,
      leave.map((entry) => entry.id),
      readAt,
      now(),
    )
    tally.counts.unchanged += leave.length
    tally.something = true
    await readAll(poll, read, options.concurrency)
  })
}

async function noteAbsence(
  { context, run, tally, listReadAt }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
): Promise<void> {
  const { store, now, acceptLoss } = context
  const shown = new Set(entries.keys())
  if (!acceptLoss) tally.suspicious = detectMassLoss(await store.presentIds(run.channel, 'rfq'), shown, 'RFQs')
  if (tally.suspicious) return
  const { missing } = await store.markAbsent(run, 'rfq', [...shown], listReadAt, now())
  tally.counts.missing += missing.length
  tally.changes.push(...missing.map((id) => ({ kind: 'rfq' as const, id, change: 'missing' as const })))
}

function select(
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqState>,
  options: PollRfqsOptions,
  now: Date,
): { read: RfqEntry[]; leave: RfqEntry[] } {
  const rules = { full: options.full ?? false, recheckClosedHours: options.recheckClosedHours, now }
  const read: RfqEntry[] = []
  const leave: RfqEntry[] = []
  for (const entry of entries.values()) {
    const shown = { id: entry.id, hash: entry.hash, state: entry.document?.state ?? null }
    ;(reasonToRead(shown, known.get(entry.id), rules) === null ? leave : read).push(entry)
  }
  return { read, leave }
}

async function readAll(poll: Poll, entries: readonly RfqEntry[], concurrency: number): Promise<void> {
  const { context, run, tally } = poll
  const limit = pLimit(concurrency)
  let stop: Error | null = null
  let done = 0
  const total = entries.length
  context.onProgress?.({ done, total })
  const readEntry = async (entry: RfqEntry) => {
    if (stop) return
    try {
      if (context.signal?.aborted) throw new AbortedError('The poll was stopped.')
      if (run.lost.aborted) throw run.lost.reason
      await readRfq(poll, entry)
    } catch (error) {
      if (endsTheRun(error)) stop ??= error as Error
      else tally.failures.push({ id: nameOf(entry), message: (error as Error).message })
    }
    context.onProgress?.({ done: ++done, total })
  }
  await Promise.all(entries.map((entry) => limit(readEntry, entry)))
  if (stop) throw stop
}

/** One item's failure is its own; a refused key, a long pause, a stop, or anything of ours concerns them all. */
const endsTheRun = (error: unknown): boolean =>
  !(error instanceof MarketplaceError) ||
  error instanceof ChannelError ||
  error instanceof PausedError ||
  error instanceof AbortedError

const nameOf = (entry: RfqEntry) => `RFQ ${entry.document?.number ?? entry.id}`

async function readRfq(poll: Poll, entry: RfqEntry): Promise<void> {
  const { context, run, tally, known } = poll
  const { session, store, now } = context
  if (!entry.document) {
    await keepEntry(poll, entry)
    return
  }
  try {
    const whole = await readWholeRfq(session, entry.id)
    const duplicates = entry.problems.filter((problem) => problem.code === 'duplicate')
    const rfq = { ...whole.rfq, problems: [...whole.rfq.problems, ...duplicates] }
    const recorded = await store.recordRfq(run, { ...whole, rfq, shape: 'full', listHash: entry.hash }, now())
    tallyRfq(tally, rfq, recorded)
    tally.counts.seen += whole.responses.length
    tally.counts.invalid += whole.responses.filter((response) => !response.valid).length
  } catch (error) {
    // What the list showed of an RFQ never known before is better than nothing; it is read whole as soon as it can be.
    if (!known.has(entry.id) && error instanceof MarketplaceError && !(error instanceof AbortedError)) {
      await keepEntry(poll, entry)
    }
    throw error
  }
}

/** Keeps what the list shows: of an RFQ that cannot be read, or an entry without identifier. */
async function keepEntry({ context, run, tally, listReadAt }: Poll, entry: RfqEntry): Promise<void> {
  const shown = { rfq: entry, shape: 'list' as const, listHash: null, responses: [], responsesComplete: false }
  tallyRfq(tally, entry, await context.store.recordRfq(run, { ...shown, readAt: listReadAt }, context.now()))
}

function tallyRfq(tally: Tally, rfq: { id: string; valid: boolean }, recorded: Recorded): void {
  if (!rfq.valid) tally.counts.invalid++
  const all = [
    { kind: 'rfq' as const, id: rfq.id, change: recorded.rfq },
    ...recorded.responses.map((response) => ({ kind: 'response' as const, ...response })),
  ]
  for (const { kind, id, change } of all) {
    if (change === 'inserted' || change === 'changed') {
      tally.counts[change]++
      tally.changes.push({ kind, id, change })
    } else tally.counts.unchanged++
  }
  tally.counts.missing += recorded.missing.length
  tally.changes.push(...recorded.missing.map((id) => ({ kind: 'response' as const, id, change: 'missing' as const })))
}

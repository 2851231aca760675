import { isAddressable } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import { hasName, namesIn, parseRfqName } from '../core/text/rfq-name.js'
import type { RfqPollState } from '../store/contract.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import type { RfqEntry } from './list-entries.js'
import { isReadable, planEntries, type Selection } from './plan/plan-entries.js'
import { reasonToRead } from './plan/read-reasons.js'
import { nameOf, type RfqToRead, rfqToRead, type StoredState } from './plan/rfq-to-read.js'
import { countMissing, type Poll, runPoll } from './poll.js'
import { countRecorded, forEachInPoll, MAX_UNRECORDED, readRfqs } from './read-rfqs.js'
import { readRfqList } from './rfq-list.js'
import { createResponseLoader } from './stored-responses.js'

interface RfqPoll extends Poll {
  entries: ReadonlyMap<string, RfqEntry>
  known: ReadonlyMap<string, RfqPollState>
  /** When the request for the list was sent. */
  listReadAt: Date
}

/**
 * Polls the RFQs of a channel: reads the list, then each RFQ that needs it with all its responses, and records each in
 * one transaction. A failure on one RFQ does not stop the others. If the process dies, every recorded RFQ is complete
 * and the next poll reads the rest.
 * @returns the recorded run; errors of the marketplace make it `partial` or `failed` and are not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollRfqs(context: PollContext, options: PollRfqsOptions): Promise<PollResult> {
  return runPoll(context, 'rfqs', async (poll) => {
    const { reading, rfqs } = await poll.run.step(() => readList(poll, options))
    await readRfqs(reading, rfqs)
  })
}

/** Reads and records the list, and selects the RFQs to read. */
async function readList(poll: Poll, options: PollRfqsOptions) {
  const { context, progress } = poll
  // Before the RFQs are read, so that entries of RFQs that are postponed, cannot be read or are not reached are known too.
  const { known, entries, missing, readAt } = await readRfqList(poll)
  progress.counts.seen += entries.size
  countMissing(poll, 'rfq', missing)
  const selection = options.planning
    ? await planEntries(poll, entries, { known, options, planning: options.planning })
    : selectOnly(poll, selectEntries(entries, known, options, context.now()), entries, options.only)
  const { unreadable, toRead, unchanged, listOnly, planned, left } = selection
  progress.counts.unchanged += unchanged.length
  progress.madeProgress = true
  const rfqPoll = { ...poll, entries, known, listReadAt: readAt }
  await forEachInPoll(poll, listOnly, MAX_UNRECORDED, (entry) => recordListEntry(rfqPoll, entry))
  await forEachInPoll(poll, unreadable, MAX_UNRECORDED, (entry) => recordUnreadable(rfqPoll, entry))
  const rfqs = toRead.map((entry) => rfqToRead(entry, { known, planned }))
  const reading = {
    ...poll,
    concurrency: options.concurrency,
    left,
    loadStates: (ids: readonly string[]) => storedStates(rfqPoll, ids),
    onUnreadable: ({ id }: RfqToRead, requestFailed: boolean) => recordUnread(rfqPoll, id, requestFailed),
    onDone: reportProgress(context, rfqs.length),
  }
  return { reading, rfqs }
}

function reportProgress({ onProgress }: PollContext, total: number): () => void {
  let done = 0
  onProgress?.({ done, total })
  return () => onProgress?.({ done: ++done, total })
}

function selectEntries(
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  options: PollRfqsOptions,
  now: Date,
): Selection {
  const rules = { full: options.full ?? false, recheckClosedHours: options.recheckClosedHours, now }
  const all: Selection = {
    ...{ unreadable: [], toRead: [], unchanged: [], listOnly: [] },
    ...{ planned: new Map(), left: 0, responses: new Map() },
  }
  for (const entry of entries.values()) {
    const listed = { id: entry.id, hash: entry.entryHash, state: entry.document?.state ?? null }
    if (reasonToRead(listed, known.get(entry.id), rules) === null) all.unchanged.push(entry)
    else (isReadable(entry) ? all.toRead : all.unreadable).push(entry)
  }
  return all
}

/** Limits a selection to the RFQs with a name, usually one. The poll is partial if others should be read too. */
function selectOnly(
  { progress }: Pick<Poll, 'progress'>,
  selection: Selection,
  entries: ReadonlyMap<string, RfqEntry>,
  only: string | undefined,
): Selection {
  if (only === undefined) return selection
  const wanted = entriesNamed(entries, only)
  const isOther = (entry: RfqEntry) => !wanted.includes(entry)
  const others = [...selection.unreadable, ...selection.toRead].filter(isOther).length
  progress.postponed += others
  if (others > 0) progress.limitedTo = `only ${wanted.map(nameOfEntry).join(', ') || 'the list'} was read, as requested`
  return {
    ...selection,
    unreadable: wanted.filter((entry) => !isReadable(entry)),
    toRead: wanted.filter(isReadable),
    unchanged: selection.unchanged.filter(isOther),
  }
}

function entriesNamed(entries: ReadonlyMap<string, RfqEntry>, only: string): RfqEntry[] {
  const name = parseRfqName(only)
  return [...entries.values()].filter(({ id, text }) => hasName({ id, ...namesIn(JSON.parse(text)) }, name))
}

const nameOfEntry = ({ id, document }: RfqEntry) => nameOf({ id, number: document?.number ?? null })

/** Loads the stored states of RFQs; that of a new one is undefined. Others may have recorded them since the list was read. */
async function storedStates(
  { context, run }: RfqPoll,
  ids: readonly string[],
): Promise<(id: string) => Promise<StoredState | undefined>> {
  const known = new Map((await context.store.rfqStates(run.channel)).map((state) => [state.id, state]))
  const load = createResponseLoader(
    context.store,
    run.channel,
    ids.filter((id) => known.has(id)),
  )
  return async (id) => {
    const rfq = known.get(id)
    return rfq && { rfq, responses: await load(id) }
  }
}

const UNADDRESSABLE: Problem = {
  path: 'id',
  code: 'unaddressable',
  message:
    'its identifier cannot be part of a URL, so only its list entry is known; correct the identifier on the marketplace',
}

/** Records the list entry of an RFQ that can never be read. */
async function recordUnreadable(poll: RfqPoll, entry: RfqEntry): Promise<void> {
  if (!entry.document || isAddressable(entry.id)) return recordListEntry(poll, entry)
  poll.progress.limitations.push({ id: nameOfEntry(entry), message: UNADDRESSABLE.message })
  await recordListEntry(poll, { ...entry, problems: [...entry.problems, UNADDRESSABLE] })
}

/**
 * Records a failed request for an RFQ, with its list entry if it was never read. The next poll requests it again.
 */
async function recordUnread(poll: RfqPoll, id: string, requestFailed: boolean): Promise<void> {
  const entry = poll.entries.get(id)
  const wasRead = poll.known.get(id)?.shape === 'full'
  if (entry && (requestFailed || !wasRead)) await recordListEntry(poll, entry, requestFailed)
}

/** Records the list entry of an RFQ whose detail cannot be read, or that has no identifier. */
async function recordListEntry(poll: RfqPoll, entry: RfqEntry, requested = false): Promise<void> {
  const { context, run, listReadAt } = poll
  const snapshot = {
    rfq: { ...entry, requested },
    shape: 'list' as const,
    responses: [],
    responsesComplete: false,
  }
  countRecorded(poll, entry, await context.store.recordRfq(run, { ...snapshot, readAt: listReadAt }, context.now()))
}

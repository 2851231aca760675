import { isAddressable } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import { createCalendar, endOfDate } from '../core/time/expiry.js'
import type { RfqPollState } from '../store/contract.js'
import type { PollContext, PollPlanning, PollResult, PollRfqsOptions } from './contract.js'
import { type RfqEntry, readRfqList } from './list.js'
import { isEntryRead, type PlannableRfq, type PlannedResponses, planRequests, reasonToRead } from './plan.js'
import { countMissing, type Poll, runPoll } from './poll.js'
import {
  countRecorded,
  forEachInPoll,
  loadStates,
  MAX_UNRECORDED,
  nameOf,
  type RfqReading,
  readRfqs,
  type StoredState,
} from './read-rfqs.js'

/**
 * Polls the RFQs of a channel: reads the list, then each RFQ that needs it with all its responses, and records each in
 * one transaction. A failure on one RFQ does not stop the others. If the process dies, every recorded RFQ is complete
 * and the next poll reads the rest.
 * @returns the recorded run; errors of the marketplace make it `partial` or `failed` and are not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollRfqs(context: PollContext, options: PollRfqsOptions): Promise<PollResult> {
  return runPoll(context, 'rfqs', async (poll) => {
    const reading = await poll.run.step(async () => {
      const started = await startReading(poll, options)
      await readRfqs(started)
      return started
    })
    // Others may have recorded some meanwhile.
    while (reading.toRead.size > 0)
      await poll.run.step(async () => {
        reading.states = await loadStates(context.store, poll.run.channel, [...reading.toRead.keys()])
        await readRfqs(reading)
      })
  })
}

/** What a poll does with the entries of the list. */
interface Selection {
  /** The RFQs to read, in this order, with the responses to request of each; null: all. */
  toRead: Map<string, PlannedResponses | null>
  /** RFQs that are left to the next poll. */
  postponed: readonly string[]
  unchanged: readonly string[]
  /** Requests reserved for responses whose summaries turn out to have changed. */
  left: number
}

/** Reads and records the list, selects the RFQs to read, and records the others that were never read from their entries. */
async function startReading(poll: Poll, options: PollRfqsOptions): Promise<RfqReading> {
  const { context, run, progress } = poll
  const { known, entries, missing, readAt } = await readRfqList(poll)
  progress.counts.seen += entries.size
  countMissing(poll, 'rfq', missing)
  const rules = { full: options.full ?? false, recheckClosedHours: options.recheckClosedHours, now: context.now() }
  const listed = [...entries.values()].map((entry) => {
    const rfq = { id: entry.id, hash: entry.entryHash, state: entry.document?.state ?? null }
    return { ...rfq, entry, reasonToRead: reasonToRead(rfq, known.get(entry.id), rules) }
  })
  const readable = listed.filter(({ entry }) => isReadable(entry))
  const needed = readable.filter((rfq) => rfq.reasonToRead !== null).map(({ id }) => id)
  const states = await loadStates(context.store, run.channel, needed, known)
  const selection = options.planning
    ? plan(poll, readable, { known, states, planning: options.planning })
    : selectAll(poll, readable, options.only)
  const entriesOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? [])
  const wasRead = ({ id }: RfqEntry) => known.get(id)?.detailReadAt != null
  const isSame = (entry: RfqEntry) => {
    const rfq = known.get(entry.id)
    return rfq !== undefined && isEntryRead(rfq, entry.entryHash)
  }
  const postponed = entriesOf(selection.postponed)
  const wanted = selection.toRead
  const unreadable = [...entries.values()].filter((entry) => !isReadable(entry))
  progress.counts.unchanged +=
    selection.unchanged.length + postponed.filter((entry) => wasRead(entry) && isSame(entry)).length
  progress.madeProgress = true
  const recordEntry = (entry: RfqEntry, requested = false) => recordListEntry(poll, entry, { requested, readAt })
  const listOnly = postponed.filter((entry) => !wasRead(entry))
  await forEachInPoll(poll, listOnly, MAX_UNRECORDED, (entry) => recordEntry(entry))
  await forEachInPoll(poll, unreadable, MAX_UNRECORDED, (entry) => recordEntry(asUnreadable(poll, entry)))
  const report = progressReport(context, wanted.size)
  return {
    ...poll,
    ...{ concurrency: options.concurrency, entries, toRead: wanted, left: selection.left, states, onDone: report },
    async onUnreadable(entry, requestFailed) {
      // The next poll requests it again.
      if (requestFailed || known.get(entry.id)?.shape !== 'full') await recordEntry(entry, requestFailed)
    },
  }
}

function progressReport({ onProgress }: PollContext, total: number): () => void {
  let done = 0
  onProgress?.({ done, total })
  return () => onProgress?.({ done: ++done, total })
}

/** Whether an RFQ can be requested; others are recorded from their entry. */
const isReadable = (entry: Pick<RfqEntry, 'id' | 'document'>): boolean =>
  entry.document !== null && isAddressable(entry.id)

type Listed = Omit<PlannableRfq, 'responseIds' | 'dueAt'> & { entry: RfqEntry }

/** Selects everything that needs to be read, or one RFQ only. */
function selectAll({ progress }: Poll, readable: readonly Listed[], only: string | undefined): Selection {
  const ids = (isWanted: (rfq: Listed) => boolean) => readable.filter(isWanted).map(({ id }) => id)
  const isNeeded = ({ reasonToRead: reason }: Listed) => reason !== null
  const isRead = (rfq: Listed) => (only === undefined ? isNeeded(rfq) : rfq.id === only)
  const postponed = ids((rfq) => isNeeded(rfq) && !isRead(rfq))
  progress.postponed += postponed.length
  if (postponed.length > 0) progress.incomplete ??= 'Only one RFQ was read, as requested.'
  const unchanged = ids((rfq) => !isNeeded(rfq) && !isRead(rfq))
  return { toRead: new Map(ids(isRead).map((id) => [id, null])), postponed, unchanged, left: 0 }
}

/** Plans the requests of a scheduled poll (docs/POLLING.md), and counts the documents left to the next one. */
function plan(
  { context, progress }: Poll,
  readable: readonly Listed[],
  {
    known,
    states,
    planning,
  }: {
    known: ReadonlyMap<string, RfqPollState>
    states: ReadonlyMap<string, StoredState>
    planning: PollPlanning
  },
): Selection {
  const calendar = createCalendar(context.timeZone ?? 'UTC')
  const ends = new Map<string, Date | null>()
  const endOf = (date: string) => {
    const end = ends.get(date) ?? endOfDate(date, calendar)
    ends.set(date, end)
    return end
  }
  const listed = readable.map(({ entry: { document }, ...rfq }) => ({
    ...rfq,
    responseIds: document?.responses?.map(({ id }) => id) ?? null,
    dueAt: document?.responseDueDate == null ? null : endOf(document.responseDueDate),
  }))
  const responses = new Map([...states].map(([id, state]) => [id, state.responses]))
  const { reads, postponed, unchanged, unused, rates } = planRequests({
    ...{ listed, known, responses, now: context.now(), planning },
  })
  progress.requestRates = rates
  progress.postponed += postponed.reduce((sum, { documents }) => sum + documents, 0)
  return { toRead: new Map(reads), postponed: postponed.map(({ id }) => id), unchanged, left: unused }
}

const UNADDRESSABLE: Problem = {
  path: 'id',
  code: 'unaddressable',
  message:
    'its identifier cannot be part of a URL, so only its list entry is known; correct the identifier on the marketplace',
}

/** An entry of an RFQ that can never be read, with why. */
function asUnreadable({ progress }: Poll, entry: RfqEntry): RfqEntry {
  if (!entry.document || isAddressable(entry.id)) return entry
  progress.limitations.push({ id: nameOf(entry), message: UNADDRESSABLE.message })
  return { ...entry, problems: [...entry.problems, UNADDRESSABLE] }
}

/** Records the list entry of an RFQ that was not or cannot be read, or that has no identifier. */
async function recordListEntry(
  poll: Poll,
  entry: RfqEntry,
  { requested, readAt }: { requested: boolean; readAt: Date },
): Promise<void> {
  const { context, run } = poll
  const snapshot = { rfq: { ...entry, requested }, shape: 'list' as const, responses: [], responsesComplete: false }
  countRecorded(poll, entry, await context.store.recordRfq(run, { ...snapshot, readAt }, context.now()))
}

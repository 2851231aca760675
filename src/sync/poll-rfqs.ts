import { isAddressable } from '../core/documents/identifier.js'
import type { Problem } from '../core/documents/lenient-parser.js'
import { createCalendar, endOfDate } from '../core/time/expiry.js'
import { withRun } from '../store/runs/with-run.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { type RfqEntry, readRfqList } from './list.js'
import { needsRead, type PlannableRfq, planRequests, READ_EVERYTHING } from './plan.js'
import type { Poll } from './poll.js'
import { keepEntry, loadStates, MAX_UNRECORDED, type RfqReading, readRfqs, recordListEntry } from './read-rfqs.js'
import { forEachUntilError } from './rfq-reader.js'

/**
 * Polls the RFQs of a channel: reads the list, then each RFQ that needs it with all its responses, and records each in
 * one transaction. A failure on one RFQ does not stop the others. If the process dies, every recorded RFQ is complete
 * and the next poll reads the rest.
 * @returns the recorded run; errors of the marketplace make it `partial` or `failed` and are not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollRfqs(context: PollContext, options: PollRfqsOptions): Promise<PollResult> {
  return withRun(context, 'rfqs', async (run, progress) => {
    const poll = { context, run, progress }
    const reading = await run.step(async () => {
      const started = await startReading(poll, options)
      await readRfqs(started)
      return started
    })
    // Others may have recorded some meanwhile.
    while (reading.plan.reads.size > 0)
      await run.step(async () => {
        const states = await context.store.rfqStates(run.channel)
        reading.states = await loadStates(
          poll,
          states.filter(({ id }) => reading.plan.reads.has(id)),
        )
        await readRfqs(reading)
      })
  })
}

/** Reads and records the list, plans which RFQs to read, and records the others that were never read from their entries. */
async function startReading(poll: Poll, options: PollRfqsOptions): Promise<RfqReading> {
  const { context, progress } = poll
  const { only, concurrency, planning = READ_EVERYTHING } = options
  const { known, entries, missing, readAt } = await readRfqList(poll)
  progress.seen += entries.size
  progress.missing += missing.length
  const now = context.now()
  const all = [...entries.values()]
  const readable = all.filter(isReadable).map(plannable(context))
  const needed = readable.filter((rfq) => needsRead(rfq, known.get(rfq.id), options.recheckClosedHours, now))
  const wanted = only === undefined ? needed : readable.filter(({ id }) => id === only)
  const stored = wanted.flatMap(({ id }) => known.get(id) ?? [])
  const states = await loadStates(poll, stored)
  // An RFQ that a person asked for is read with all its responses, also if it is closed.
  const recheckClosedHours = only === undefined ? options.recheckClosedHours : 0
  const plan = planRequests(wanted, { states, now, recheckClosedHours, planning })
  if (options.planning) progress.requestRates = plan.rates
  const others = readable.flatMap(({ id }) => (plan.reads.has(id) ? [] : (entries.get(id) ?? [])))
  const neededIds = new Set(needed.map(({ id }) => id))
  const postponed = others.filter(({ id }) => neededIds.has(id))
  for (const { id } of postponed) progress.postponed += 1 + (plan.postponed.get(id)?.size ?? 0)
  if (only !== undefined && postponed.length > 0) progress.incomplete ??= 'Only one RFQ was read, as requested.'
  const wasRead = ({ id }: RfqEntry) => known.get(id)?.readAt != null
  progress.unchanged += others.filter((entry) => wasRead(entry) && known.get(entry.id)?.isEntryRead).length
  progress.madeProgress = true
  const listOnly = [
    ...postponed.filter((entry) => !wasRead(entry)),
    ...all.filter((entry) => !isReadable(entry)).map(asUnreadable),
  ]
  await forEachUntilError(listOnly, MAX_UNRECORDED, (entry) => recordListEntry(poll, entry, { readAt }))
  const kept = readable.flatMap(({ id }) => (plan.reads.has(id) ? (entries.get(id) ?? []) : [])).map(keepEntry)
  const onDone = progressReport(context, plan.reads.size)
  const isManual = options.planning === undefined
  return {
    ...poll,
    concurrency,
    isManual,
    entries: new Map(kept.map((each) => [each.id, each])),
    listReadAt: readAt,
    plan,
    states,
    onDone,
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

/** Creates a function that returns the part of a list entry that planning needs. */
function plannable({ timeZone = 'UTC' }: PollContext): (entry: RfqEntry) => PlannableRfq {
  const calendar = createCalendar(timeZone)
  const ends = new Map<string, Date | null>()
  const endOf = (date: string) => {
    const end = ends.get(date) ?? endOfDate(date, calendar)
    ends.set(date, end)
    return end
  }
  return ({ id, document }) => ({
    id,
    state: document?.state ?? null,
    responseIds: document?.responses?.map((response) => response.id) ?? null,
    dueAt: document?.responseDueDate == null ? null : endOf(document.responseDueDate),
  })
}

const UNADDRESSABLE: Problem = {
  path: 'id',
  code: 'unaddressable',
  message:
    'its identifier cannot be part of a URL, so only its list entry is known; correct the identifier on the marketplace',
}

/** An entry of an RFQ that can never be read, with why. */
function asUnreadable(entry: RfqEntry): RfqEntry {
  if (!entry.document || isAddressable(entry.id)) return entry
  return { ...entry, problems: [...entry.problems, UNADDRESSABLE] }
}

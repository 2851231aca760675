import { setTimeout as wait } from 'node:timers/promises'
import { IdMap } from '../core/documents/identifier.js'
import { partsOf } from '../core/documents/json-text.js'
import { observe, type ReadDocument } from '../core/documents/observation.js'
import { byCodeUnit } from '../core/numbers.js'
import { createTimeSlices } from '../core/time/time-slice.js'
import { AbortedError, ItemError, MarketplaceError, UnavailableError } from '../marketplace/errors.js'
import type { RecordedChange, RfqPollState } from '../store/contract.js'
import type { RfqEntry } from './list.js'
import { chooseResponses, type RequestPlan, type StoredState } from './plan.js'
import type { Poll } from './poll.js'
import { type FetchedRfq, isUnavailable, readRfqWithResponses } from './rfq-reader.js'

/** A poll that reads RFQs. */
export interface RfqReading extends Poll {
  /** Requests that may be in flight. */
  concurrency: number
  /** Whether a person waits for the result: then what failed before is retried. */
  isManual: boolean
  entries: ReadonlyMap<string, KeptEntry>
  /** When the list was requested. */
  listReadAt: Date
  /** `plan.reads` has the RFQs that are still to be read. */
  plan: RequestPlan
  /** The stored states of RFQs; new ones have none. */
  states: ReadonlyMap<string, StoredState>
  /** Called after each RFQ. */
  onDone: () => void
}

/** RFQs that may wait for their commit while further ones are read. */
export const MAX_UNRECORDED = 64
/** How long no request was made until another RFQ begins, whatever is expected of those begun, in milliseconds. */
const IDLE_MS = 200
/** RFQs whose responses are loaded together. */
const LOADED_TOGETHER = 50

/** What is kept of the list entry of an RFQ that is to be read, because those of thousands would fill the memory. */
export interface KeptEntry extends Pick<RfqEntry, 'id' | 'problems'> {
  /** The RFQ in messages. */
  name: string
}

export const keepEntry = ({ id, document, problems }: RfqEntry): KeptEntry => ({
  id,
  problems,
  name: `RFQ ${document?.number ?? id}`,
})

/** Loads the responses of stored RFQs. */
export async function loadStates(
  { context, run }: Poll,
  rfqs: readonly RfqPollState[],
): Promise<Map<string, StoredState>> {
  const states = new Map<string, StoredState>()
  const nextSlice = createTimeSlices()
  for (let start = 0; start < rfqs.length; start += LOADED_TOGETHER) {
    const group = rfqs.slice(start, start + LOADED_TOGETHER)
    for (const rfq of group) states.set(rfq.id, { rfq, responses: new IdMap() })
    const ids = group.map(({ id }) => id)
    for (const response of await context.store.responseStates(run.channel, ids))
      states.get(response.rfqId)?.responses.set(response.id, response)
    await nextSlice()
  }
  return states
}

/**
 * Reads RFQs with their responses, and records each in one transaction. A failure on one RFQ does not stop the others. When somebody waits
 * for the lock of the channel, it begins no other RFQ; those not begun stay in the plan.
 * @throws an error that concerns the whole channel or this process, after all reads in progress have ended
 */
export async function readRfqs(reading: RfqReading): Promise<void> {
  const { run, plan, entries, progress, concurrency } = reading
  const { session } = reading.context
  const errors: unknown[] = []
  const recordings: Promise<unknown>[] = []
  const reads = new Set<Promise<void>>()
  /** Planned offers of RFQs that have begun and were not read yet. */
  let expected = 0
  const read = async (entry: KeptEntry, planned: number) => {
    let unread = planned
    expected += planned
    const onRead = () => {
      expected -= unread
      unread = 0
    }
    const fetched = fetchRfq(reading, entry, onRead)
    await fetched.catch(onRead)
    recordings.push(settle(reading, entry, fetched).catch((error: unknown) => errors.push(error)))
    if (recordings.length > MAX_UNRECORDED) await recordings.shift()
  }
  // Few are begun, for a close that waits; but nothing waits long for an RFQ that does not answer, or is tried again.
  const roomForOne = async () => {
    while (reads.size >= concurrency || expected + session.waiting >= concurrency / 2) {
      const isIdle = await Promise.race([...reads, session.nextTurn(), wait(IDLE_MS, true, { ref: false })])
      if (isIdle && session.waiting === 0 && reads.size < concurrency) return
    }
  }
  for (const [id, responses] of plan.reads) {
    const entry = entries.get(id)
    await roomForOne()
    if (run.isWanted || errors.length > 0) break
    if (entry === undefined) continue
    const begun = read(entry, responses.size).finally(() => reads.delete(begun))
    reads.add(begun)
  }
  await Promise.all(reads)
  await Promise.all(recordings)
  if (errors.length > 0) throw errors[0]
  // Whatever was answered first, so that the same failures are described alike.
  progress.failures.sort((a, b) => byCodeUnit(a.id, b.id))
}

/** Records an RFQ, or that it could not be read. @throws an error that concerns the whole channel or this process */
async function settle(reading: RfqReading, entry: KeptEntry, fetched: Promise<FetchedRfq>): Promise<void> {
  try {
    await recordRead(reading, entry, await fetched)
  } catch (error) {
    await recordFailure(reading, entry, error)
    if (!isOfOneRfq(error)) throw error
    reading.progress.failures.push({ id: entry.name, message: error.message })
  }
  reading.plan.reads.delete(entry.id)
  reading.onDone()
}

/** Whether an error concerns one RFQ only, not the whole channel or this process. */
const isOfOneRfq = (error: unknown): error is Error => error instanceof ItemError || error instanceof UnavailableError

/** @param onRead called when the RFQ itself was read, and the requests for its offers begin */
async function fetchRfq(reading: RfqReading, entry: KeptEntry, onRead: () => void): Promise<FetchedRfq> {
  const { context, plan, progress } = reading
  const stored = reading.states.get(entry.id)
  const unavailable: UnavailableError[] = []
  const fetched = await readRfqWithResponses(context.session, entry.id, {
    choose(listed) {
      const choice = chooseResponses(plan, entry.id, listed, stored)
      progress.postponed += choice.postponed
      onRead()
      return choice
    },
    stored,
    attemptOnce: !reading.isManual,
    onUnavailable: (error) => unavailable.push(error),
  })
  // One failure, however many of its offers could not be read.
  const [first] = unavailable
  const more = unavailable.length > 1 ? ` (and ${unavailable.length - 1} more of its offers could not be read)` : ''
  if (first) progress.failures.push({ id: entry.name, message: `${first.message}${more}` })
  return fetched
}

/** Records that the request for an RFQ failed; of one that was never read, also its list entry after an error of the whole channel. */
async function recordFailure(reading: RfqReading, entry: KeptEntry, error: unknown): Promise<void> {
  if (!(error instanceof MarketplaceError) || error instanceof AbortedError) return
  const requested = error instanceof ItemError || isUnavailable(error)
  // The next poll requests it again.
  if (!requested && reading.states.get(entry.id)?.rfq.readAt != null) return
  const { id, problems } = entry
  const text = await reading.context.store.listEntry(reading.run.channel, id)
  // Another list, read between two steps, does not have it any more.
  if (text === null) return
  // Of several that differ, the last, as in `toEntry`.
  const own = text.startsWith('[') ? ([...partsOf(text)].at(-1) as string) : text
  const observed = { ...observe('rfq-entry', own), id, problems }
  await recordListEntry(reading, observed, { requested, readAt: reading.listReadAt })
}

/** Records the list entry of an RFQ that was not or cannot be read, or that has no identifier. */
export async function recordListEntry(
  poll: Poll,
  entry: ReadDocument,
  { requested = false, readAt }: { requested?: boolean; readAt: Date },
): Promise<void> {
  const { context, run } = poll
  const rfq = { ...entry, requested }
  const snapshot = { rfq, responses: [], responsesComplete: false, readAt }
  countRecorded(poll, entry, await context.store.recordRfq(run, snapshot, context.now()))
}

/** Whether a read shows all documents of an RFQ as they are stored. */
function isStored({ rfq, responses, responsesComplete }: FetchedRfq, stored: StoredState | undefined): boolean {
  const isComplete = rfq.same && rfq.problems.length === 0 && responsesComplete
  if (!isComplete || stored?.rfq.id !== rfq.id || stored.rfq.isEntryRead === 0) return false
  const listed = [...stored.responses.values()].filter(({ missingSince }) => missingSince === null)
  const known = new Map(listed.map((each) => [each.id, each]))
  const isKnown = ({ id, same, summaryHash }: ReadDocument) => same && known.get(id)?.summaryHash === summaryHash
  return listed.length === responses.length && responses.every(isKnown)
}

/** Records an RFQ as it was read, with the problem that several entries of the list have its identifier. */
async function recordRead(reading: RfqReading, entry: KeptEntry, fetched: FetchedRfq): Promise<void> {
  const { context, run, progress } = reading
  const ofList = entry.problems.filter(({ code }) => code === 'duplicate')
  const rfq = { ...fetched.rfq, problems: [...fetched.rfq.problems, ...ofList] }
  const isSame = isStored({ ...fetched, rfq }, reading.states.get(entry.id))
  const recorded = await context.store.recordRfq(run, { isSame, ...fetched, rfq }, context.now())
  countRecorded(reading, rfq, recorded)
  progress.seen += fetched.responses.length
  progress.invalid += fetched.responses.filter((response) => !response.valid).length
}

/** Counts a recorded RFQ and its responses. */
function countRecorded(poll: Poll, rfq: { valid: boolean }, changes: readonly RecordedChange[]): void {
  if (!rfq.valid) poll.progress.invalid++
  for (const { change } of changes) poll.progress[change]++
}

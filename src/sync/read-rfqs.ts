import pLimit, { type LimitFunction } from 'p-limit'
import { IdMap } from '../core/documents/identifier.js'
import type { ProblemCode } from '../core/documents/lenient-parser.js'
import { TimeSlice } from '../core/time/time-slice.js'
import {
  AbortedError,
  ChannelError,
  ItemError,
  LedgerError,
  MarketplaceError,
  PausedError,
  type UnavailableError,
} from '../marketplace/errors.js'
import {
  type ChooseResponses,
  type FailureOptions,
  type FetchedRfq,
  isUnavailable,
  type KnownDocuments,
  readRfqWithResponses,
} from '../marketplace/rfq-reader.js'
import type { PollStates, RecordResult, RfqPollState } from '../store/contract.js'
import type { ItemFailure } from '../store/runs/with-run.js'
import type { RfqEntry } from './list.js'
import { chooseResponses, lastRequestFailed, type PlannedResponses, type StoredResponses } from './plan.js'
import { countChange, countMissing, type Poll } from './poll.js'

/** A poll that reads RFQs. */
export interface RfqReading extends Poll {
  /** RFQs read at the same time. */
  concurrency: number
  entries: ReadonlyMap<string, RfqEntry>
  /** The RFQs that are still to be read, in this order, with the responses to request of each; null: all. */
  toRead: Map<string, PlannedResponses | null>
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  /** The stored states of RFQs; new ones have none. */
  states: ReadonlyMap<string, StoredState>
  /** Called with an RFQ that could not be read; `requestFailed`: the failed request of a planned poll is to be recorded. */
  onUnreadable: (entry: RfqEntry, requestFailed: boolean) => Promise<void>
  /** Called after each RFQ. */
  onDone: () => void
}

/** The stored state of an RFQ that is read again. */
export interface StoredState {
  rfq: RfqPollState
  responses: StoredResponses
}

/** RFQs that may wait for their commit while further ones are read. */
export const MAX_UNRECORDED = 64
/** RFQs whose responses are loaded together. */
const LOADED_TOGETHER = 50
/** Problems of a list entry that the RFQ itself does not show. */
const LIST_PROBLEMS: readonly ProblemCode[] = ['duplicate', 'encoding']

/** The name of an RFQ in messages. */
export const nameOf = ({ id, document }: Pick<RfqEntry, 'id' | 'document'>): string => `RFQ ${document?.number ?? id}`

/**
 * Loads the stored states of RFQs with their responses.
 * @param known those of the RFQs, if they were just loaded
 */
export async function loadStates(
  store: PollStates,
  channel: string,
  ids: readonly string[],
  known?: ReadonlyMap<string, RfqPollState>,
): Promise<Map<string, StoredState>> {
  const rfqs = known ?? new Map((await store.rfqStates(channel)).map((state) => [state.id, state]))
  const states = new Map<string, StoredState>()
  const slice = new TimeSlice()
  const stored = ids.flatMap((id) => rfqs.get(id) ?? [])
  for (let start = 0; start < stored.length; start += LOADED_TOGETHER) {
    const group = stored.slice(start, start + LOADED_TOGETHER)
    for (const rfq of group) states.set(rfq.id, { rfq, responses: new IdMap() })
    const responses = await store.responseStates(
      channel,
      group.map(({ id }) => id),
    )
    for (const response of responses) states.get(response.rfqId)?.responses.set(response.id, response)
    if (slice.isOver) await slice.next()
  }
  return states
}

/**
 * Reads RFQs with their responses, and records each in one transaction. A failure on one RFQ does not stop the others. When somebody waits
 * for the lock of the channel, it begins no other RFQ; those not begun stay in `toRead`.
 * @throws an error that concerns the whole channel or this process, after all reads in progress have ended
 */
export async function readRfqs(reading: RfqReading): Promise<void> {
  const { run, toRead, entries, progress } = reading
  const limit = pLimit(reading.concurrency)
  const all = [...toRead].flatMap(([id, planned]) => {
    const entry = entries.get(id)
    return entry === undefined ? [] : [{ entry, planned }]
  })
  await forEachInPoll(reading, all, reading.concurrency + MAX_UNRECORDED, async (rfq, hasFailed) => {
    try {
      if (!(await readRfq(reading, rfq, limit, () => !hasFailed() && !run.isWanted))) return
    } catch (error) {
      if (endsRun(error)) throw error
      progress.failures.push({ id: nameOf(rfq.entry), message: (error as Error).message })
    }
    toRead.delete(rfq.entry.id)
    reading.onDone()
  })
}

/**
 * Does work for each item, several at the same time. After an error no other item begins, and the error is thrown at the end.
 * @param work receives a function that returns whether another item has failed
 */
export async function forEachInPoll<T>(
  poll: Poll,
  items: readonly T[],
  concurrency: number,
  work: (item: T, hasFailed: () => boolean) => Promise<unknown>,
): Promise<void> {
  let fatal: Error | null = null
  const limit = pLimit(concurrency)
  const begin = async (item: T) => {
    if (fatal) return
    try {
      throwIfStopped(poll)
      await work(item, () => fatal !== null)
    } catch (error) {
      fatal ??= error as Error
    }
  }
  await Promise.all(items.map((item) => limit(begin, item)))
  if (fatal) throw fatal
}

function throwIfStopped({ context, run }: Pick<Poll, 'context' | 'run'>): void {
  if (context.signal?.aborted) throw new AbortedError('The poll was stopped.')
  if (run.lost.aborted) throw run.lost.reason
}

/** Whether an error concerns the whole channel or this process, not one RFQ only. */
const endsRun = (error: unknown): boolean =>
  !(error instanceof MarketplaceError) ||
  error instanceof ChannelError ||
  error instanceof PausedError ||
  error instanceof LedgerError ||
  error instanceof AbortedError

interface RfqToRead {
  entry: RfqEntry
  planned: PlannedResponses | null
}

/** @returns false if it was not begun */
async function readRfq(
  reading: RfqReading,
  rfq: RfqToRead,
  limit: LimitFunction,
  mayBegin: () => boolean,
): Promise<boolean> {
  const failures: UnavailableError[] = []
  try {
    const fetched = await limit(() => (mayBegin() ? fetchRfq(reading, rfq, failures) : null))
    if (fetched === null) return false
    reading.progress.failures.push(...describeUnavailable(rfq.entry, failures))
    await recordRead(reading, rfq.entry, fetched)
    return true
  } catch (error) {
    if (error instanceof MarketplaceError && !(error instanceof AbortedError))
      await reading.onUnreadable(
        rfq.entry,
        rfq.planned !== null && (error instanceof ItemError || isUnavailable(error)),
      )
    throw error
  }
}

function fetchRfq(reading: RfqReading, rfq: RfqToRead, failures: UnavailableError[]): Promise<FetchedRfq> {
  throwIfStopped(reading)
  const stored = reading.states.get(rfq.entry.id)
  return readRfqWithResponses(reading.context.session, rfq.entry.id, {
    choose: responseChooser(reading, rfq.planned, stored),
    known: stored && knownDocuments(stored, rfq.entry),
    failures: failureOptions(rfq, stored, failures),
  })
}

/** Records an RFQ as it was read, with the problems of its list entry. */
async function recordRead(reading: RfqReading, entry: RfqEntry, fetched: FetchedRfq): Promise<void> {
  const { context, run, progress } = reading
  const rfq = { ...fetched.rfq, problems: [...fetched.rfq.problems, ...listProblems(entry)] }
  const recorded = await context.store.recordRfq(run, { ...fetched, rfq, shape: 'full' }, context.now())
  countRecorded(reading, rfq, recorded)
  progress.counts.seen += fetched.responses.length + fetched.observed.length
  progress.counts.invalid += fetched.responses.filter((response) => !response.valid).length
}

const listProblems = ({ problems }: RfqEntry) => problems.filter(({ code }) => LIST_PROBLEMS.includes(code))

/**
 * An RFQ is recorded with those of its responses that can be read. A planned poll requests a document whose last request failed only
 * once; other polls retry, because a person waits for the result.
 */
function failureOptions(
  { planned }: RfqToRead,
  stored: StoredState | undefined,
  unavailable: UnavailableError[],
): FailureOptions {
  const isPlanned = planned !== null
  const rfqState = stored && { readAt: stored.rfq.detailReadAt, requestedAt: stored.rfq.requestedAt }
  const failedBefore = (id: string) => lastRequestFailed(stored?.responses.get(id))
  return {
    attemptOnce: { rfq: isPlanned && lastRequestFailed(rfqState), response: (id) => isPlanned && failedBefore(id) },
    failedBefore,
    onUnavailable: (error) => void unavailable.push(error),
  }
}

/** Reports one failure, however many offers of the RFQ could not be read. */
function describeUnavailable(entry: RfqEntry, [first, ...others]: readonly UnavailableError[]): ItemFailure[] {
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` (and ${others.length} more of its offers could not be read)`
  return [{ id: nameOf(entry), message: `${first.message}${more}` }]
}

/** Chooses the responses to request; undefined: all. */
function responseChooser(
  reading: RfqReading,
  planned: PlannedResponses | null,
  stored: StoredState | undefined,
): ChooseResponses | undefined {
  if (planned === null) return undefined
  return (listed) => {
    const choice = chooseResponses(listed, planned, stored?.responses, reading.left)
    reading.left = choice.left
    reading.progress.postponed += choice.postponed
    return choice
  }
}

/** The hashes of the stored texts, by which unchanged ones are recognized. An RFQ with problems of its entry is parsed, so that they are counted. */
const knownDocuments = ({ rfq, responses }: StoredState, entry: RfqEntry): KnownDocuments => ({
  rfq: rfq.missingSince !== null || listProblems(entry).length > 0 ? null : rfq.textHash,
  response(id) {
    const response = responses.get(id)
    return response?.missingSince === null ? response.textHash : null
  },
})

/** Counts a recorded RFQ and its responses. */
export function countRecorded(poll: Poll, rfq: { id: string; valid: boolean }, recorded: RecordResult): void {
  if (!rfq.valid) poll.progress.counts.invalid++
  countChange(poll, 'rfq', rfq.id, recorded.rfq)
  for (const { id, change } of recorded.responses) countChange(poll, 'response', id, change)
  countMissing(poll, 'response', recorded.missing)
}

import pLimit, { type LimitFunction } from 'p-limit'
import type { Observation, Rfq } from '../core/documents/observation.js'
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
  isUnavailable,
  type KnownDocuments,
  readRfqWithResponses,
} from '../marketplace/rfq-reader.js'
import type { RecordResult } from '../store/contract.js'
import type { ItemFailure } from '../store/runs/with-run.js'
import { chooseResponses, lastRequestFailed } from './plan/read-reasons.js'
import { nameOf, type RfqToRead, type StoredState } from './plan/rfq-to-read.js'
import { countChange, countMissing, type Poll } from './poll.js'

/** A run that reads RFQs. */
export interface RfqReading extends Poll {
  /** RFQs read at the same time. */
  concurrency: number
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  /** Loads the stored states of RFQs; that of a new one is undefined. */
  loadStates: (ids: readonly string[]) => Promise<LoadState>
  /** Called with an RFQ that could not be read; `requestFailed`: the failed request of a planned poll is to be recorded. */
  onUnreadable: (rfq: RfqToRead, requestFailed: boolean) => void | Promise<void>
  /** Called after each RFQ. */
  onDone?: () => void
}

type LoadState = (id: string) => Promise<StoredState | undefined>

/** RFQs that may wait for their commit while further ones are read. */
export const MAX_UNRECORDED = 64

/**
 * Reads RFQs with their responses, and records each in one transaction. A failure on one RFQ does not stop the others. When somebody waits
 * for the lock of the channel, it begins no other RFQ, and continues after them.
 * @throws an error that concerns the whole channel or this process, after all reads in progress have ended
 */
export async function readRfqs(reading: RfqReading, rfqs: readonly RfqToRead[]): Promise<void> {
  const limit = pLimit(reading.concurrency)
  const left = new Set(rfqs)
  while (left.size > 0)
    await reading.run.step(async () => {
      const loadState = await reading.loadStates([...left].map(({ id }) => id))
      await forEachInPoll(reading, [...left], reading.concurrency + MAX_UNRECORDED, async (rfq, hasFailed) => {
        try {
          const isRead = await readRfq(reading, rfq, { limit, hasFailed, loadState })
          if (!isRead) return
        } catch (error) {
          if (endsRun(error)) throw error
          reading.progress.failures.push({ id: nameOf(rfq), message: (error as Error).message })
        }
        left.delete(rfq)
        reading.onDone?.()
      })
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

interface ReadLimits {
  loadState: LoadState
  /** Limits how many RFQs are read at the same time. */
  limit: LimitFunction
  /** Whether another RFQ has ended the poll. */
  hasFailed: () => boolean
}

/** @returns false if it was not begun, because another RFQ failed or somebody waits for the lock */
async function readRfq(
  reading: RfqReading,
  rfq: RfqToRead,
  { limit, hasFailed, loadState }: ReadLimits,
): Promise<boolean> {
  try {
    const isBegun = () => !hasFailed() && !reading.run.isWanted
    const read = await limit(() => (isBegun() ? fetchRfq(reading, rfq, loadState) : null))
    if (read !== null) await recordRead(reading, rfq, read)
    return read !== null
  } catch (error) {
    if (error instanceof MarketplaceError && !(error instanceof AbortedError))
      await reading.onUnreadable(rfq, rfq.planned !== null && (error instanceof ItemError || isUnavailable(error)))
    throw error
  }
}

async function recordRead(reading: RfqReading, rfq: RfqToRead, { fetched, failures }: FetchedForPoll): Promise<void> {
  const { context, run, progress } = reading
  const document = withListProblems(fetched.rfq, rfq)
  const recorded = await context.store.recordRfq(run, { ...fetched, rfq: document, shape: 'full' }, context.now())
  progress.failures.push(...failures)
  countRecorded(reading, document, recorded)
  progress.counts.seen += fetched.responses.length + fetched.observed.length
  progress.counts.invalid += fetched.responses.filter((response) => !response.valid).length
}

type FetchedForPoll = Awaited<ReturnType<typeof fetchRfq>>

async function fetchRfq(reading: RfqReading, rfq: RfqToRead, loadState: LoadState) {
  throwIfStopped(reading)
  const stored = await loadState(rfq.id)
  const unavailable: UnavailableError[] = []
  const fetched = await readRfqWithResponses(reading.context.session, rfq.id, {
    choose: responseChooser(reading, rfq, stored),
    known: stored && knownDocuments(stored, rfq),
    failures: failureOptions(rfq, stored, unavailable),
  })
  return { fetched, failures: describeUnavailable(rfq, unavailable) }
}

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
function describeUnavailable(rfq: RfqToRead, [first, ...others]: readonly UnavailableError[]): ItemFailure[] {
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` (and ${others.length} more of its offers could not be read)`
  return [{ id: nameOf(rfq), message: `${first.message}${more}` }]
}

/** Chooses the responses to request; undefined: all. */
function responseChooser(
  reading: RfqReading,
  { planned }: RfqToRead,
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

/** An RFQ with the problems of its list entry. */
function withListProblems(rfq: Observation<Rfq>, { listProblems: problems }: RfqToRead): Observation<Rfq> {
  return { ...rfq, problems: [...rfq.problems, ...problems] }
}

/** The hashes of the stored texts, by which unchanged ones are recognized. An RFQ with problems of its entry is parsed, so that they are counted. */
function knownDocuments({ rfq, responses }: StoredState, { returned, listProblems }: RfqToRead): KnownDocuments {
  return {
    rfq: returned || rfq.missingSince !== null || listProblems.length > 0 ? null : rfq.textHash,
    response(id) {
      const response = responses.get(id)
      return response?.missingSince === null ? response.textHash : null
    },
  }
}

/** Counts a recorded RFQ and its responses. */
export function countRecorded(poll: Poll, rfq: { id: string; valid: boolean }, recorded: RecordResult): void {
  if (!rfq.valid) poll.progress.counts.invalid++
  countChange(poll, 'rfq', rfq.id, recorded.rfq)
  for (const { id, change } of recorded.responses) countChange(poll, 'response', id, change)
  countMissing(poll, 'response', recorded.missing)
}

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
import { conditionalReads, type StoredState } from './conditional-reads.js'
import { contradictions } from './listed-entries.js'
import { chooseResponses, lastRequestFailed } from './plan/response-choice.js'
import { nameOf, type RfqToRead } from './plan/rfq-to-read.js'
import { countChange, countMissing, type Poll } from './poll.js'

/** What reads RFQs for a run. */
export interface RfqReading extends Poll {
  /** RFQs read at the same time. */
  concurrency: number
  /** Whether documents are asked for only if they changed. */
  conditional: boolean
  /** Requests left for responses whose summaries turn out to have changed. */
  left: number
  /** `newestRecording` of the channel before any RFQ was requested. */
  sentAfter: number
  /** What is stored of an RFQ; undefined if it is new. */
  storedState: (id: string) => Promise<StoredState | undefined>
  /** Called with an RFQ that the marketplace did not send; `inVain`: a planned poll requested it, and that is to be remembered. */
  onUnreadable: (rfq: RfqToRead, inVain: boolean) => void | Promise<void>
  /** Called after each RFQ. */
  onDone?: () => void
}

/** RFQs that were read and wait for their commit, while further ones are read. */
export const MAX_UNRECORDED = 64

/** An RFQ that another run records during each of this many reads is left to the next poll. */
const MAX_READS = 3

/**
 * Reads RFQs with their responses, and records each in one transaction. A failure on one RFQ does not stop the others.
 * @throws an error that concerns the whole channel or this process, once no RFQ is read any more
 */
export async function readRfqs(reading: RfqReading, rfqs: readonly RfqToRead[]): Promise<void> {
  const limit = pLimit(reading.concurrency)
  await forEachInPoll(reading, rfqs, reading.concurrency + MAX_UNRECORDED, async (rfq, ended) => {
    try {
      await readRfq(reading, rfq, { limit, ended })
    } catch (error) {
      if (endsRun(error)) throw error
      reading.progress.failures.push({ id: nameOf(rfq), message: (error as Error).message })
    }
    reading.onDone?.()
  })
}

/**
 * Does work for each item, many at the same time. An error ends the poll: no other item begins, and it is thrown at the end.
 * @param work receives a function that says whether another item ended the poll
 */
export async function forEachInPoll<T>(
  poll: Poll,
  items: readonly T[],
  concurrency: number,
  work: (item: T, ended: () => boolean) => Promise<unknown>,
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

interface Turn {
  /** Limits how many RFQs are read at the same time. */
  limit: LimitFunction
  ended: () => boolean
}

async function readRfq(reading: RfqReading, rfq: RfqToRead, { limit, ended }: Turn): Promise<void> {
  try {
    for (let reads = 1; reads <= MAX_READS; reads++) {
      const read = await limit(() => (ended() ? null : fetchRfq(reading, rfq, reads > 1)))
      if (read === null || (await recordRead(reading, rfq, read))) return
    }
    const message = `another run recorded it during each of ${MAX_READS} reads; the next poll reads it again`
    reading.progress.failures.push({ id: nameOf(rfq), message })
  } catch (error) {
    if (error instanceof MarketplaceError && !(error instanceof AbortedError))
      await reading.onUnreadable(rfq, rfq.planned !== null && (error instanceof ItemError || isUnavailable(error)))
    throw error
  }
}

/** @returns false if another run recorded the RFQ meanwhile, so that this read may be older: it must be read again */
async function recordRead(reading: RfqReading, rfq: RfqToRead, read: FetchedForPoll): Promise<boolean> {
  const { context, run, progress } = reading
  const { fetched, failures, sentAfter } = read
  const document = comparedWithList(fetched.rfq, rfq)
  const snapshot = { ...fetched, rfq: document, shape: 'full' as const, sentAfter }
  const recorded = await context.store.recordRfq(run, snapshot, context.now())
  if (recorded.rfq === 'stale') {
    progress.postponed -= read.choice.postponed
    // The next read counts what is planned once more.
    reading.left -= 1 + (rfq.planned?.responses.size ?? 0)
    return false
  }
  progress.failures.push(...failures)
  countRecorded(reading, document, recorded)
  progress.counts.seen += fetched.responses.length + fetched.observed.length
  progress.counts.invalid += fetched.responses.filter((response) => !response.valid).length
  return true
}

type FetchedForPoll = Awaited<ReturnType<typeof fetchRfq>>

/** @param again another run has recorded the RFQ since the poll looked up what is stored */
async function fetchRfq(reading: RfqReading, rfq: RfqToRead, again: boolean) {
  throwIfStopped(reading)
  const { context, run, conditional } = reading
  const sentAfter = again ? await context.store.newestRecording(run.channel) : reading.sentAfter
  // What the poll looked up is out of date by then: everything is read as if nothing were stored.
  const stored = again ? undefined : await reading.storedState(rfq.id)
  const choice = { postponed: 0 }
  const unavailable: UnavailableError[] = []
  const fetched = await readRfqWithResponses(context.session, rfq.id, {
    choose: responseChooser(reading, rfq, stored, choice),
    known: stored && knownDocuments(stored, rfq),
    storedText: stored && conditional ? conditionalReads(context.store, run.channel, rfq, stored) : undefined,
    failures: failureOptions(rfq, stored, unavailable),
  })
  return { fetched, failures: describeUnavailable(rfq, unavailable), sentAfter, choice }
}

/**
 * What can be read of an RFQ is recorded. A planned poll spends one request on a document whose last request was in vain; in other
 * polls, a person waits for it.
 */
function failureOptions(
  { planned }: RfqToRead,
  stored: StoredState | undefined,
  unavailable: UnavailableError[],
): FailureOptions {
  const isPlanned = planned !== null
  const rfqState = stored && { readAt: stored.rfq.detailReadAt, requestedAt: stored.rfq.requestedAt }
  const failedBefore = (id: string) => isInVain(stored?.responses.get(id))
  return {
    attemptOnce: { rfq: isPlanned && isInVain(rfqState), response: (id) => isPlanned && failedBefore(id) },
    failedBefore,
    onUnavailable: (error) => void unavailable.push(error),
  }
}

const isInVain = (state: Parameters<typeof lastRequestFailed>[0] | undefined) =>
  state !== undefined && lastRequestFailed(state)

/** One failure, however many offers of the RFQ could not be read. */
function describeUnavailable(rfq: RfqToRead, [first, ...others]: readonly UnavailableError[]): ItemFailure[] {
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` (and ${others.length} more of its offers could not be read)`
  return [{ id: nameOf(rfq), message: `${first.message}${more}` }]
}

/** Chooses the responses to request; undefined: all. @param made what is chosen */
function responseChooser(
  reading: RfqReading,
  { planned }: RfqToRead,
  stored: StoredState | undefined,
  made: { postponed: number },
): ChooseResponses | undefined {
  if (planned === null) return undefined
  return (listed) => {
    const choice = chooseResponses(listed, planned, stored?.responses, reading.left)
    reading.left = choice.left
    made.postponed = choice.postponed
    reading.progress.postponed += choice.postponed
    return choice
  }
}

/** An RFQ with what its list entry contradicts, and the problems of that entry. */
function comparedWithList(rfq: Observation<Rfq>, { listProblems, entry }: RfqToRead): Observation<Rfq> {
  const problems = [...listProblems, ...contradictions(entry(), rfq.body)]
  // Not a copy: its content may not be parsed yet.
  return problems.length === 0 ? rfq : Object.assign(rfq, { problems: [...rfq.problems, ...problems] })
}

/** What is stored of the documents that are present, by which those that did not change are recognized. */
function knownDocuments({ rfq, responses }: StoredState, { returned }: RfqToRead): KnownDocuments {
  return {
    rfq: returned || rfq.missingSince !== null ? null : rfq.fingerprint,
    response(id) {
      const response = responses.get(id)
      return response?.missingSince === null ? response : undefined
    },
  }
}

/** Counts a recorded RFQ and its responses. */
export function countRecorded(poll: Poll, rfq: { id: string; valid: boolean }, recorded: RecordResult): void {
  if (!rfq.valid || recorded.contradicted) poll.progress.counts.invalid++
  countChange(poll, 'rfq', rfq.id, recorded.rfq)
  for (const { id, change } of recorded.responses) countChange(poll, 'response', id, change)
  countMissing(poll, 'response', recorded.missing)
}

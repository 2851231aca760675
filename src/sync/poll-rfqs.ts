import pLimit, { type LimitFunction } from 'p-limit'
import { isAddressable } from '../domain/identifier.js'
import type { Problem, ProblemCode } from '../domain/lenient-parser.js'
import type { Observation, Rfq } from '../domain/observation.js'
import { AbortedError, ChannelError, LedgerError, MarketplaceError, PausedError } from '../marketplace/errors.js'
import { type KnownDocuments, readRfqWithResponses } from '../marketplace/rfq-reader.js'
import type { RecordResult, RfqPollState } from '../store/contract.js'
import { conditionalReads } from './conditional-reads.js'
import type { PollContext, PollResult, PollRfqsOptions } from './contract.js'
import { findConflict, type ListedTerms, listedTerms } from './list-conflict.js'
import { dedupeById } from './list-entries.js'
import { planEntries, type RfqEntry, type Selection } from './plan-entries.js'
import { checkMassLoss, countChange, countMissing, markMissing, type Poll, runPoll } from './poll.js'
import { reasonToRead } from './selection.js'
import { createResponseLoader } from './stored-responses.js'

interface RfqPoll extends Poll {
  known: ReadonlyMap<string, RfqPollState>
  /** State and due date in each list entry. */
  terms: ListedTerms
  /** When the request for the list was sent. */
  listReadAt: Date
  choose: Selection['choose']
  responses: Selection['responses']
  /** Loads stored responses that the selection has not loaded. */
  loadResponses: ReturnType<typeof createResponseLoader>
  /** Whether documents are asked for only if they changed. */
  conditional: boolean
  /** Limits how many RFQs are read at the same time. */
  reading: LimitFunction
  /** Ends the run: no further RFQ is read. */
  fatal: Error | null
}

/** RFQs that were read and wait for their commit, while further ones are read. */
const MAX_UNRECORDED = 64

/**
 * Polls the RFQs of a channel: reads the list, then each RFQ that needs it with all its responses, and records each in
 * one transaction. A failure on one RFQ does not stop the others. If the process dies, every recorded RFQ is complete,
 * and the next poll reads the others.
 * @returns the recorded run; errors of the marketplace make it `partial` or `failed` and are not thrown
 * @throws RunBusyError, RunLostError, StoreError
 */
export function pollRfqs(context: PollContext, options: PollRfqsOptions): Promise<PollResult> {
  const { session, store, now } = context
  return runPoll(context, 'rfqs', async (poll) => {
    const { run, progress } = poll
    const { value, readAt } = await session.listRfqs()
    const entries = await dedupeById('rfq', value)
    progress.counts.seen += entries.size
    const known = new Map((await store.rfqStates(run.channel)).map((state) => [state.id, state]))
    const listed = new Set(entries.keys())
    await checkMassLoss(poll, 'rfq', listed)
    await markMissing(poll, 'rfq', listed, readAt)
    const selection = options.planning
      ? await planEntries(poll, entries, { known, options, planning: options.planning })
      : selectOnly(poll, selectEntries(entries, known, options, now()), entries, options.only)
    const { toRead, unchanged, listOnly, choose, responses } = selection
    const unchangedIds = unchanged.map((entry) => entry.id)
    await store.touchRfqs(run, unchangedIds, readAt, now())
    progress.counts.unchanged += unchanged.length
    progress.madeProgress = true
    const reading = pLimit(options.concurrency)
    const conditional = (options.conditional ?? false) && !options.full
    const toLoad = toRead.map(({ id }) => id).filter((id) => known.has(id) && !responses.has(id))
    const loadResponses = createResponseLoader(store, run.channel, toLoad)
    const terms = listedTerms(value)
    const selected = { known, choose, responses, loadResponses, conditional, reading }
    const rfqPoll = { ...poll, ...selected, terms, listReadAt: readAt, fatal: null }
    await forEachEntry(rfqPoll, listOnly, MAX_UNRECORDED, (entry) => recordListEntry(rfqPoll, entry))
    await readEntries(rfqPoll, toRead)
  })
}

function selectEntries(
  entries: ReadonlyMap<string, RfqEntry>,
  known: ReadonlyMap<string, RfqPollState>,
  options: PollRfqsOptions,
  now: Date,
): Selection {
  const rules = { full: options.full ?? false, recheckClosedHours: options.recheckClosedHours, now }
  const toRead: RfqEntry[] = []
  const unchanged: RfqEntry[] = []
  for (const entry of entries.values()) {
    const listed = { id: entry.id, hash: entry.hash, state: entry.document?.state ?? null }
    ;(reasonToRead(listed, known.get(entry.id), rules) === null ? unchanged : toRead).push(entry)
  }
  return { toRead, unchanged, listOnly: [], choose: () => undefined, responses: new Map() }
}

/** Selects one RFQ. The poll is partial if others should be read. */
function selectOnly(
  { progress }: Pick<Poll, 'progress'>,
  selection: Selection,
  entries: ReadonlyMap<string, RfqEntry>,
  only: string | undefined,
): Selection {
  if (only === undefined) return selection
  const wanted = entries.get(only)
  const isOther = ({ id }: RfqEntry) => id !== only
  const others = selection.toRead.filter(isOther).length
  progress.postponed += others
  if (others > 0) progress.limitedTo = `only ${wanted ? nameOf(wanted) : 'the list'} was read, as asked for`
  return { ...selection, toRead: wanted ? [wanted] : [], unchanged: selection.unchanged.filter(isOther) }
}

/** Does the work of entries, many at the same time. An error ends the poll: no other begins, and it is thrown at the end. */
async function forEachEntry(
  poll: RfqPoll,
  entries: readonly RfqEntry[],
  concurrency: number,
  work: (entry: RfqEntry) => Promise<unknown>,
): Promise<void> {
  const limit = pLimit(concurrency)
  const begin = async (entry: RfqEntry) => {
    if (poll.fatal) return
    try {
      throwIfStopped(poll)
      await work(entry)
    } catch (error) {
      poll.fatal ??= error as Error
    }
  }
  await Promise.all(entries.map((entry) => limit(begin, entry)))
  if (poll.fatal) throw poll.fatal
}

async function readEntries(poll: RfqPoll, entries: readonly RfqEntry[]): Promise<void> {
  const { context, progress } = poll
  let done = 0
  const total = entries.length
  context.onProgress?.({ done, total })
  await forEachEntry(poll, entries, poll.reading.concurrency + MAX_UNRECORDED, async (entry) => {
    try {
      await readRfq(poll, entry)
    } catch (error) {
      if (endsRun(error)) throw error
      progress.failures.push({ id: nameOf(entry), message: (error as Error).message })
    }
    context.onProgress?.({ done: ++done, total })
  })
}

function throwIfStopped({ context, run }: RfqPoll): void {
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

const nameOf = (entry: RfqEntry) => `RFQ ${entry.document?.number ?? entry.id}`

async function readRfq(poll: RfqPoll, entry: RfqEntry): Promise<void> {
  const { context, run, progress, known, terms, choose } = poll
  const { session, store, now } = context
  if (!entry.document) {
    await recordListEntry(poll, entry)
    return
  }
  if (!isAddressable(entry.id)) {
    progress.limitations.push({ id: nameOf(entry), message: UNADDRESSABLE.message })
    await recordListEntry(poll, { ...entry, problems: [...entry.problems, UNADDRESSABLE] })
    return
  }
  try {
    const fetched = await poll.reading(async () => {
      if (poll.fatal) return null
      throwIfStopped(poll)
      const stored = await storedState(poll, entry.id)
      const storedText = stored && poll.conditional ? conditionalReads(store, run.channel, entry, stored) : undefined
      const known = stored && knownDocuments(stored)
      return await readRfqWithResponses(session, entry.id, { choose: choose(entry.id), known, storedText })
    })
    if (fetched === null) return
    const rfq = withListProblems(fetched.rfq, entry, findConflict(terms, fetched.rfq))
    const recorded = await store.recordRfq(run, { ...fetched, rfq, shape: 'full', listHash: entry.hash }, now())
    countRecorded(poll, rfq, recorded)
    progress.counts.seen += fetched.responses.length + fetched.observed.length
    progress.counts.invalid += fetched.responses.filter((response) => !response.valid).length
  } catch (error) {
    // Record at least the list entry of a new RFQ; the next poll tries to read its detail again.
    if (!known.has(entry.id) && error instanceof MarketplaceError && !(error instanceof AbortedError)) {
      await recordListEntry(poll, entry)
    }
    throw error
  }
}

/** What is stored of an RFQ; undefined if it is new. A poll that plans its requests has loaded that before. */
async function storedState({ known, responses, loadResponses }: RfqPoll, id: string) {
  const rfq = known.get(id)
  return rfq && { rfq, responses: responses.get(id) ?? (await loadResponses(id)) }
}

const UNADDRESSABLE: Problem = {
  path: 'id',
  code: 'unaddressable',
  message: 'its identifier cannot be part of a URL, so only its list entry is known; correct it on the marketplace',
}

/** Problems of a list entry that its detail does not show. */
const LIST_PROBLEMS = new Set<ProblemCode>([
  'duplicate',
  'omitted',
  'duplicate-key',
  'precision',
  'encoding',
  'api-key',
])

/** An RFQ is not valid if parsing its list entry lost something that matters, or if list and detail disagree. */
function withListProblems(rfq: Observation<Rfq>, entry: RfqEntry, conflict: Problem | null): Observation<Rfq> {
  const problems = entry.problems.filter(({ code }) => LIST_PROBLEMS.has(code))
  const isLossy = !entry.valid && problems.some(({ code }) => code === 'duplicate-key' || code === 'precision')
  if (conflict) problems.push(conflict)
  const valid = rfq.valid && !isLossy && conflict === null
  // Not a copy: its content may not be parsed yet.
  return problems.length === 0 ? rfq : Object.assign(rfq, { problems: [...rfq.problems, ...problems], valid })
}

/** What is stored of the documents that are present, by which those that did not change are recognized. */
function knownDocuments({ rfq, responses }: NonNullable<Awaited<ReturnType<typeof storedState>>>): KnownDocuments {
  return {
    rfq: rfq.missingSince === null ? rfq.fingerprint : null,
    response(id) {
      const response = responses.get(id)
      return response?.missingSince === null ? response : undefined
    },
  }
}

/** Records the list entry of an RFQ whose detail cannot be read, or that has no identifier. */
async function recordListEntry(poll: RfqPoll, entry: RfqEntry): Promise<void> {
  const { context, run, listReadAt } = poll
  const snapshot = { rfq: entry, shape: 'list' as const, listHash: null, responses: [], responsesComplete: false }
  countRecorded(poll, entry, await context.store.recordRfq(run, { ...snapshot, readAt: listReadAt }, context.now()))
}

function countRecorded(poll: RfqPoll, rfq: { id: string; valid: boolean }, recorded: RecordResult): void {
  if (!rfq.valid) poll.progress.counts.invalid++
  countChange(poll, 'rfq', rfq.id, recorded.rfq)
  for (const { id, change } of recorded.responses) countChange(poll, 'response', id, change)
  countMissing(poll, 'response', recorded.missing)
}

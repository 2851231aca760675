import { setTimeout as wait } from 'node:timers/promises'
import { TimeSlice } from '../domain/time-slice.js'
import { AbortedError, MarketplaceError } from '../marketplace/errors.js'
import type { PollParts } from '../store/contract.js'
import { RunLostError } from '../store/errors.js'
import type { PollSharing } from './contract.js'
import {
  fromPartError,
  PART_SIZE,
  type PartResult,
  type PollPart,
  parsePartResult,
  splitIntoParts,
} from './poll-part.js'
import { RENEW_INTERVAL_MS, readPart } from './read-part.js'
import { type RfqReading, throwIfStopped } from './read-rfqs.js'
import type { RfqToRead } from './rfq-to-read.js'

/** How often to look whether others have finished their parts, in milliseconds. */
const LOOK_INTERVAL_MS = 200
/** How often to look whether to ask for help with further parts, in milliseconds. */
const ASK_INTERVAL_MS = 1_000
/** Parts that others are asked to read at the same time: their jobs should not crowd the queue. */
const MAX_ASKED = 50
/** How long others may take to notice that the poll has ended, in milliseconds. */
const MAX_WAIT_MS = RENEW_INTERVAL_MS + 2_000

/** Whether RFQs are so many that it is worth to share them. */
export const isWorthSharing = (rfqs: readonly RfqToRead[]): boolean => rfqs.length >= 2 * PART_SIZE

/** Has no stored states: each process loads those of the parts that it reads. */
export type SharedReading = Omit<RfqReading, 'storedState' | 'onDone'>

/**
 * Reads RFQs together with other processes: divides them into parts, asks for help, and reads parts itself until all are finished.
 * So the poll makes progress also if nobody helps. A part whose process died is read again once its claim has expired.
 * @throws as `readRfqs`, also an error that ended the poll in another process
 */
export async function readShared(
  reading: SharedReading,
  rfqs: readonly RfqToRead[],
  { askForHelp }: PollSharing,
): Promise<void> {
  const { context, run, progress, conditional, left } = reading
  const parts = splitIntoParts(rfqs, { timeZone: run.timeZone, conditional, left })
  progress.shared = { unfinishedRfqs: idsOf(parts) }
  await context.store.addPollParts(run, asTexts(parts))
  const ended = new AbortController()
  const asking = keepAsking(reading, { parts: parts.length, askForHelp, signal: ended.signal })
  let failure: unknown = null
  try {
    await readParts(reading)
  } catch (error) {
    failure = error
    const isAnswer = error instanceof MarketplaceError && !(error instanceof AbortedError)
    if (isAnswer) await waitForOthers(reading).catch(() => undefined) // The first error explains more.
  } finally {
    ended.abort()
    await asking
  }
  try {
    const foreign = await addUp(reading, parts)
    failure ??= foreign
  } catch (error) {
    failure ??= error
  } finally {
    reading.changes.length = 0 // Other processes found some of them.
  }
  if (failure !== null) throw failure
}

const idsOf = (parts: readonly PollPart[]) => parts.flatMap(({ rfqs }) => rfqs.map(({ id }) => id))

/** One after another, so that the texts of all parts are never in memory at once. */
function* asTexts(parts: readonly PollPart[]): Iterable<string> {
  for (const part of parts) yield JSON.stringify(part)
}

/** Asks for help with the next parts, and with more as parts are finished. Never rejects. */
export async function keepAsking(
  { context, run }: { context: { store: Pick<PollParts, 'pollPartsLeft'> }; run: { id: number } },
  { parts, askForHelp, signal, intervalMs = ASK_INTERVAL_MS }: Asking,
): Promise<void> {
  let asked = 1 // Its own process begins with the first.
  for (let finished = 0; ; ) {
    const to = Math.min(parts, finished + MAX_ASKED + 1)
    if (to > asked) askForHelp({ run: run.id, from: asked, to }, signal)
    asked = Math.max(asked, to)
    if (asked >= parts) return
    await wait(intervalMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const left = await context.store.pollPartsLeft(run.id).catch(() => null)
    if (left !== null) finished = parts - left.unfinished
  }
}

interface Asking extends PollSharing {
  /** How many parts the poll has. */
  parts: number
  signal: AbortSignal
  /** How often to look whether to ask for more. */
  intervalMs?: number
}

/** Reads parts until all are finished, by whichever process, or one ended the poll. */
async function readParts(reading: SharedReading): Promise<void> {
  const { context, run } = reading
  for (;;) {
    throwIfStopped(reading)
    const { unfinished, free, ended } = await context.store.pollPartsLeft(run.id)
    if (ended) return waitForOthers(reading)
    if (unfinished === 0) return
    const claim = free > 0 ? await context.store.claimPollPart({ runId: run.id }) : null
    if (claim === null) {
      await wait(LOOK_INTERVAL_MS)
      continue
    }
    // Its requests are those of the session, which counts them for the run.
    const { result, error } = await readPart(context, claim, { ...reading, lost: run.lost, sent: () => 0 })
    // If only the part is lost, the next look shows why: the poll has ended, or another process reads it again.
    const isFatal = error !== null && !(error instanceof RunLostError && !run.lost.aborted)
    const end = { result: JSON.stringify(result), requests: 0, endsPoll: isFatal }
    const finished = context.store.finishPollPart(claim, end)
    if (!isFatal) await finished
    else {
      await finished.catch(() => undefined) // The database may be what failed; the first error explains more.
      throw error
    }
  }
}

/** Waits until no other process reads a part of a poll that has ended, so that what they did counts. */
async function waitForOthers({ context, run }: SharedReading): Promise<void> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += LOOK_INTERVAL_MS) {
    const { unfinished, free } = await context.store.pollPartsLeft(run.id)
    if (unfinished === free || context.signal?.aborted) return
    await wait(LOOK_INTERVAL_MS)
  }
}

/**
 * Adds up what all processes did. What is new, changed or missing is what they wrote for the run, and is counted when it ends: a part may
 * have been read twice, and recorded by a process that died.
 * @returns the error that ended the poll in another process, or null
 */
async function addUp(reading: SharedReading, parts: readonly PollPart[]): Promise<Error | null> {
  const { context, run, progress } = reading
  const uncounted = new Set(parts)
  const unreadable: { rfq: RfqToRead; inVain: boolean }[] = []
  let failure: PartResult['error'] = null
  const slice = new TimeSlice()
  try {
    for (const { number, result: text, requests } of await context.store.pollParts(run.id)) {
      progress.requestsOfOthers += requests
      if (text === null) continue
      const { seen, documents, invalid, postponed, error, ...result } = parsePartResult(text)
      progress.counts.seen += seen
      progress.counts.unchanged += documents
      progress.counts.invalid += invalid
      progress.postponed += postponed
      for (const each of result.failures) progress.failures.push(each)
      failure ??= error
      const part = parts[number] as PollPart
      uncounted.delete(part)
      const ids = new Set(result.unreadable)
      const inVain = new Set(result.inVain)
      for (const rfq of part.rfqs) if (ids.has(rfq.id)) unreadable.push({ rfq, inVain: inVain.has(rfq.id) })
      if (slice.isOver) await slice.next()
    }
  } finally {
    progress.shared = { unfinishedRfqs: idsOf([...uncounted]) }
  }
  for (const { rfq, inVain } of unreadable) await reading.onUnreadable(rfq, inVain)
  return failure && fromPartError(failure)
}

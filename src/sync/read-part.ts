import { channelKey } from '../domain/channel.js'
import { newProgress } from '../runs.js'
import type { PartClaim, PollParts } from '../store/contract.js'
import { RunLostError } from '../store/errors.js'
import type { PollContext, PollRfqsOptions } from './contract.js'
import { type PartResult, parsePollPart, toPartError } from './poll-part.js'
import { readRfqs } from './read-rfqs.js'
import type { RfqToRead } from './rfq-to-read.js'
import { loadStates } from './stored-states.js'

/** How often a claim is renewed, and whether the poll goes on is looked up, in milliseconds. */
export const RENEW_INTERVAL_MS = 3_000

/** What became of a part that was claimed. */
export interface PartReading {
  result: PartResult
  /** Why not all of it was read; null if it was. */
  error: Error | null
  /** Sent for the part, and not yet recorded with it. */
  requests: number
}

interface ReadPartOptions {
  concurrency: number
  /** Aborted when the run is lost. */
  lost?: AbortSignal
  /** Requests sent for the part so far; none if they are counted elsewhere. */
  sent: () => number
}

/** Reads the RFQs of a claimed part and records them for its run, and renews the claim meanwhile. Does not reject. */
export async function readPart(context: PollContext, claim: PartClaim, options: ReadPartOptions): Promise<PartReading> {
  const progress = newProgress()
  const unreadable: string[] = []
  const inVain: string[] = []
  const renewal = startRenewing(context.store, claim, options.sent)
  const lost = options.lost ? AbortSignal.any([options.lost, renewal.lost]) : renewal.lost
  let error: Error | null = null
  try {
    const { timeZone, rfqs, ...part } = parsePollPart(claim.content)
    const run = { id: claim.runId, channel: claim.channel, kind: 'rfqs' as const, timeZone, lost }
    const reading = {
      ...{ context, run, progress, changes: [], ...part },
      concurrency: options.concurrency,
      // Before what is stored is looked up, and RFQs are requested.
      sentAfter: await context.store.newestRecording(run.channel),
      storedState: await loadStates(context.store, run.channel, rfqs),
      onUnreadable({ id }: RfqToRead, wasRequested: boolean) {
        unreadable.push(id)
        if (wasRequested) inVain.push(id)
      },
    }
    await readRfqs(reading, rfqs)
  } catch (thrown) {
    error = thrown as Error
  }
  const requests = await renewal.stop()
  const { seen, inserted, changed, unchanged, invalid } = progress.counts
  const { failures, postponed } = progress
  const documents = inserted + changed + unchanged
  return {
    result: { seen, documents, invalid, postponed, failures, unreadable, inVain, error: toPartError(error) },
    ...{ error, requests },
  }
}

/**
 * Helps with a poll that another process began: reads a part of it, unless another process has.
 * @returns how many documents were recorded; null if the part is not this process's to finish
 * @throws ChannelError if the marketplace refuses this process, LedgerError, StoreError, AbortedError and other errors that do not end the
 *   poll; the part is free again then
 */
export async function readPollPart(
  context: PollContext,
  part: { run: number; number: number },
  { concurrency }: Pick<PollRfqsOptions, 'concurrency'>,
): Promise<number | null> {
  const { store, session } = context
  try {
    const claim = await store.claimPollPart({ runId: part.run, number: part.number })
    if (claim === null) return null
    const isOther = claim.channel !== channelKey(session.channel)
    const { result, error, requests } = isOther
      ? { ...NOTHING_READ, error: new Error(`part ${part.number} of run ${part.run} is of another channel`) }
      : await readPart(context, claim, { concurrency, sent: () => session.requests })
    if (error === null || error instanceof RunLostError || result.error !== null) {
      const end = { result: JSON.stringify(result), requests, endsPoll: result.error !== null }
      return (await store.finishPollPart(claim, end)) && error === null ? result.documents : null
    }
    // If it cannot be given back, the claim expires.
    await store.releasePollPart(claim, requests).catch(() => undefined)
    throw error
  } catch (error) {
    if (error instanceof RunLostError) return null
    throw error
  }
}

const NOTHING_READ = {
  result: {
    ...{ seen: 0, documents: 0, invalid: 0, postponed: 0 },
    failures: [],
    unreadable: [],
    inVain: [],
    error: null,
  },
  requests: 0,
}

/** Renews a claim until it is stopped. */
function startRenewing(store: PollParts, claim: PartClaim, sent: () => number) {
  const lost = new AbortController()
  const before = sent()
  let recorded = before
  let renewing: Promise<void> | null = null
  const renew = async () => {
    const now = sent()
    const goesOn = await store.renewPollPart(claim, now - recorded)
    recorded = now
    if (!goesOn)
      lost.abort(new RunLostError(`Part ${claim.number} of run ${claim.runId} is not to be read any further.`))
  }
  const timer = setInterval(() => {
    renewing ??= renew()
      .catch(() => undefined) // The database may be away: the next renewal tries again before the claim expires.
      .finally(() => {
        renewing = null
      })
  }, RENEW_INTERVAL_MS)
  return {
    /** Aborted when the part should not be read any further. */
    lost: lost.signal,
    /** @returns the requests that were not recorded with the claim */
    async stop(): Promise<number> {
      clearInterval(timer)
      await renewing
      return sent() - recorded
    },
  }
}

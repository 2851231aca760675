import type { Observation, Rfq } from '../core/documents/observation.js'
import type { ClockTimes } from '../core/time/clock-skew.js'
import type { ReadResult } from '../marketplace/contract.js'
import type { RunHandle } from '../store/contract.js'
import { readRfqWithResponses } from '../sync/rfq-reader.js'
import type { ClosingContext } from './contract.js'
import type { Candidate } from './evaluate.js'
import { closingProblems } from './text-scan.js'

/** An RFQ as just read, and recorded in the history. */
export interface FreshRead extends Candidate, ClockTimes {
  state: string | null
}

/** An RFQ that changes at each of this many reads is left to the next round. */
export const MAX_READS = 3

/** Reads an RFQ with all its responses, and records it. @throws MarketplaceError, RunLostError */
export async function readAndRecord(context: ClosingContext, run: RunHandle, id: string): Promise<FreshRead> {
  const whole = await readRfqWithResponses(context.session, id)
  const answeredAt = context.now()
  const rfq = { ...whole.rfq, problems: [...whole.rfq.problems, ...closingProblems(whole.rfq.text)] }
  const recorded = await context.store.recordRfq(run, { ...whole, rfq, shape: 'full' }, answeredAt)
  const { missingSince, entry } = await knownOf(context, run.channel, id)
  const known = { missingSince, entry, version: recorded.rfqVersion, hash: recorded.rfqHash }
  return freshRead(whole.rfq, known, { readAt: whole.readAt, answeredAt, serverDate: whole.serverDate })
}

/** What only a list shows: whether the RFQ is missing from it, and its entry. */
async function knownOf({ store }: ClosingContext, channel: string, id: string) {
  const [stored] = await store.rfqs({ channel, ids: [id], withoutResponses: true })
  return {
    missingSince: stored?.rfq.missingSince ?? null,
    entry: stored?.rfq.entry ?? null,
  }
}

/**
 * Checks that a read of an RFQ, without its responses, shows the known version.
 * @param known the version the decision to close is based on
 * @returns null if the RFQ has changed
 */
export async function confirmRead(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
  { value, readAt, serverDate }: ReadResult<Observation<Rfq>>,
): Promise<FreshRead | null> {
  const answeredAt = context.now()
  if (value.hash !== known.hash) return null
  // The list may have been read again since the decision.
  const found = await knownOf(context, run.channel, value.id)
  const { version, hash } = known
  const read = freshRead(value, { ...found, version, hash }, { readAt, answeredAt, serverDate })
  // What its text has against it is recorded.
  if (known.valid && !read.valid) return null
  return read
}

/**
 * Reads an RFQ again for a dry run: without its responses, or with all of them if it has changed.
 * @returns null if it differed at every attempt
 */
export async function readForDryRun(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
): Promise<FreshRead | null> {
  let expected = known
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const read = await confirmRead(context, run, expected, await context.session.readRfq(known.id))
    if (read !== null) return read
    expected = await readAndRecord(context, run, known.id)
  }
  return null
}

function freshRead(
  { id, text, document, valid }: Observation<Rfq>,
  known: Pick<Candidate, 'entry' | 'missingSince' | 'version' | 'hash'>,
  times: ClockTimes,
): FreshRead {
  const isClear = closingProblems(text).length === 0
  const state = isClear ? (document?.state ?? null) : null
  const { entry, missingSince, version, hash } = known
  return {
    ...{ id, body: JSON.parse(text) as unknown, document, valid: valid && isClear, listEntryOnly: false, state },
    ...{ entry, missingSince, version, hash, ...times },
  }
}

import { contentHash } from '../core/documents/canonical-json.js'
import type { Observation, Rfq } from '../core/documents/observation.js'
import type { ClockTimes } from '../core/time/clock-skew.js'
import type { ReadResult } from '../marketplace/contract.js'
import { readRfqWithResponses } from '../marketplace/rfq-reader.js'
import type { RunHandle } from '../store/contract.js'
import type { ClosingContext } from './contract.js'
import type { Candidate } from './evaluate.js'

/** An RFQ as just read, and recorded in the history. */
export interface FreshRead extends Candidate, ClockTimes {
  state: string | null
}

/** An RFQ that changes at each of this many reads is left to the next round. */
export const MAX_READS = 3

/**
 * Reads an RFQ with all its responses and records it. If a poll records it meanwhile, reads it again, because the order of the two reads
 * is unknown; after `MAX_READS`, the record of the poll stays. Throws MarketplaceError.
 */
export async function readAndRecord(context: ClosingContext, run: RunHandle, id: string): Promise<FreshRead> {
  for (let reads = 1; ; reads++) {
    const sentAfter = await context.store.newestRecording(run.channel)
    const whole = await readRfqWithResponses(context.session, id)
    const answeredAt = context.now()
    const { isLossy, storedHash: _storedHash, ...known } = await knownOf(context, run.channel, whole.rfq)
    const rfq = { ...whole.rfq, valid: whole.rfq.valid && !isLossy }
    const snapshot = { ...whole, rfq, shape: 'full' as const, sentAfter }
    const recorded = await context.store.recordRfq(run, snapshot, answeredAt)
    if (recorded.rfq === 'stale' && reads < MAX_READS) continue
    const { rfqVersion: version, rfqHash: hash } = recorded
    const times = { readAt: whole.readAt, answeredAt, serverDate: whole.serverDate }
    return freshRead(rfq, { ...known, version, hash }, times)
  }
}

/**
 * What only polls show and this read does not change: whether the RFQ is missing from the list, its list entry, and whether the same
 * content was recorded as not valid (`isLossy`) because its text had a duplicate key.
 */
async function knownOf({ store }: ClosingContext, channel: string, { id, exactBody, valid }: Observation<Rfq>) {
  const [stored] = await store.rfqs({ channel, ids: [id], withoutResponses: true })
  if (stored === undefined) return { valid, entry: null, missingSince: null, isLossy: false, storedHash: null }
  const { missingSince, entry, contentHash: hash, valid: wasValid } = stored.rfq
  const isLossy = !wasValid && hash === contentHash('rfq', exactBody)
  return { valid: valid && !isLossy, entry, missingSince, isLossy, storedHash: hash }
}

/**
 * Checks that a read of an RFQ, without its responses, shows the known version.
 * @param known the version the decision to close is based on
 * @returns null if the RFQ has changed, according to this read or to a poll since
 */
export async function confirmRead(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
  { value, readAt, serverDate }: ReadResult<Observation<Rfq>>,
): Promise<FreshRead | null> {
  const answeredAt = context.now()
  if (contentHash('rfq', value.exactBody) !== known.hash) return null
  // A poll may have found something against it since the decision.
  const { isLossy: _isLossy, storedHash, ...found } = await knownOf(context, run.channel, value)
  if (storedHash !== null && storedHash !== known.hash) return null
  const { version, hash } = known
  return freshRead(value, { ...found, version, hash }, { readAt, answeredAt, serverDate })
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
  { id, body, exactBody, document }: Observation<Rfq>,
  known: Pick<Candidate, 'valid' | 'entry' | 'missingSince' | 'version' | 'hash'>,
  times: ClockTimes,
): FreshRead {
  const state = document?.state ?? null
  return { id, body, exactBody, document, listEntryOnly: false, state, ...known, ...times }
}

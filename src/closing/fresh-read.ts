import { contentHash } from '../domain/canonical-json.js'
import type { ClockTimes } from '../domain/clock-skew.js'
import type { Observation, Rfq } from '../domain/observation.js'
import { readRfqWithResponses } from '../marketplace/rfq-reader.js'
import type { RunHandle } from '../store/contract.js'
import type { ClosingContext } from './contract.js'
import type { Candidate } from './evaluate.js'

/** An RFQ as just read, and recorded in the history. */
export interface FreshRead extends Candidate, ClockTimes {
  state: string | null
}

/** An RFQ that changes at each of this many reads is left to the next round. */
const MAX_READS = 3

/** Reads an RFQ with all its responses and records it. Throws MarketplaceError. */
export async function readAndRecord(context: ClosingContext, run: RunHandle, id: string): Promise<FreshRead> {
  const whole = await readRfqWithResponses(context.session, id)
  const answeredAt = context.now()
  const rfq = { ...whole.rfq, valid: whole.rfq.valid && !(await isInvalidElsewhere(context, run.channel, whole.rfq)) }
  const recorded = await context.store.recordRfq(run, { ...whole, rfq, shape: 'full', listHash: null }, answeredAt)
  const version = { version: recorded.rfqVersion, hash: recorded.rfqHash }
  return freshRead(id, rfq, version, { readAt: whole.readAt, answeredAt, serverDate: whole.serverDate })
}

/**
 * Whether the same content was recorded as not valid: its list entry contradicts it or has a duplicate key, which this read
 * cannot show. Only a poll clears that.
 */
async function isInvalidElsewhere({ store }: ClosingContext, channel: string, { id, exactBody }: Observation<Rfq>) {
  const matches = await store.rfqs({ channel, match: id, withoutResponses: true })
  const stored = matches.find(({ rfq }) => rfq.id === id)?.rfq
  return stored !== undefined && !stored.valid && stored.contentHash === contentHash('rfq', exactBody)
}

/**
 * Reads an RFQ immediately before a close (docs/CLOSING.md, rule 6): with all its responses, since a poll may not have read
 * them of late, then alone once more. If it changed meanwhile, both again. A dry run, which sends nothing, begins with the
 * second step.
 * @param known the version the decision to close is based on
 * @returns null if it differed at every attempt
 */
export async function readBeforeClose(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
  { isDryRun }: { isDryRun: boolean },
): Promise<FreshRead | null> {
  let expected = isDryRun ? known : await readAndRecord(context, run, known.id)
  for (let attempt = 0; attempt < MAX_READS; attempt++) {
    const { value, readAt, serverDate } = await context.session.readRfq(known.id)
    const answeredAt = context.now()
    if (contentHash('rfq', value.exactBody) === expected.hash && value.valid === expected.valid) {
      await context.store.touchRfqs(run, [known.id], readAt, answeredAt)
      return freshRead(known.id, value, expected, { readAt, answeredAt, serverDate })
    }
    expected = await readAndRecord(context, run, known.id)
  }
  return null
}

function freshRead(
  id: string,
  { body, exactBody, document, valid }: Observation<Rfq>,
  { version, hash }: { version: number; hash: string },
  times: ClockTimes,
): FreshRead {
  const state = document?.state ?? null
  return {
    id,
    body,
    exactBody,
    document,
    valid,
    listEntryOnly: false,
    missingSince: null,
    version,
    hash,
    state,
    ...times,
  }
}

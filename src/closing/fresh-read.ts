import { contentHash } from '../domain/canonical-json.js'
import { observeRfq } from '../domain/observation.js'
import { readWholeRfq } from '../marketplace/rfq-reader.js'
import type { RunHandle } from '../store/contract.js'
import type { ClosingContext } from './contract.js'
import type { Candidate } from './evaluate.js'

/** What a reading showed, kept in the history. */
export interface FreshRead extends Candidate {
  state: string | null
  /** When its request was sent. */
  readAt: Date
  /** Our clock when the answer had come, and the marketplace's `Date` header. */
  answeredAt: Date
  serverDate: Date | null
}

/** Reads an RFQ with all its responses and keeps it. Throws MarketplaceError. */
export async function readAndRecord(context: ClosingContext, run: RunHandle, id: string): Promise<FreshRead> {
  const whole = await readWholeRfq(context.session, id)
  const answeredAt = context.now()
  const recorded = await context.store.recordRfq(run, { ...whole, shape: 'full', listHash: null }, answeredAt)
  const version = { version: recorded.rfqVersion, hash: recorded.rfqHash }
  return reading(id, whole.rfq, version, { readAt: whole.readAt, answeredAt, serverDate: whole.serverDate })
}

/**
 * The reading immediately before a close: one request where nothing changed; where it did, the RFQ is first kept whole
 * and then read once more.
 * @returns null where it differs at every reading
 */
export async function readBeforeClose(
  context: ClosingContext,
  run: RunHandle,
  known: Candidate,
): Promise<FreshRead | null> {
  let expected = known
  for (let attempt = 0; attempt < 3; attempt++) {
    const { value, readAt, serverDate } = await context.session.readRfq(known.id)
    const answeredAt = context.now()
    if (contentHash('rfq', value.body) === expected.hash) {
      await context.store.touchRfqs(run, [known.id], readAt, answeredAt)
      return reading(known.id, value, expected, { readAt, answeredAt, serverDate })
    }
    expected = await readAndRecord(context, run, known.id)
  }
  return null
}

function reading(
  id: string,
  { body, valid }: { body: unknown; valid: boolean },
  { version, hash }: { version: number; hash: string },
  times: Pick<FreshRead, 'readAt' | 'answeredAt' | 'serverDate'>,
): FreshRead {
  const state = observeRfq(body).document?.state ?? null
  return { id, body, valid, listEntryOnly: false, missingSince: null, version, hash, state, ...times }
}

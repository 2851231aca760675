import type { RfqPollState } from '../store/contract.js'
import { dedupeById, type RfqEntry } from './list-entries.js'
import { checkList, type ListReading, recordList } from './poll.js'

/** The list of the RFQs of a channel, as it was read and recorded. */
export interface RfqList {
  entries: ReadonlyMap<string, RfqEntry>
  /** The RFQs that were stored before, by id. */
  known: ReadonlyMap<string, RfqPollState>
  /** RFQs that it does not have any more; none if it may not be whole. */
  missing: string[]
  /** When the request for it was sent. */
  readAt: Date
}

/**
 * Reads the list of the RFQs of a channel, and records it. If it may not be whole, the run is suspicious and nothing is missing.
 * @throws MarketplaceError, RunLostError, StoreError
 */
export async function readRfqList(reading: ListReading): Promise<RfqList> {
  const { context, run } = reading
  const { value, partial, readAt } = await context.session.listRfqs()
  const known = new Map((await context.store.rfqStates(run.channel)).map((state) => [state.id, state]))
  const present = await context.store.presentIds(run.channel, 'rfq-entry')
  const entries = await dedupeById(value, [...known.keys(), ...present])
  checkList(reading, 'RFQs', { present, listed: new Set(entries.keys()), partial })
  const changes = await recordList(reading, 'rfq-entry', entries, readAt)
  const missing = changes.flatMap(({ id, change }) => (change === 'missing' ? [id] : []))
  return { entries, known, missing, readAt }
}

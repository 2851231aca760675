import type { PollStates } from '../store/contract.js'
import type { StoredState } from './conditional-reads.js'
import type { RfqToRead } from './rfq-to-read.js'
import { loadResponses } from './stored-responses.js'

/**
 * Loads what is stored of a few RFQs.
 * @returns finds it by id; undefined of an RFQ that is new
 */
export async function loadStates(
  store: Pick<PollStates, 'rfqStates' | 'responseStates'>,
  channel: string,
  rfqs: readonly RfqToRead[],
): Promise<(id: string) => Promise<StoredState | undefined>> {
  const ids = rfqs.map(({ id }) => id)
  const known = new Map((await store.rfqStates(channel, ids)).map((state) => [state.id, state]))
  const sizes = rfqs.map(({ id, listedResponses }) => ({ id, responses: listedResponses.length }))
  const responses = await loadResponses(store, channel, sizes)
  return async (id) => {
    const rfq = known.get(id)
    return rfq && { rfq, responses: responses.get(id) ?? new Map() }
  }
}

import { IdMap } from '../core/documents/identifier.js'
import { TimeSlice } from '../core/time/time-slice.js'
import type { PollStates, ResponsePollState } from '../store/contract.js'

/** RFQs whose responses are loaded together. */
const LOADED_TOGETHER = 50

/** The stored responses of an RFQ, by id. */
export type StoredResponses = IdMap<ResponsePollState>

/** Groups responses by RFQ. */
export function addByRfq(grouped: Map<string, StoredResponses>, states: readonly ResponsePollState[]): typeof grouped {
  for (const state of states) {
    const group = grouped.get(state.rfqId)
    if (group) group.set(state.id, state)
    else grouped.set(state.rfqId, new IdMap([[state.id, state]]))
  }
  return grouped
}

/** Documents whose states are loaded at once, which takes a few milliseconds. */
const STATES_BATCH = 1_000

/**
 * Loads the stored responses of RFQs; an RFQ without any has an empty map.
 * @param rfqs `responses`: how many it may have
 */
export async function loadResponses(
  store: Pick<PollStates, 'responseStates'>,
  channel: string,
  rfqs: readonly { id: string; responses: number }[],
): Promise<Map<string, StoredResponses>> {
  const grouped = new Map<string, StoredResponses>()
  const slice = new TimeSlice()
  let batch: string[] = []
  let documents = 0
  const load = async () => {
    for (const id of batch) grouped.set(id, new IdMap())
    addByRfq(grouped, await store.responseStates(channel, batch))
    batch = []
    documents = 0
    if (slice.isOver) await slice.next()
  }
  for (const { id, responses } of rfqs) {
    batch.push(id)
    documents += 1 + responses
    if (documents >= STATES_BATCH) await load()
  }
  await load()
  return grouped
}

/**
 * Creates a loader of the stored responses of RFQs that loads them in groups, in the order in which they are read. Each is loaded once.
 * @param rfqIds of stored RFQs
 */
export function createResponseLoader(
  store: Pick<PollStates, 'responseStates'>,
  channel: string,
  rfqIds: readonly string[],
): (rfqId: string) => Promise<StoredResponses> {
  const groups = new Map<string, readonly string[]>()
  for (let start = 0; start < rfqIds.length; start += LOADED_TOGETHER) {
    const group = rfqIds.slice(start, start + LOADED_TOGETHER)
    for (const id of group) groups.set(id, group)
  }
  const loading = new Map<readonly string[], Promise<Map<string, StoredResponses>>>()
  const load = async (group: readonly string[]): Promise<Map<string, StoredResponses>> =>
    addByRfq(new Map(), await store.responseStates(channel, group))
  return async (rfqId) => {
    const group = groups.get(rfqId) ?? [rfqId]
    const loaded = loading.get(group) ?? load(group)
    loading.set(group, loaded)
    const states = await loaded
    const found = states.get(rfqId) ?? new IdMap<ResponsePollState>()
    states.delete(rfqId)
    return found
  }
}

import type { ReadOptions } from '../marketplace/rfq-reader.js'
import type { PollStates, ResponsePollState, RfqPollState } from '../store/contract.js'
import type { RfqEntry } from './plan-entries.js'
import { reasonToReadNow } from './response-choice.js'

/** What is stored of an RFQ that is read again. */
interface StoredState {
  rfq: RfqPollState
  /** By id. */
  responses: ReadonlyMap<string, ResponsePollState>
}

/**
 * The stored documents of an RFQ that the marketplace may be asked for only if they changed: those of which neither the list nor
 * a summary shows that they did, because an intermediary may answer 304 to whatever it is sent.
 */
export function conditionalReads(
  store: Pick<PollStates, 'textWithValidators'>,
  channel: string,
  { id: rfqId, hash, document }: RfqEntry,
  { rfq, responses }: StoredState,
): ReadOptions['storedText'] {
  if (rfq.detailReadAt === null) return undefined
  const isPresent = (id: string) => responses.get(id)?.missingSince === null
  const isSame =
    rfq.missingSince === null &&
    rfq.listHash === hash &&
    (document?.responses?.every((response) => isPresent(response.id)) ?? true)
  return {
    rfq: isSame ? storedText(store, { channel, kind: 'rfq', rfqId: null, id: rfqId }, rfq) : undefined,
    response: (id, summaryHash) => {
      const response = responses.get(id)
      if (response === undefined || reasonToReadNow(response, summaryHash) !== null) return undefined
      return storedText(store, { channel, kind: 'response', rfqId, id }, response)
    },
  }
}

function storedText(
  store: Pick<PollStates, 'textWithValidators'>,
  document: Parameters<PollStates['textWithValidators']>[0],
  { validators }: Pick<RfqPollState, 'validators'>,
) {
  return validators === null ? undefined : { validators, text: () => store.textWithValidators(document, validators) }
}

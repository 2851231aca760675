import type { ReadOptions } from '../marketplace/rfq-reader.js'
import type { PollStates, RfqPollState, StoredDocument } from '../store/contract.js'
import { reasonToReadNow } from './plan/response-choice.js'
import type { RfqToRead } from './plan/rfq-to-read.js'
import { isEntryRead } from './plan/selection.js'
import type { StoredResponses } from './stored-responses.js'

/** What is stored of an RFQ that is read again. */
export interface StoredState {
  rfq: RfqPollState
  responses: StoredResponses
}

/**
 * The stored documents of an RFQ that the marketplace may be asked for only if they changed: those of which neither the list nor
 * a summary shows that they did, because a proxy may answer 304 for a document that did change.
 */
export function conditionalReads(
  store: Pick<PollStates, 'textWithValidators'>,
  channel: string,
  { id: rfqId, entryHash, listedResponses, returned }: RfqToRead,
  { rfq, responses }: StoredState,
): ReadOptions['storedText'] {
  if (rfq.detailReadAt === null) return undefined
  const isPresent = (id: string) => responses.get(id)?.missingSince === null
  const isSame = !returned && isEntryRead(rfq, entryHash) && listedResponses.every(isPresent)
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
  document: StoredDocument,
  { validators }: Pick<RfqPollState, 'validators'>,
) {
  return validators === null ? undefined : { validators, text: () => store.textWithValidators(document, validators) }
}

import type { Timestamp } from '../../core/time/clock.js'

/** The stored state by which a poll decides whether to read an RFQ again. */
export interface RfqPollState {
  id: string
  /** The hash of its newest list entry; null if none was recorded. */
  entryHash: string | null
  /** Whether the run that recorded that entry, or a later one, read the RFQ itself. */
  isEntryRead: boolean
  shape: 'full' | 'list'
  state: string | null
  /** When the RFQ itself, not only its list entry, was last read. */
  detailReadAt: Timestamp | null
  /** When it was last requested, even if the request failed. */
  requestedAt: Timestamp | null
  /** Whether some response is known only by its summary, or its last request failed, and it can be requested. */
  incomplete: boolean
  missingSince: Timestamp | null
  firstObservedAt: Timestamp
  /** `textHash` of the text last received; null if it must be parsed again, because of problems. */
  textHash: string | null
}

/** The stored state by which a poll decides whether to read a response again. */
export interface ResponsePollState {
  rfqId: string
  id: string
  /** When the response itself was last read; null if only its summary is known. */
  readAt: Timestamp | null
  /** When it was last requested, even if the request failed. */
  requestedAt: Timestamp | null
  /** Hashes of its summary as last observed, and as of the last read of the response; null if unknown. */
  summaryHash: string | null
  readSummaryHash: string | null
  firstObservedAt: Timestamp
  missingSince: Timestamp | null
  /** `textHash` of the text last received; null if it must be parsed again, because of problems. */
  textHash: string | null
}

/** The stored states by which a poll decides what to read. */
export interface PollStates {
  /** All RFQs of the channel. */
  rfqStates(channel: string): Promise<RfqPollState[]>
  /** The responses of some RFQs. */
  responseStates(channel: string, rfqIds: readonly string[]): Promise<ResponsePollState[]>
  /** Ids of documents that are not missing; used to detect a loss. */
  presentIds(channel: string, kind: 'listing' | 'rfq-entry'): Promise<string[]>
}

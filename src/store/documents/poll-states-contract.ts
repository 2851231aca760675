import type { Validators } from '../../core/documents/validators.js'
import type { Timestamp } from '../../core/time/clock.js'

/** Stored state from which a poll decides whether to read an RFQ again. */
export interface RfqPollState {
  id: string
  /** Of its newest entry in the list; null if none was recorded. */
  entryHash: string | null
  /** Whether the RFQ itself was read since that entry was first in the list. */
  isFollowed: boolean
  shape: 'full' | 'list'
  state: string | null
  /** Its list contradicts it (core/sources.ts). */
  contradicted: boolean
  /** When the RFQ itself, not only its list entry, was last read. */
  detailReadAt: Timestamp | null
  /** When it was last requested, also if that failed. */
  requestedAt: Timestamp | null
  /** Some response is known only by its summary, or was last requested in vain, and can be requested. */
  incomplete: boolean
  missingSince: Timestamp | null
  firstObservedAt: Timestamp
  validators: Validators | null
  /** Of the bytes last received; null if they must be parsed again, as those with problems. */
  fingerprint: string | null
}

/** Stored state from which a poll decides whether to read a response again. */
export interface ResponsePollState {
  rfqId: string
  id: string
  /** When the response itself was last read; null if only its summary is known. */
  readAt: Timestamp | null
  /** When it was last requested, also if that failed. */
  requestedAt: Timestamp | null
  /** Hashes of its summary as last observed, and when it was last read; null if unknown. */
  summaryHash: string | null
  readSummaryHash: string | null
  firstObservedAt: Timestamp
  missingSince: Timestamp | null
  validators: Validators | null
  /** Of the bytes last received; null if they must be parsed again, as those with problems. */
  fingerprint: string | null
}

/** Names a document of a channel. */
export interface StoredDocument {
  channel: string
  kind: 'rfq' | 'response'
  /** Null for an RFQ. */
  rfqId: string | null
  id: string
}

/** The stored states from which a poll decides what to read. */
export interface PollStates {
  /** All RFQs of the channel. */
  rfqStates(channel: string): Promise<RfqPollState[]>
  /** The responses of some RFQs. */
  responseStates(channel: string, rfqIds: readonly string[]): Promise<ResponsePollState[]>
  /** The newest text of a document, as received with these validators; null if it is another one. */
  textWithValidators(document: StoredDocument, validators: Validators): Promise<string | null>
  /** Ids of documents that are not missing; used to detect a mass loss. */
  presentIds(channel: string, kind: 'listing' | 'rfq'): Promise<string[]>
}

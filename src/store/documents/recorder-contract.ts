import type { ListedResponse, Observation, ObservedResponse } from '../../core/documents/observation.js'

/** What a list has of an identifier. */
export interface ListedDocument extends Observation<unknown> {
  /** How many differing entries have it; if several, `text` is the array of them. Default 1. */
  bodies?: number
}

/** An RFQ with its responses, stored in one transaction. */
export interface RfqSnapshot {
  /** `requested` of a list entry: the RFQ itself was requested, and the request failed. Default false. */
  rfq: Observation<unknown> & { requested?: boolean }
  /** `list` for an RFQ of which only the list entry is known. */
  shape: 'full' | 'list'
  responses: readonly ObservedResponse[]
  /** Responses that were not read again, whose summaries show that they still exist. */
  observed?: readonly ListedResponse[]
  /** False if `responses` of the RFQ was unusable: then no response is marked missing. */
  responsesComplete: boolean
  /** Just before its first request was sent, so that all values are at least this recent. */
  readAt: Date
}

export type UpsertResult = 'inserted' | 'changed' | 'unchanged'

export interface RecordResult {
  rfq: UpsertResult
  /** Version number after the write. */
  rfqVersion: number
  rfqHash: string
  responses: { id: string; change: UpsertResult }[]
  /** Ids of responses newly marked missing. */
  missing: string[]
}

/** What a list changed; documents that are not in it are unchanged. */
export interface ListChange {
  id: string
  change: 'inserted' | 'changed' | 'missing'
}

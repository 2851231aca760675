import type { Problem } from '../../core/documents/lenient-parser.js'
import type { LiveRun } from '../runs/run-contract.js'

/** A document with its problems, ready to be stored. */
export interface Snapshot {
  id: string
  /** Parsed JSON. */
  body: unknown
  /** The body without what parsing loses (exact-json.ts). Default: `body`. */
  exactBody?: unknown
  /** The text as received, or null (the default) if only the parsed body is known. */
  text?: string | null
  valid: boolean
  problems: readonly Problem[]
  /** Equal for documents with the same bytes; null (the default) if not known. */
  fingerprint?: string | null
  /** The content hash (core/documents/canonical-json.ts), if it is already known. */
  hash?: string
  /** Parsing the text is known to lose nothing, so that storing it does not access the body. */
  losesNothing?: boolean
  /** How many differing entries of a list have this identifier; if several, `body` is the array of them. Default 1. */
  bodies?: number
}

/** An RFQ with its responses, stored in one transaction. */
export interface RfqSnapshot {
  /** `requested` of a list entry: the RFQ itself was requested, and the request failed. Default false. */
  rfq: Snapshot & Pick<ResponseSnapshot, 'requested'>
  /** `list` for an RFQ of which only the list entry is known. */
  shape: 'full' | 'list'
  responses: readonly ResponseSnapshot[]
  /** Responses that were not read again, whose summaries show that they still exist. */
  observed?: readonly ObservedResponse[]
  /** False if `responses` of the RFQ was unusable: then no response is marked missing. */
  responsesComplete: boolean
  /** Just before its first request was sent, so that all values are at least this recent. */
  readAt: Date
  /**
   * `newestRecording` of the channel before its first request was sent. If the RFQ was recorded after that, this read is stale and not
   * recorded. Default: the read is known to be newer than the stored state.
   */
  sentAfter?: number
}
export interface ResponseSnapshot extends Snapshot {
  /** `summary` if the response could not be read, and only its summary in the RFQ is known. */
  shape: 'full' | 'summary'
  /** Hash of its summary in the RFQ; null (the default) if unknown. */
  summaryHash?: string | null
  /** False if it was not requested, so that only its summary is known. Default true. */
  requested?: boolean
  /** When it was submitted, as parsed. Default: taken from the body when needed. */
  submittedAt?: string | null
}
/** A response whose summary was read, but not the response itself. */
export interface ObservedResponse {
  id: string
  /** Null if unknown; the next poll then reads the response. */
  summaryHash: string | null
}

/** `stale`: the RFQ was recorded after this read was sent, so that the read was not recorded and must be repeated. */
export type UpsertResult = 'inserted' | 'changed' | 'unchanged' | 'stale'

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

export interface Recorder {
  /** The number of the newest recording on a channel; 0 if there is none. The database assigns the numbers, independently of clocks. */
  newestRecording(channel: string): Promise<number>
  /** Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing. */
  recordRfq(run: LiveRun, snapshot: RfqSnapshot, now: Date): Promise<RecordResult>
  /**
   * Stores a list of listings, or of entries of RFQs, in several transactions.
   * @param list.whole what it does not have is missing
   * @param list.readAt just before the list was requested
   * @returns the changed ones
   */
  recordList(
    run: LiveRun,
    kind: 'listing' | 'rfq-entry',
    entries: readonly Snapshot[],
    list: { whole: boolean; readAt: Date },
    now: Date,
  ): Promise<ListChange[]>
}

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

/** When a list was requested. */
export interface ListRead {
  readAt: Date
  /** `newestRecording` of the channel before the list was requested. */
  sentAfter: number
}

export interface Recorder {
  /** The number of the newest recording on a channel; 0 if there is none. The database assigns the numbers, independently of clocks. */
  newestRecording(channel: string): Promise<number>
  /** Stores listings in several transactions. Marks nothing missing. */
  recordListings(run: LiveRun, listings: readonly Snapshot[], readAt: Date, now: Date): Promise<UpsertResult[]>
  /** Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing. */
  recordRfq(run: LiveRun, snapshot: RfqSnapshot, now: Date): Promise<RecordResult>
  /** Updates the last observation of RFQs whose list entries are unchanged and which were not read again. */
  touchRfqs(run: LiveRun, ids: readonly string[], now: Date): Promise<void>
  /**
   * Stores list entries of RFQs, and whether they contradict the RFQs. If an RFQ was recorded after the list was requested, it is not known
   * which of the two is newer, and only a contradiction is recorded.
   */
  recordEntries(run: LiveRun, entries: readonly Snapshot[], read: ListRead, now: Date): Promise<void>
  /**
   * Marks documents that are not in a complete list as missing, unless they were recorded after the list was requested; clears the mark of
   * those that returned.
   */
  updatePresence(
    run: LiveRun,
    kind: 'listing' | 'rfq',
    listedIds: readonly string[],
    read: Pick<ListRead, 'sentAfter'>,
    now: Date,
  ): Promise<{ missing: string[]; returned: string[] }>
}

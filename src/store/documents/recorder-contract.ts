import type { Problem } from '../../core/documents/lenient-parser.js'
import type { Validators } from '../../core/documents/validators.js'
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
  /** What the marketplace sent with the text; null (the default) if nothing. */
  validators?: Validators | null
  /** Equal for documents that were received with the same bytes; null (the default) if not known. */
  fingerprint?: string | null
  /** Its content hash (core/canonical-json.ts), if it was calculated before. */
  hash?: string
  /** Parsing the text is known to lose nothing, so that the body is not asked for when it is stored. */
  losesNothing?: boolean
}

/** An RFQ with its responses, stored in one transaction. */
export interface RfqSnapshot {
  /** `requested`, of a list entry: the RFQ itself was requested in vain. Default false. */
  rfq: Snapshot & Pick<ResponseSnapshot, 'requested'>
  /** `list` for an RFQ that could never be read, of which only the list entry is known. */
  shape: 'full' | 'list'
  responses: readonly ResponseSnapshot[]
  /** Responses that are stored in full and were not read again: their summaries show that they still exist. */
  observed?: readonly ObservedResponse[]
  /** False if `responses` of the RFQ was unusable: then no response is marked missing. */
  responsesComplete: boolean
  /** Just before its first request was sent: all values are at least this recent. */
  readAt: Date
  /**
   * `newestRecording` of the channel before its first request was sent. An RFQ that was read, and recorded since, is not recorded.
   * Default: the read is known to be newer than what is stored.
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
  /** When it was submitted, as parsed. Default: the body is parsed when that is needed. */
  submittedAt?: string | null
}
/** A response of which only the summary was read. */
export interface ObservedResponse {
  id: string
  /** Null if unknown: the response is read at the next poll. */
  summaryHash: string | null
}

/** `stale`: the RFQ was recorded since it was read, so that nothing of this read was recorded: read it again. */
export type UpsertResult = 'inserted' | 'changed' | 'unchanged' | 'stale'

export interface RecordResult {
  rfq: UpsertResult
  /** Version number after the write. */
  rfqVersion: number
  rfqHash: string
  /** The list contradicts it. */
  contradicted: boolean
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
  /** The number of the newest recording on a channel; 0 if there is none. Numbers are given by the database, whatever the clocks say. */
  newestRecording(channel: string): Promise<number>
  /** Stores listings in several transactions. Marks nothing missing. */
  recordListings(run: LiveRun, listings: readonly Snapshot[], readAt: Date, now: Date): Promise<UpsertResult[]>
  /** Stores an RFQ with its responses in one transaction and marks responses that it no longer lists as missing. */
  recordRfq(run: LiveRun, snapshot: RfqSnapshot, now: Date): Promise<RecordResult>
  /** Updates the last observation of RFQs whose list entries are unchanged and which were not read again. */
  touchRfqs(run: LiveRun, ids: readonly string[], now: Date): Promise<void>
  /**
   * Stores the entries that a list has of RFQs, and whether they contradict them. Of an RFQ that was recorded after the list was requested,
   * it is not known which of the two is newer: only a contradiction counts.
   */
  recordEntries(run: LiveRun, entries: readonly Snapshot[], read: ListRead, now: Date): Promise<void>
  /**
   * After a complete list: marks documents not in `listedIds` as missing, unless they were recorded after it was requested, and clears
   * the mark of those that returned.
   */
  updatePresence(
    run: LiveRun,
    kind: 'listing' | 'rfq',
    listedIds: readonly string[],
    read: Pick<ListRead, 'sentAfter'>,
    now: Date,
  ): Promise<{ missing: string[]; returned: string[] }>
}

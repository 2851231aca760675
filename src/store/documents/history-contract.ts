import type { DocumentKind } from '../../core/documents/documents.js'
import type {
  KnownDocument,
  ProblemRecord,
  Revision,
  RevisionKind,
  RfqWithResponses,
  Version,
} from '../../core/records.js'
import type { RfqName } from '../../core/text/rfq-name.js'

export interface RfqFilter {
  channel?: string
  asOf?: Date
  /** Only RFQs that have this name; with `former`, also those that had it earlier. */
  match?: RfqName & { former?: boolean }
  /** Only RFQs with these ids. */
  ids?: readonly string[]
  /** Omits the responses. Default false. */
  withoutResponses?: boolean
}

export interface History {
  /** `known`: leaves out listings with this id, version and `missingSince` (empty if null), separated by spaces. */
  listings(
    filter: Pick<RfqFilter, 'channel' | 'asOf' | 'ids'> & { known?: readonly string[] },
  ): Promise<KnownDocument[]>
  rfqs(filter: RfqFilter): Promise<RfqWithResponses[]>
  /** Every version of an RFQ and its responses up to `asOf`, oldest first. */
  rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]>
  problems(filter: {
    channel?: string
    entityIds?: readonly string[]
    limit?: number
    /** Only problems found by this moment; their last observation may be later. */
    asOf?: Date
  }): Promise<ProblemRecord[]>
  /** Streams documents in a stable order. */
  export(filter: { kind?: DocumentKind; channel?: string; asOf?: Date }): AsyncIterable<KnownDocument>
}

/** The number of RFQs with a state and due date. */
export interface RfqCount {
  state: string | null
  /** `responseDueDate` as received, usually YYYY-MM-DD. */
  dueDate: string | null
  count: number
}

export interface RevisionFilter {
  channel?: string
  /** With `channel`: only this RFQ and its responses. */
  rfqId?: string
  /** Only what was observed then or later. What is committed last is not always observed last: a reader that must miss nothing reads events. */
  after?: Date
  /** Only what was observed up to this moment. */
  asOf?: Date
  /** Only what is about these. Default: all. */
  kinds?: readonly RevisionKind[]
}

/** Queries across all RFQs. They read only the documents that they return. */
export interface Overview {
  /** The channels with stored documents, sorted. */
  storedChannels(): Promise<string[]>
  /** Newest first, within one moment by RFQ. `before`: only those that follow this cursor in that order. */
  revisions(filter: RevisionFilter & { before?: string; limit: number }): Promise<Revision[]>
  /** The RFQs of a channel that are not missing, by state and due date. */
  rfqCounts(channel: string): Promise<RfqCount[]>
}

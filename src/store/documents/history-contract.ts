import type { DocumentKind } from '../../core/documents/documents.js'
import type { KnownDocument, ProblemRecord, RfqWithResponses, Version } from '../../core/records.js'
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

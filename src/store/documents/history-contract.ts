import type { DocumentKind } from '../../core/documents/documents.js'
import type {
  Absence,
  KnownDocument,
  OfferRevisions,
  ProblemRecord,
  Revision,
  RfqEntry,
  RfqWithResponses,
  Version,
} from '../../core/records.js'
import type { RfqName } from '../../core/text/rfq-name.js'
import type { FutureTimes } from '../../core/time/clock.js'

export interface RfqFilter {
  channel?: string
  asOf?: Date
  /** RFQs that have this name; with `former`, also those that had it at any time. */
  match?: RfqName & { former?: boolean }
  /** Only RFQs with these ids. */
  ids?: readonly string[]
  /** Omit the responses. Default false. */
  withoutResponses?: boolean
}

export interface History {
  listings(filter: { channel?: string; asOf?: Date; ids?: readonly string[] }): Promise<KnownDocument[]>
  rfqs(filter: RfqFilter): Promise<RfqWithResponses[]>
  /** Every version of an RFQ and its responses up to `asOf`, oldest first. */
  rfqHistory(channel: string, rfqId: string, asOf?: Date): Promise<Version[]>
  absences(channel: string, rfqId: string, asOf?: Date): Promise<Absence[]>
  problems(filter: {
    channel?: string
    entityIds?: readonly string[]
    limit?: number
    /** Only those found until then; when they were last seen is that of now. */
    asOf?: Date
  }): Promise<ProblemRecord[]>
  /** By channel, sorted. @param filter.since counts problems that were first seen after this moment */
  problemCounts(filter: { channel?: string; since: Date }): Promise<ProblemCounts[]>
  /** Streams documents in a stable order. */
  export(filter: { kind?: DocumentKind; channel?: string; asOf?: Date }): AsyncIterable<KnownDocument>
}

export interface ProblemCounts {
  channel: string
  problems: number
  documents: number
  /** First seen after the moment of the filter. */
  fresh: number
  /** When the newest one was first seen. */
  newestAt: string
}

export interface RevisionFilter {
  channel?: string
  /** With `channel`: only this RFQ and its responses. */
  rfqId?: string
  /**
   * Only what was observed later. Of `revisions` without `asOf` also what was committed after something of this moment: who asks
   * for what came after the newest that it saw misses nothing, and may see something twice.
   */
  after?: Date
  /** Only what was observed up to this moment. */
  asOf?: Date
}

/** Queries over all RFQs at once. They read no documents but those they return. */
export interface Overview {
  /** The channels of which something is stored, sorted. */
  storedChannels(): Promise<string[]>
  /** Every RFQ that was known at a moment. */
  rfqEntries(filter: { channel?: string; asOf?: Date }): Promise<RfqEntry[]>
  /** Newest first; those of one moment by RFQ. `before`: only those after this cursor in that order. */
  revisions(filter: RevisionFilter & { before?: string; limit: number }): Promise<Revision[]>
  /** Times that are stored and in the future (`isInFuture`), by channel; none if the clocks are right. */
  futureTimes(now: Date): Promise<FutureTimes[]>
  /** What the first poll of a channel has found, or found so far; null if that is not known any more. */
  foundByFirstPoll(channel: string): Promise<{ offers: number; rfqs: number } | null>
  /** Changes of offers, counted by RFQ. */
  offerRevisions(filter: Omit<RevisionFilter, 'rfqId'> & { after: Date }): Promise<OfferRevisions[]>
}

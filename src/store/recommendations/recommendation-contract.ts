import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { EventData } from '../../core/events/events.js'
import type { Timestamp } from '../../core/time/clock.js'

/** An RFQ whose recommendation is to be computed again. */
export interface DirtyRfq {
  channel: string
  rfqId: string
  /** For all moments from this one on. */
  since: Timestamp
  /** How often it was marked. */
  marks: number
}

/** What lists show of an RFQ, with what it was computed from. */
export interface RfqRow {
  channel: string
  rfqId: string
  version: number
  valid: boolean
  /** Offers that are not missing. */
  offers: number
  /** JSON: what lists show of the RFQ itself. */
  facts: string
  /** JSON: what they show of its offers. */
  figures: string
  /** JSON: what the marketplace shows of the award that stands; null if none does. */
  award: string | null
  /** Its id, number and reference. */
  names: readonly string[]
  /** By which lists are searched and sorted. */
  sort: RfqSortValues
  /** The list says otherwise than the RFQ, or it was not read in full or is not valid. */
  isNotable: boolean
  /** It is right for this moment, and until something changes. */
  computedAt: Timestamp
  engineVersion: string
}

/** Text is in lower case. */
export interface RfqSortValues {
  /** What is searched for words. */
  search: string
  number: number | null
  title: string | null
  /** Offers that are known, read or not. */
  offers: number
  /** The first offer that is accepted or to be awarded. */
  recommended: string | null
  wanted: number | null
  coverage: number | null
  bestPricePerTonne: number | null
}

/** An RFQ that is stored, as lists read it. */
export interface ListedRfq {
  channel: string
  rfqId: string
  version: number
  changedAt: Timestamp
  missingSince: Timestamp | null
  /** When the RFQ itself was last read; null if it never was. */
  readAt: Timestamp | null
  /** Null if it was not computed yet. */
  row: Pick<RfqRow, 'valid' | 'offers' | 'facts' | 'computedAt'> | null
  /** The row is of an earlier state. */
  isDirty: boolean
}

export interface ListedRfqFilter {
  channel?: string
  ids?: readonly string[]
  state?: string
  /** Words that all occur in `RfqSortValues.search`, or its id. */
  search?: { words: readonly string[]; id: string }
  /**
   * Only those that somebody may have to know of: open and due by a date, changed since a moment, notable, or not recorded as they are.
   */
  newsOf?: { dueBy: string; since: Date }
}

/** What RFQs can be sorted by; nulls come last. */
export type ListedRfqSort = Exclude<keyof RfqSortValues, 'search'> | 'channel' | 'state' | 'due' | 'changedAt'

/** A part of a list. */
export interface ListedRfqPage {
  /** Default: open ones first, due soonest first; then the others, newest number first. */
  sort?: { key: ListedRfqSort; descending: boolean }
  from: number
  to: number
}

/** `settings`: those it was computed with; `event`: what to tell of it, if it has a reason. */
export type NewRecommendation = Omit<RecordedRecommendation, 'channel' | 'rfqId' | 'settingsHash'> & {
  settings: Settings
  event: EventData | null
}

/** Recommendations of one RFQ, to be recorded together. */
export interface ComputedRfq {
  dirty: DirtyRfq
  /** Those that differ from what was recorded before, oldest first. */
  recommendations: readonly NewRecommendation[]
  row: RfqRow
  /** Listings that its offers name. */
  listings: readonly string[]
}

export interface RecorderLease {
  /** A process; unique. */
  holder: string
  /** What it runs. */
  command: string | null
  /** Those it compares with. */
  settings: Settings
  now: Date
  leaseMs: number
}

/** What a process is told that asked for the lease. `holder`: the other process that has it. */
export type LeaseReply = { held: true } | { held: false; command: string | null; hasOtherSettings: boolean }

/** What is recommended for each RFQ, and when that changed. */
export interface Recommendations extends RecommendationQueries {
  /**
   * Takes or renews the lease of the one process that records recommendations. Its settings are in force from then on: all RFQs that were
   * computed with others become dirty.
   */
  takeRecommendationLease(lease: RecorderLease): Promise<LeaseReply>
  releaseRecommendationLease(holder: string): Promise<void>
  /** Marks RFQs, by default of all channels, whose rows were computed before something other than documents changed. */
  markComputedBefore(moment: Timestamp, channel?: string): Promise<void>
  /** Marks RFQs that have no row, or one that another version of the comparison computed. */
  markOtherEngineVersions(engineVersion: string, now: Date): Promise<void>
  /**
   * Records what was computed in one transaction. An RFQ that was marked again since is left out: it is still dirty.
   * @returns how many were recorded; 0 if the holder lost its lease
   */
  recordRecommendations(holder: string, computed: readonly ComputedRfq[], now: Date): Promise<number>
}

export interface RecommendationQueries {
  /** Oldest mark first. */
  dirtyRfqs(filter: { limit: number }): Promise<DirtyRfq[]>
  /** The row of an RFQ; null if it was not computed yet. */
  rfqRow(channel: string, rfqId: string): Promise<Pick<RfqRow, 'computedAt'> | null>
  /** Moments from `since` on at which documents of an RFQ, or listings that its offers name, changed; in order. */
  changeMoments(filter: { channel: string; rfqId: string; since: Date; listings: readonly string[] }): Promise<string[]>
  /** The newest recommendation of an RFQ at a moment, by default now. */
  recommendationAt(filter: { channel: string; rfqId: string; asOf?: Date }): Promise<RecordedRecommendation | null>
  /** Recommendations with another status or other offers than those before, newest first. */
  recommendationChanges(filter: {
    channel?: string
    rfqId?: string
    after: Date
    asOf?: Date
    limit: number
  }): Promise<RecordedRecommendation[]>
  /** The settings in force at a moment; before the first ones, those. Null if none were recorded. */
  settingsInForce(at: Date): Promise<Settings | null>
  /** When settings came into force, after a moment. */
  settingsChanges(after: Date): Promise<Timestamp[]>
  /** What lists show of the RFQs that are stored; without `page`, all of them, those of a channel in the order of their ids. */
  listedRfqs(filter: ListedRfqFilter, page?: ListedRfqPage): Promise<ListedRfq[]>
  /** How many RFQs match, by state. */
  countRfqs(filter: ListedRfqFilter): Promise<{ state: string | null; rfqs: number }[]>
  /** The names, in lower case, that several RFQs of a channel have. */
  sharedNames(channel: string, names: readonly string[]): Promise<Set<string>>
  /** What the marketplace shows of awards that stand, as JSON; those of dirty RFQs are absent. */
  awardStates(channel?: string): Promise<{ channel: string; rfqId: string; award: string; computedAt: Timestamp }[]>
  /** What lists show of the offers of some RFQs of a channel, as JSON by RFQ; those without a row are absent. */
  rfqFigures(channel: string, rfqIds: readonly string[]): Promise<Map<string, string>>
}

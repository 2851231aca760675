import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { EventData } from '../../core/events/events.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { FigureSource } from './figure-queries.js'

/** A row of `figures`, with the names of members: the data of an RFQ that lists show, and from which state it was computed. */
export interface FigureRow {
  channel: string
  rfqId: string
  /** What it was computed with, besides the documents: another one than the current `FigureBasis.key` is outdated, but `SETTLED`. */
  key: string
  version: number
  valid: 0 | 1
  /** The number of offers that are not missing. */
  offers: number
  /** JSON: the data of the RFQ itself. */
  facts: string
  /** JSON: the figures of its offers. */
  figures: string
  /** JSON: the state of the standing award on the marketplace; null if there is none. */
  award: string | null
  /** Its status; null if there is none. */
  awardStatus: string | null
  /** JSON: what is accepted, awarded and recommended; null if nothing is. */
  stakes: string | null
  /** JSON: its `RfqClaim`s; null if it has none. */
  claims: string | null
  /** Whether a person has to look at the RFQ, whatever its due date: not at all, soon, or now. */
  attention: 0 | 1 | 2
  computedAt: Timestamp
  /** The values by which lists are searched and sorted. Texts are in lower case. */
  search: string
  number: number | null
  title: string | null
  /** The first awarded, accepted or recommended offer, and what all of them cost. */
  recommended: string | null
  price: number | null
  total: number | null
  wanted: number | null
  coverage: number | null
  bestPrice: number | null
}

/** The key of a row that stays as it is when the day, settings or rates change: of a closed RFQ that is decided. */
export const SETTLED = 'settled'

/** What is recorded of an RFQ. */
export interface ComputedFigures {
  /** The recommendation, if it differs from the newest one. `event`: the event data, if it has a reason. */
  recommendation: (Omit<RecordedRecommendation, 'channel' | 'rfqId' | 'settings'> & { event: EventData | null }) | null
  row: FigureRow
}

/** What figures depend on besides documents and awards. */
export interface FigureBasis {
  /** With the exchange rates of the moment. */
  settings: Settings
  /** A hash of settings, rates, rules and the day of the channel. */
  key: string
}

/** Computes figures (src/figures). */
export interface FigureComputer {
  /** As configured: without exchange rates of `ratesFrom`. */
  settings: Settings
  basisOf(source: FigureSource, channel: string, now: Date): Promise<FigureBasis>
  /** Computes RFQs of a channel. One that cannot be computed is left out, and does not affect the others. */
  compute(
    source: FigureSource,
    rfqs: { channel: string; ids: readonly string[] },
    basis: FigureBasis,
    now: Date,
  ): Promise<ComputedFigures[]>
}

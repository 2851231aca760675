import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { RfqWithResponses } from '../../core/records.js'
import type { EventDraft } from '../events/event-writer.js'
import type { SqlValue } from '../sql/sql-database.js'
import type { FigureSource } from './figure-queries.js'

/** A row of `figures` (src/store/schema/tables.sql), with the names of members. */
export type FigureRow = { rfqId: string } & Readonly<Record<string, SqlValue>>

/** The key of a row that stays as it is when the day, settings or rates change: of a closed RFQ that is decided. */
export const SETTLED = 'settled'

/** What is recorded of an RFQ. */
export interface ComputedFigures {
  row: FigureRow
  /** The recommendation, if it differs from the newest one, and its event, if it is not the first one. */
  recommendation: Omit<RecordedRecommendation, 'settings'> | null
  event: EventDraft | null
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
    of: { channel: string; rfqs: readonly RfqWithResponses[] },
    basis: FigureBasis,
    now: Date,
  ): Promise<ComputedFigures[]>
}

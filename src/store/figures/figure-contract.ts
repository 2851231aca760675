import type { CreditClaim } from '../../core/decision/credit-claim.js'
import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import type { Settings } from '../../core/decision/settings.js'
import type { EventData } from '../../core/events/events.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { AwardQueries } from '../awards/award-rows.js'
import type { History } from '../documents/queries/history.js'
import type { PollStates } from '../documents/queries/poll-states.js'
import type { EventDraft } from '../events/event-writer.js'
import type { ExchangeRates } from '../rates/exchange-rates.js'
import type { Transaction } from '../sql/sql-database.js'

/** The data of an RFQ that lists show, and from which state it was computed. */
export interface FigureRow {
  channel: string
  rfqId: string
  /** What it was computed with, besides the documents: another one than the current `FigureBasis.key` is outdated, but `SETTLED`. */
  key: string
  version: number
  valid: boolean
  /** The number of offers that are not missing. */
  presentOffers: number
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
  attention: Attention
  computedAt: Timestamp
  /** The values by which lists are searched and sorted. Texts are in lower case. */
  search: string
  number: number | null
  title: string | null
  /** The number of known offers, read or not. */
  offers: number
  /** The first awarded, accepted or recommended offer, and what all of them cost. */
  recommended: string | null
  price: number | null
  total: number | null
  wanted: number | null
  coverage: number | null
  bestPricePerTonne: number | null
}

export type Attention = 0 | 1 | 2

/** The key of a row that stays as it is when the day, settings or rates change: of a closed RFQ that is decided. */
export const SETTLED = 'settled'

/** `event`: the event data, if it has a reason. */
export type NewRecommendation = Omit<RecordedRecommendation, 'channel' | 'rfqId' | 'settings'> & {
  event: EventData | null
}

/** What is recorded of an RFQ. */
export interface ComputedFigures {
  /** The recommendation, if it differs from the newest one. */
  recommendation: NewRecommendation | null
  row: FigureRow
}

/** What figures are computed from: the state that a transaction sees. */
export type FigureSource = Pick<History, 'rfqs' | 'listings' | 'rfqHistory'> &
  Pick<PollStates, 'responseStates'> &
  Pick<FigureQueries, 'newestRecommendations'> &
  Pick<AwardQueries, 'awards'> &
  Pick<ExchangeRates, 'ratesAt'>

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
  basisOf(source: Pick<ExchangeRates, 'ratesAt'>, channel: string, now: Date): Promise<FigureBasis>
  /** Computes RFQs of a channel. One that cannot be computed is left out, and does not affect the others. */
  compute(
    source: FigureSource,
    rfqs: { channel: string; ids: readonly string[] },
    basis: FigureBasis,
    now: Date,
  ): Promise<ComputedFigures[]>
}

/** What a transaction changed that figures depend on. */
export interface FigureChanges {
  channel: string
  rfqs: ReadonlySet<string>
  /** All RFQs with offers for them are affected. */
  listings?: ReadonlySet<string>
}

/** Writes figures in the transaction that records what they depend on. */
export interface FigureWriter {
  /**
   * Writes the figures of RFQs anew, or outdates them in a process that does not write figures.
   * @returns the events of changed recommendations, which the transaction writes last
   */
  writeFigures(tx: Transaction, rfqs: { channel: string; ids: ReadonlySet<string> }, now: Date): Promise<EventDraft[]>
  /** Outdates rows, which lists show until they are written anew. */
  outdateFigures(tx: Transaction, changes: FigureChanges): Promise<void>
}

/** The figures of RFQs, and the history of what was recommended for them. */
export interface Figures extends FigureQueries {
  /**
   * Makes the settings of this process those of all figures.
   * @param from `process` replaces those of a process that still runs, too
   * @returns the command of the process whose settings stay; null if they are those of this process
   */
  claimFigures(from: 'process' | 'command'): Promise<string | null>
  /**
   * Writes figures of a channel that are not current: of another day, settings or rates, or of a listing or award that changed since.
   * @returns how many are left; null if figures have the settings of another process
   */
  refreshFigures(channel: string, now: Date): Promise<number | null>
}

export interface FigureQueries {
  /** The newest recommendations for RFQs of a channel. */
  newestRecommendations(channel: string, rfqIds: readonly string[]): Promise<RecordedRecommendation[]>
  /** The settings with which figures are recorded; null if none were. */
  recordedSettings(): Promise<Settings | null>
  /** The credits that are spoken for in the RFQs of all channels, as of their rows. */
  creditClaims(): Promise<CreditClaim[]>
}

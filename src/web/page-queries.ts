import type { CloseOutcome, DecisionRecord, ProblemRecord, RunKind, RunOutcome, RunRecord } from '../domain/records.js'

/** When the polls of a channel last succeeded. */
export interface ChannelFreshness {
  channel: string
  /** When the newest complete poll of RFQs, and of listings, finished; null if none did. */
  rfqsAt: string | null
  listingsAt: string | null
}

/**
 * What pages show, as plain data: arguments and results can be sent to another thread. Pages read through a connection of
 * their own, so that they never wait for polls, nor polls for them.
 */
export interface PageQueries {
  freshness(): Promise<ChannelFreshness[]>
  /** The configured channels, `org/slug`. */
  channels(): Promise<string[]>
  runs(filter: { channel?: string; kind?: RunKind; outcome?: RunOutcome; limit: number }): Promise<RunRecord[]>
  decisions(filter: { channel?: string; outcome?: CloseOutcome; limit: number }): Promise<DecisionRecord[]>
  problems(filter: { channel?: string; limit: number }): Promise<ProblemRecord[]>
}

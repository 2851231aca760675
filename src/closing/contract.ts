import type { Clock } from '../domain/clock.js'
import type { DecisionRecord, RunRecord } from '../domain/records.js'
import type { ChannelSession } from '../marketplace/contract.js'
import type { Closings, History, Recorder, Runs } from '../store/contract.js'

/** What a closing round works with; everything is handed in. */
export interface ClosingContext {
  session: ChannelSession
  store: Runs & Recorder & History & Closings
  now: Clock
  signal?: AbortSignal
  /** Kill switch, asked before each POST: a reason to stop, or null (reliability.md, closing policy 10). */
  killSwitch: () => string | null
  /** Waits; handed in so that tests need not. */
  pause: (milliseconds: number) => Promise<void>
}

export interface ClosingPolicy {
  mode: 'on' | 'dry-run'
  timeZone: string
  graceHours: number
  maxPerRun: number
  maxClockSkewSeconds: number
  /** A held round that a person approved. */
  approvedPlan?: string
  /** A person asked by hand: earlier refusals do not hold. */
  byHand?: boolean
}

export interface ClosingResult {
  run: RunRecord
  decisions: DecisionRecord[]
  /** Set where the round was held for its size. */
  approvalPlan: string | null
  failures: { id: string; message: string }[]
}

import { setTimeout as wait } from 'node:timers/promises'
import type { ChannelRef } from '../core/channel.js'
import type { DecisionRecord, RunRecord, UnsettledClose } from '../core/records.js'
import type { ChannelSession, Marketplace } from '../marketplace/contract.js'
import type { Store } from '../store/contract.js'
import type { ItemFailure, RunContext } from '../store/runs/with-run.js'
import type { KillSwitch } from './kill-switch.js'

/** A signal stops the round before the next RFQ. */
export interface ClosingContext extends Omit<RunContext, 'timeZone' | 'byHand'> {
  session: ChannelSession
  store: Store
  /** Called before each POST: the reason closing is stopped, or null (docs/CLOSING.md, rule 10). */
  killSwitch: KillSwitch
  /** Called with each decision once it is recorded. */
  onDecision?: (decision: DecisionRecord) => void
  /** Waits; a parameter so that tests need not wait. */
  pause: (milliseconds: number) => Promise<void>
}

/**
 * The context of one closing round of one channel, with its own session.
 * @param signal stops the round, its requests and its pauses
 */
export function closingContext(
  services: Pick<ClosingContext, 'store' | 'now' | 'killSwitch'> & { marketplace: Marketplace },
  channel: ChannelRef & { apiKey: string },
  signal: AbortSignal,
): ClosingContext {
  const { marketplace, store, now, killSwitch } = services
  const session = marketplace.session(channel, { signal })
  const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal })
  return { session, store, now, signal, killSwitch, pause }
}

export interface ClosingPolicy {
  mode: 'on' | 'dry-run'
  /** IANA time zone in which the response due date is interpreted. */
  timeZone: string
  graceHours: number
  maxPerRun: number
  maxClockSkewSeconds: number
  /** An approval plan: the round is not too large if exactly its RFQs qualify. */
  approvedPlan?: string
  /**
   * Identifiers of RFQs to close although an earlier close was refused or is uncertain: this round closes these only,
   * whatever their number, and decides nothing about the others.
   */
  retry?: readonly string[]
  /**
   * Identifiers of RFQs: of those that qualify, this round closes only these, and decides nothing about the others. All that
   * qualify still count towards `maxPerRun`.
   */
  only?: readonly string[]
  /** The person who decided on `approvedPlan` or `retry`. */
  approvedBy?: string
  /** A person started the round. */
  byHand?: boolean
  /** Who started it, and where, if that is known. Recorded in the evidence only. */
  startedBy?: string
}

/** The closing policy of a channel, or null if `autoClose` is `off` (docs/CLOSING.md, rule 1). */
export function closingPolicy(
  { maxPerRun, maxClockSkewSeconds }: Pick<ClosingPolicy, 'maxPerRun' | 'maxClockSkewSeconds'>,
  channel: Pick<ClosingPolicy, 'timeZone' | 'graceHours'> & { autoClose: ClosingPolicy['mode'] | 'off' },
): ClosingPolicy | null {
  const { autoClose, timeZone, graceHours } = channel
  return autoClose === 'off' ? null : { mode: autoClose, timeZone, graceHours, maxPerRun, maxClockSkewSeconds }
}

export interface ClosingResult {
  run: RunRecord
  decisions: DecisionRecord[]
  /** The approval plan if the round is blocked because of its size. */
  approvalPlan: string | null
  failures: ItemFailure[]
  /** Why no further RFQ was closed, or null. */
  stopReason: string | null
  /** Closes on the channel that are not settled, from this round and from earlier ones. */
  unsettled: UnsettledClose[]
  /** Numbers of RFQs, including those whose decision repeats an earlier one. */
  counts: Record<'closed' | 'alreadyClosed' | 'wouldClose' | 'blocked', number>
}

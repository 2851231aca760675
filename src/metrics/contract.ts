import type { QueueLoad } from '../core/queue-load.js'
import type { UnsettledClose } from '../core/records.js'

/** The state of a channel in the database at a scrape. */
export interface ChannelState {
  channel: string
  autoClose: 'on' | 'dry-run' | 'off'
  polls: readonly PollFreshness[]
  /** RFQs that are not missing. */
  rfqs: Readonly<Record<'open' | 'closed' | 'other', number>>
  /** Open RFQs that are past due, grace included. */
  overdue: number
  /** When the next response due date of an open RFQ ends in the time zone of the channel; null if none is ahead. */
  nextDue: Date | null
  /** Closes that need attention. */
  unsettled: Readonly<Record<UnsettledClose['outcome'], number>>
  /** 1 if the newest closing round is blocked until approved. */
  blocked: number
}

export interface PollFreshness {
  kind: 'listings' | 'rfqs'
  /** When the newest complete poll ended. */
  completedAt: Date | null
  /** Whether no poll has completed within three intervals of the schedule. */
  stale: boolean
}

/** A target of notifications. */
export interface NotificationState {
  target: string
  /** Events that it has not got yet. */
  waiting: number
  /** Events that it never gets, unless its position is set. */
  passedOver: number
  /** Consecutive failed attempts. */
  failures: number
}

export interface DatabaseState {
  channels: readonly ChannelState[]
  notifications: readonly NotificationState[]
  databaseBytes: number
  walBytes: number
}

/** The sources that are read at a scrape. */
export interface MetricSources {
  database: () => Promise<DatabaseState>
  queue: () => Promise<QueueLoad>
  /** Whether the kill switch stops all closing. */
  closingStopped: () => Promise<boolean>
}
